"""Containers without an engine: the image's tree in namespaces, started, fed and watched as testcontainers does it.

`Image` is a copy of what the Dockerfile puts together, once in a session. `Container` is one start of it: processes
with their own files, process ids, network and host name, as user 1000, with nothing of the host writable.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
ROOTFS = ROOT / "docker" / "rootfs"
HOST_NAME = "f00dcafe1234"
ADDRESS = "10.88.0.2"
"""Of each container, in its own network namespace; as in inside.py."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
APPUSER = 1000
RUN = ["/etc/kafka/docker/run"]
READY = r"\[KafkaServer id=\d+\] started"
OWN = ("usr", "usr/bin", "usr/sbin", "usr/local", "usr/local/bin", "opt", "home", "etc", "var", "var/lib", "tmp", "mnt")
"""Directories of a container's own; what the host has in them is linked, unless the image brings it."""
FRESH = ("tmp", "mnt", "var/lib")
"""Of these, the ones that show nothing of the host."""
STOP_S = 10.0


class Image:
    """The tree that the image has at /opt/kafkacompat, and the namespaces that this machine allows."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.tree = directory / "opt" / "kafkacompat"
        self.unshare = _unshare()
        shutil.copytree(ROOTFS, directory, dirs_exist_ok=True)
        venv.create(self.tree, with_pip=False, symlinks=True)
        (self.tree / "pyvenv.cfg").write_text("home = /opt/python/bin\ninclude-system-site-packages = false\n")
        (self.tree / "bin" / "python3").unlink()
        (self.tree / "bin" / "python3").symlink_to(f"/opt/python/bin/{Path(os.path.realpath(sys.executable)).name}")
        packages = next((self.tree / "lib").glob("python3*")) / "site-packages"
        shutil.copytree(ROOT / "kafkacompat", packages / "kafkacompat", dirs_exist_ok=True, ignore=_not_installed)
        for name in _dependencies():
            _copy_distribution(name, packages)
        script = self.tree / "bin" / "kafkacompat"
        script.write_text("#!/opt/kafkacompat/bin/python3 -I\nfrom kafkacompat.cli import main\nmain()\n")
        script.chmod(0o755)
        subprocess.run(["bash", self.tree / "bin" / "install-tree", directory], check=True)


class Container:
    """One start of the image. Use it in a with block, which ends all its processes."""

    def __init__(
        self, image: Image, directory: Path, environ: dict[str, str], command: list[str], ports: tuple[int, ...] = ()
    ) -> None:
        """command: entrypoint and command together. ports: those of the container that get one on the host."""
        self.root = directory / "root"
        self._image = image
        self._stdout, self._stderr = directory / "stdout", directory / "stderr"
        self._environ = {"PATH": PATH, "HOME": "/home/appuser", "HOSTNAME": HOST_NAME, **environ}
        self._command = command
        self._listeners = {port: socket.create_server(("127.0.0.1", 0), backlog=64) for port in ports}
        self.mapped = {port: listener.getsockname()[1] for port, listener in self._listeners.items()}
        self._process: subprocess.Popen[bytes] | None = None
        self._forward: subprocess.Popen[bytes] | None = None
        _make_root(self.root, image)

    def __enter__(self) -> Container:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self) -> None:
        arguments = [str(HERE / "inside.py"), str(self.root), str(self._image.tree), sys.base_prefix, *self._command]
        environ = dict(self._environ)
        if os.getuid() != 0:
            environ["IMAGE_AS_ROOT"] = "1"
        with self._stdout.open("wb") as stdout, self._stderr.open("wb") as stderr:
            self._process = subprocess.Popen(
                [*self._image.unshare, sys.executable, "-I", *arguments], env=environ, stdin=subprocess.DEVNULL,
                stdout=stdout, stderr=stderr, start_new_session=True,
            )  # fmt: skip
        wait_until(lambda: self._is_inside() or self._process.poll() is not None, what=self.logs)
        if self.mapped:
            listening = {listener.fileno(): port for port, listener in self._listeners.items()}
            pairs = [f"{descriptor}:{port}" for descriptor, port in listening.items()]
            self._forward = subprocess.Popen(
                [sys.executable, "-I", HERE / "forward.py", str(self._first_process()), ADDRESS, *pairs],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=tuple(listening),
            )  # fmt: skip
            self._close_listeners()  # they are the other process's
            assert self._forward.stdout is not None
            assert self._forward.stdout.readline() == b"forwarding\n", self.logs()

    def _close_listeners(self) -> None:
        for listener in self._listeners.values():
            listener.close()

    def __exit__(self, *_: object) -> None:
        self._close_listeners()
        if self._forward is not None:
            assert self._forward.stdin is not None
            assert self._forward.stdout is not None
            self._forward.stdin.close()
            self._forward.stdout.close()
            self._forward.kill()
            self._forward.wait()
        if self._process is None:
            return
        if self._process.poll() is None:
            os.kill(self._first_process() or self._process.pid, signal.SIGKILL)
        self._process.wait()

    def copy(self, path: str, text: str, mode: int = 0o644) -> None:
        """Put a file into the container, as `docker cp` does."""
        beside = self.root / f".{Path(path).name}.copied"
        beside.write_text(text)
        beside.chmod(mode)
        beside.rename(self.root / path.lstrip("/"))

    def exec(self, *command: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Run a program beside the first process, as `docker exec` does."""
        enter = ["nsenter", "-t", str(self._first_process()), "-m", "-u", "-n", "-p", "-r", "-w"]
        enter += ["-S", str(APPUSER), "-G", str(APPUSER)] if os.getuid() == 0 else ["-U", "--preserve-credentials"]
        return subprocess.run(
            [*enter, "--", *command], env={**self._environ, **(environ or {})}, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=60,
        )  # fmt: skip

    @property
    def stdout(self) -> str:
        """What the container has written to standard output."""
        return self._stdout.read_text()

    @property
    def stderr(self) -> str:
        """What it has written to standard error."""
        return self._stderr.read_text()

    def logs(self) -> str:
        """Both, for the message of a failed test."""
        return f"stdout:\n{self.stdout}\nstderr:\n{self.stderr}" if self._stdout.exists() else "not started"

    def wait_for_log(self, pattern: str, *, stdout_only: bool = False) -> None:
        """Wait until a line matches."""

        def has_come() -> bool:
            assert self._process is None or self._process.poll() is None or self._matches(pattern, stdout_only), (
                f"it ended with {self._process.poll()}: {self.logs()}"
            )
            return self._matches(pattern, stdout_only)

        wait_until(has_come, what=self.logs)

    def wait(self) -> int:
        """Wait until the first process ends; its status."""
        assert self._process is not None
        return self._process.wait(30)

    def stop(self) -> int:
        """SIGTERM to the first process, as `docker stop` does; the status."""
        first = self._first_process()
        assert first is not None
        os.kill(first, signal.SIGTERM)
        return self.wait()

    def _matches(self, pattern: str, stdout_only: bool) -> bool:
        text = self.stdout if stdout_only else self.stdout + self.stderr
        return re.search(pattern, text) is not None

    def _is_inside(self) -> bool:
        """Whether the first process has the container's root directory and user: what runs now is the command."""
        first = self._first_process()
        try:
            is_python = Path(f"/proc/{first}/cmdline").read_bytes().startswith(sys.executable.encode())
            return first is not None and not is_python and str(Path(f"/proc/{first}/root").readlink()) != "/"
        except OSError:
            return False

    def _first_process(self) -> int | None:
        assert self._process is not None
        try:
            children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        except OSError:
            return None
        return int(children[0]) if children else None


def _unshare() -> list[str]:
    """The command that starts a program in namespaces of its own; AssertionError says what this machine lacks."""
    kinds = ["--mount", "--pid", "--fork", "--kill-child", "--net", "--uts", "--ipc", "--propagation", "private"]
    command = ["unshare", *kinds, *(["--user", "--map-root-user"] if os.getuid() != 0 else [])]
    try:
        tried = subprocess.run([*command, "true"], capture_output=True, text=True)
    except OSError as error:
        raise AssertionError(f"the image's tests need the program unshare (util-linux): {error}") from None
    assert tried.returncode == 0, (
        f"the image's tests need the right to make namespaces, and this machine refuses it: {tried.stderr.strip()}. "
        "Run them as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)"
    )
    return command


def _not_installed(directory: str, names: list[str]) -> set[str]:
    """What `pip install` leaves out of a directory of the package."""
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    inside = Path(directory).relative_to(ROOT)
    return {name for name in names if (inside / name).as_posix() in built["exclude"]}


def _dependencies() -> list[str]:
    """The distributions that the wheel requires, with YAML as in the Dockerfile, and this environment has."""
    required = importlib.metadata.requires("kafkacompat") or []
    wanted = [text for text in required if "extra ==" not in text or re.search(r"extra == .yaml", text)]
    names = [re.split(r"[^A-Za-z0-9_.-]", text)[0] for text in wanted]
    return [name for name in names if _has(name)]


def _has(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _copy_distribution(name: str, packages: Path) -> None:
    for file in importlib.metadata.distribution(name).files or []:
        source = Path(str(file.locate()))
        if ".." not in file.parts and source.is_file():
            target = packages.joinpath(*file.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def _make_root(root: Path, image: Image) -> None:
    """The root directory of a container: links to the host, and the image's own files."""
    root.mkdir(parents=True)
    root.chmod(0o755)
    for name in (".host", "proc", "dev", *OWN, "home/appuser", "opt/kafkacompat", "opt/python"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for path in image.directory.iterdir():
        if path.name != "opt":
            subprocess.run(["cp", "-a", path, root], check=True)  # with its owners
    subprocess.run(["cp", "-a", image.directory / "opt" / "kafka", root / "opt"], check=True)
    for file, text in {
        "etc/hosts": f"127.0.0.1 localhost\n{ADDRESS} {HOST_NAME}\n",
        "etc/passwd": "root:x:0:0::/root:/bin/bash\nappuser:x:1000:1000::/home/appuser:/bin/bash\n",
        "etc/group": "root:x:0:\nappuser:x:1000:\n",
        "etc/nsswitch.conf": "hosts: files\n",
    }.items():
        (root / file).write_text(text)
    (root / "usr/bin/sh").symlink_to("bash")
    for folder in ("", *OWN):
        if folder not in FRESH:
            _link_host(root, folder)
    for name in ("tmp", "home/appuser"):
        (root / name).chmod(0o1777)


def _link_host(root: Path, folder: str) -> None:
    """Link what the host has in a folder and the container lacks."""
    for path in Path("/", folder).iterdir():
        mine = root / folder / path.name
        if not mine.exists() and not mine.is_symlink():
            mine.symlink_to(path.readlink() if path.is_symlink() and not folder else f"/.host/{folder}/{path.name}")
