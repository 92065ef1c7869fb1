"""The profile for macOS's sandbox-exec. Its text is tested; it has never been run on a Mac by our tests.

Deny everything, then allow what a command needs: programs and libraries of the system, what the box mounts, its own
temporary folder, and processes of its own. Memory and the number of processes are not limited there.
"""

from __future__ import annotations

from pathlib import Path

from thoughtforge.sandbox.box import SandboxSpec

READABLE = (
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library",
    "/opt/homebrew",
    "/private/etc/ssl",
    "/private/var/db/timezone",
)
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty")


def profile(box: SandboxSpec, temp: Path) -> str:
    """The sandbox profile for one command, in the language sandbox-exec reads."""
    readable = [*map(Path, READABLE), *(mount.source for mount in box.mounts), temp]
    writable = [*(mount.source for mount in box.mounts if mount.writable), temp]
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow process-fork)",
        "(allow process-exec)",
        "(allow signal (target same-sandbox))",
        "(allow sysctl-read)",
        "(allow file-read-metadata)",
        '(allow file-read* (literal "/"))',
        *(f"(allow file-read* file-map-executable (subpath {quoted(path)}))" for path in readable),
        *(f"(allow file-write* (subpath {quoted(path)}))" for path in writable),
        *_read_only_inside(box, writable),
        *(f"(allow file-read* file-write* (literal {quoted(Path(path))}))" for path in DEVICES),
    ]
    lines += ["(allow network*)", "(allow system-socket)"] if box.network else ["(deny network*)"]
    return "\n".join(lines) + "\n"


def quoted(path: Path) -> str:
    """A path as a string of the profile language; nothing in its name can end the string."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _read_only_inside(box: SandboxSpec, writable: list[Path]) -> list[str]:
    """Read-only mounts within writable ones: the last rule that matches decides."""
    inside = [
        mount.source
        for mount in box.mounts
        if not mount.writable and any(mount.source.is_relative_to(place) for place in writable)
    ]
    return [f"(deny file-write* (subpath {quoted(path)}))" for path in inside]
