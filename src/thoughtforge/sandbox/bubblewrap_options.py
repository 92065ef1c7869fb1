"""What a bubblewrap box shows, as the options bubblewrap takes.

- Whoever we are outside is user 1000 inside. So our files stay ours to read and, where mounted writable, to write, also
  when we are root; files of other users show as nobody's and only their general permissions count.
- The root and /dev of a box are memory file systems: they are made read-only, or a command could fill the memory.
- /proc is read-only: when we are root outside, we own /proc/sys also without any rights inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from thoughtforge.sandbox.box import SHARED_MEMORY_BYTES, Box

HOME = "/tmp/home"  # noqa: S108 - inside the box, where /tmp is its own
TEMP = "/tmp"  # noqa: S108

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
ETC = (
    "alternatives",
    "ca-certificates",
    "ld.so.cache",
    "localtime",
    "mime.types",
    "pki/tls",
    "pki/ca-trust",
    "ssl/certs",
    "ssl/openssl.cnf",
)
NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/services", "/etc/gai.conf")
FILES = {
    "/etc/passwd": f"user:x:1000:1000::{HOME}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
    "/etc/group": "user:x:1000:\nnogroup:x:65534:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "/etc/hosts": "127.0.0.1 localhost box\n::1 localhost\n",
}
FIXED: tuple[str, ...] = (
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--cap-drop",
    "ALL",
)
FIXED += ("--die-with-parent", "--new-session", "--hostname", "box", "--clearenv")


def arguments(box: Box, env: Mapping[str, str], *, files: Mapping[str, int], status: int, hold: int) -> list[str]:
    """Every option of bubblewrap for this box; `files` are the ones we make up: path inside → descriptor."""
    made = [*FIXED, "--json-status-fd", str(status), "--block-fd", str(hold)]
    made += ["--share-net"] if box.network else []
    made += [part for path in SYSTEM for part in _system(Path(path))]
    made += [part for name in ETC for part in ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")]
    made += [part for path, number in files.items() for part in ("--ro-bind-data", str(number), path)]
    if box.network:
        made += [part for path in NETWORK for part in ("--ro-bind-try", path, path)]
    made += ["--proc", "/proc", "--dev", "/dev", "--size", str(min(SHARED_MEMORY_BYTES, box.limits.temp_bytes))]
    made += ["--perms", "1777", "--tmpfs", "/dev/shm"]  # noqa: S108
    made += ["--perms", "1777", "--size", str(box.limits.temp_bytes), "--tmpfs", TEMP, "--dir", HOME]
    made += _mounts(box)
    made += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(box.cwd)]
    return made + [part for name, value in env.items() for part in ("--setenv", name, value)]


def made_up(box: Box) -> dict[str, str]:
    """The files we write for this box: path inside → text."""
    return {path: text for path, text in FILES.items() if not (box.network and path in NETWORK)}


def _system(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.is_dir() else []


def _mounts(box: Box) -> list[str]:
    # Outer ones first: a folder mounted later would hide what was mounted inside it.
    placed = sorted(
        ((mount.target or mount.source, mount) for mount in box.mounts), key=lambda pair: len(pair[0].parts)
    )
    return [
        part
        for target, mount in placed
        for part in ("--bind" if mount.writable else "--ro-bind", str(mount.source), str(target))
    ]
