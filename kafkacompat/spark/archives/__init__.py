"""Archives of topics in Parquet: written, read as of a point in time, and checked."""
