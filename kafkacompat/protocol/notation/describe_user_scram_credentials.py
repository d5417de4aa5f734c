"""DescribeUserScramCredentials."""

KEY = 50
LISTENERS = ("broker", "controller")

REQUEST = """
DescribeUserScramCredentialsRequest 0 flexible=0+
    users     []UserName  0+  nullable
        name  string      0+
"""

RESPONSE = """
DescribeUserScramCredentialsResponse 0 flexible=0+
    throttle_time_ms      int32                                 0+
    error_code            int16                                 0+
    error_message         string                                0+  nullable
    results               []DescribeUserScramCredentialsResult  0+
        user              string                                0+
        error_code        int16                                 0+
        error_message     string                                0+  nullable
        credential_infos  []CredentialInfo                      0+
            mechanism     int8                                  0+
            iterations    int32                                 0+
"""
