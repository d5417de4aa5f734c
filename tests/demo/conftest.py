"""kafka-python warns of its own imports on Python 3.11, and warnings are errors here: it is imported once without."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka  # noqa: F401
