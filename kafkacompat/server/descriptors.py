"""Raises the limit of file descriptors, and divides them among connections and segment files."""

from __future__ import annotations

RESERVE_SHARE = 4
"""The reserve for segment files, listeners and the loop is 1/RESERVE_SHARE of the descriptors."""
RESERVE_MIN = 64
WANTED = 1_048_576
"""The limit to ask for; systems rarely permit more, and an unlimited hard limit is not a number."""
SEGMENTS_SHARE = 2
"""Segment files may take 1/SEGMENTS_SHARE of the reserve."""
NODES_SHARE, NODES_MAX = 8, 256
"""If nodes have listeners of their own, 1/NODES_SHARE of the connections (at most NODES_MAX) is reserved for them:
clients must not cut a node off from its cluster."""
UNKNOWN_LIMIT = 2048
"""The limit where the system has none to read (Windows' C runtime allows this many)."""


def raise_limit() -> int:
    """Raise the soft limit of open files to the hard one if permitted; returns the limit in force."""
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
    """How many of `limit` descriptors are for connections."""
    return max(1, limit - _reserve(limit))


def segment_files(limit: int) -> int:
    """How many of `limit` descriptors are for segment files."""
    return _reserve(limit) // SEGMENTS_SHARE


def _reserve(limit: int) -> int:
    return max(RESERVE_MIN, limit // RESERVE_SHARE)


def reserved_for_nodes(capacity: int) -> int:
    """How many of `capacity` connections are reserved for other nodes."""
    return min(NODES_MAX, capacity // NODES_SHARE)
