"""File descriptors: as many as the process may have, with a reserve for logs that connections never get."""

from __future__ import annotations

RESERVE_SHARE = 4
"""One in so many descriptors stays for segment files, listeners and the loop itself."""
RESERVE_MIN = 64
WANTED = 1_048_576
"""More than this a process is rarely given; an unlimited hard limit is no number to ask for."""
SEGMENTS_SHARE = 2
"""One in so many of the reserve is for segment files that are kept open."""
NODES_SHARE, NODES_MAX = 8, 256
"""One in so many connections, at the most so many, are for other nodes alone, where those have listeners of their own:
what clients open must not cut a node off from its cluster."""
UNKNOWN_LIMIT = 2048
"""Where the system does not say (Windows' C runtime allows this many)."""


def raise_limit() -> int:
    """Raise the soft limit of open files to the hard one, as far as the system lets us; returns the limit in force."""
    try:
        import resource
    except ImportError:  # Windows
        return UNKNOWN_LIMIT
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # macOS refuses more than kern.maxfilesperproc
            return int(soft)
        return int(wanted)
    return WANTED if soft == resource.RLIM_INFINITY else int(soft)


def connection_capacity(limit: int) -> int:
    """How many of `limit` descriptors connections may take."""
    return max(1, limit - _reserve(limit))


def segment_files(limit: int) -> int:
    """How many of `limit` descriptors logs may keep open for their segments."""
    return _reserve(limit) // SEGMENTS_SHARE


def _reserve(limit: int) -> int:
    return max(RESERVE_MIN, limit // RESERVE_SHARE)


def reserved_for_nodes(capacity: int) -> int:
    """How many of `capacity` connections clients leave to other nodes."""
    return min(NODES_MAX, capacity // NODES_SHARE)
