"""ControllerRegistration."""

KEY = 70
LISTENERS = ("controller",)

REQUEST = """
ControllerRegistrationRequest 0 flexible=0+
    controller_id              int32       0+
    incarnation_id             uuid        0+
    zk_migration_ready         bool        0+
    listeners                  []Listener  0+
        name                   string      0+  key
        host                   string      0+
        port                   uint16      0+
        security_protocol      int16       0+
    features                   []Feature   0+
        name                   string      0+  key
        min_supported_version  int16       0+
        max_supported_version  int16       0+
"""

RESPONSE = """
ControllerRegistrationResponse 0 flexible=0+
    throttle_time_ms  int32   0+
    error_code        int16   0+
    error_message     string  0+  nullable
"""
