"""A principal inside Envelope, behind its version, an int16."""

FRAMING = "none"

RECORDS = """
DefaultPrincipalData 0 flexible=0+
    type                 string  0+
    name                 string  0+
    token_authenticated  bool    0+
"""
