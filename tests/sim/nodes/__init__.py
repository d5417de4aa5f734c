"""Whole nodes, as they are served, on an event loop with simulated time: sockets, disks and threads are stand-ins."""
