"""A principal inside Envelope, after its int16 version."""

FRAMING = "none"

RECORDS = """
DefaultPrincipalData 0 flexible=0+
    type                 string  0+
    name                 string  0+
    token_authenticated  bool    0+
"""
