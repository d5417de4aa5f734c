"""Runs inside new namespaces: makes the image's tree the root directory and becomes the container's first process.

    unshare ... python inside.py ROOT TREE PYTHON_BASE PROGRAM [ARGUMENT ...]

The host is at /.host, read-only as a whole: outside of ROOT nothing can be written.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys

MS_BIND, MS_REC, MS_RDONLY = 4096, 16384, 1
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
SYS_MOUNT_SETATTR = 442
SIOCSIFFLAGS, SIOCGIFFLAGS, SIOCSIFADDR, IFF_UP = 0x8914, 0x8913, 0x8916, 1
ADDRESS = "10.88.0.2"
APPUSER = 1000
LIBC = ctypes.CDLL(None, use_errno=True)


def mount(source: str, target: str, kind: str | None, flags: int) -> None:
    data = [text.encode() if text is not None else None for text in (source, target, kind)]
    if LIBC.mount(*data, ctypes.c_ulong(flags), None):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), target)


def make_read_only(path: str) -> None:
    """The mount and all below it."""
    attributes = struct.pack("=QQQQ", MS_RDONLY, 0, 0, 0)
    if LIBC.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, path.encode(), AT_RECURSIVE, attributes, len(attributes)):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), path)


def loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(sock, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))
        address = struct.pack("16shH4s16x", b"lo:1", socket.AF_INET, 0, socket.inet_aton(ADDRESS))
        fcntl.ioctl(sock, SIOCSIFADDR, address)


def main() -> None:
    root, tree, python_base, *command = sys.argv[1:]
    mount("/", f"{root}/.host", None, MS_BIND | MS_REC)
    make_read_only(f"{root}/.host")
    for source, target in ((tree, f"{root}/opt/kafkacompat"), (python_base, f"{root}/opt/python")):
        mount(source, target, None, MS_BIND)
        make_read_only(target)
    mount("/dev", f"{root}/dev", None, MS_BIND | MS_REC)
    mount("proc", f"{root}/proc", "proc", 0)
    loopback_up()
    socket.sethostname(os.environ["HOSTNAME"])
    os.chroot(root)
    os.chdir("/home/appuser")
    if "IMAGE_AS_ROOT" not in os.environ:
        os.setgroups([])
        os.setresgid(APPUSER, APPUSER, APPUSER)
        os.setresuid(APPUSER, APPUSER, APPUSER)
    folders = [""] if "/" in command[0] else [f"{path}/" for path in os.environ["PATH"].split(":")]
    for folder in folders:  # os.execvp imports something, and the files of this Python are out of reach now
        if os.access(folder + command[0], os.X_OK):
            os.execv(folder + command[0], command)
    os._exit(127)


main()
