"""Pages that are made from the code: `python -m tests.tidy.pages` writes them, `--check` says which are stale."""
