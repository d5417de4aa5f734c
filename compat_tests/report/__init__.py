"""What a run of the suite found: collected while it runs, written as files at its end."""
