"""The records of many batches at once, with NumPy. Nothing that a broker imports for itself imports it."""
