"""kafka-python warns of its own imports on Python 3.11; warnings are errors here, so it is imported once without them."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka  # noqa: F401
