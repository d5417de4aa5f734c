"""Traffic of clients: captured into a file, shown, and sent again to another broker whose answers are compared.

`capture_file.py` is the format. A node (`tap.py`) or a proxy writes it through `capture_writer.py`; `replay.py` reads
it.
"""
