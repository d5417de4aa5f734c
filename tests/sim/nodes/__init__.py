"""Whole nodes with their servers on an event loop with simulated time, sockets, disks and threads."""
