"""UpdateFeatures."""

KEY = 57
LISTENERS = ("broker", "controller")

REQUEST = """
UpdateFeaturesRequest 0-2 flexible=0+
    timeout_ms             int32               0+  default=60000
    feature_updates        []FeatureUpdateKey  0+
        feature            string              0+  key
        max_version_level  int16               0+
        allow_downgrade    bool                0
        upgrade_type       int8                1+  default=1
    validate_only          bool                1+
"""

RESPONSE = """
UpdateFeaturesResponse 0-2 flexible=0+
    throttle_time_ms   int32                     0+
    error_code         int16                     0+
    error_message      string                    0+   nullable
    results            []UpdatableFeatureResult  0-1  ignorable
        feature        string                    0+   key
        error_code     int16                     0+
        error_message  string                    0+   nullable
"""
