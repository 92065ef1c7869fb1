"""From inside a bubblewrap box: nothing of ours is there but what the box names."""

import asyncio
import http.server
import os
import stat
import threading
from pathlib import Path

import pytest

from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxSpec
from thoughtforge.sandbox.sandbox import run

CONNECT = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=10).close()
    print("connected")
except OSError as error:
    print(type(error).__name__)
"""
WRITE = """
import errno, sys
for place in sys.argv[1:]:
    try:
        open(place, "a").close()
        print("written")
    except OSError as error:
        print(errno.errorcode[error.errno])
"""


@pytest.fixture
def listener():
    """A server of ours on loopback."""
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield str(server.server_port)
        server.shutdown()
        thread.join()


def test_our_loopback_cannot_be_reached(inside, listener):
    assert inside(CONNECT, "127.0.0.1", listener).stdout == b"ConnectionRefusedError\n"


def test_no_other_machine_can_be_reached(inside):
    # An address of the documentation range: the answer comes from our own routing table, nothing is sent.
    assert inside(CONNECT, "192.0.2.1", "80").stdout == b"OSError\n"
    assert inside("import socket; print([name for _, name in socket.if_nameindex()])").stdout == b"['lo']\n"


def test_a_box_has_a_loopback_of_its_own(inside):
    code = """
import socket
server = socket.create_server(("localhost", 0))
client = socket.create_connection(server.getsockname())
print(client.getpeername() == server.getsockname())
"""
    assert inside(code).stdout == b"True\n"


def test_a_box_with_network_reaches_us(inside, listener):
    assert inside(CONNECT, "127.0.0.1", listener, network=True).stdout == b"connected\n"


def test_only_named_folders_and_the_system_are_there(strong):
    ended = asyncio.run(run(strong, SandboxSpec(cwd=Path("/")), ["ls", "/"]))
    system = {"bin", "lib", "lib32", "lib64", "libx32", "nix", "sbin", "usr"}
    assert set(ended.stdout.decode().split()) - system == {"dev", "etc", "proc", "tmp"}


def test_home_and_its_neighbours_are_not_there(inside, tmp_path):
    home, secret = Path.home(), tmp_path.parent / "store-of-secrets"
    secret.write_text("held back")
    code = "import os, sys; print([os.path.exists(place) for place in sys.argv[1:]], os.path.expanduser('~'))"
    places = [str(home / ".bashrc"), str(home / ".cache"), str(secret), "/etc/shadow", "/var", "/sys", "/run"]
    assert inside(code, *places).stdout.decode() == f"{[False] * len(places)} /tmp/home\n"


def test_our_environment_and_the_way_the_box_was_built_cannot_be_read(strong, tmp_path, monkeypatch):
    monkeypatch.setenv("THE_SECRET", "hunter2")
    store = tmp_path / "hidden-store"
    store.mkdir()
    box = SandboxSpec(cwd=Path("/seen"), mounts=(Mount(store, target=Path("/seen")),), env={"GIVEN": "seen"})
    script = "for one in /proc/[0-9]*; do cat $one/environ $one/cmdline; echo; done"
    said = asyncio.run(run(strong, box, ["sh", "-c", script])).stdout
    assert b"GIVEN=seen" in said
    assert b"hunter2" not in said
    assert b"hidden-store" not in said


def test_only_its_own_processes_are_there(inside):
    code = "import os; print(os.getpid(), [name for name in os.listdir('/proc') if name.isdigit()])"
    assert inside(code).stdout == b"2 ['1', '2']\n"


def test_the_command_has_no_rights(inside):
    code = """
import os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status"))
rights = {int(status[name], 16) for name in status if name.startswith("Cap")}
print(os.getuid(), os.getgid(), rights, status["NoNewPrivs"])
"""
    assert inside(code).stdout == b"1000 1000 {0} 1\n\n"


def test_the_command_cannot_get_rights_by_a_namespace_of_its_own(strong):
    ended = asyncio.run(run(strong, SandboxSpec(cwd=Path("/")), ["unshare", "--user", "--map-root-user", "true"]))
    assert ended.code != 0


def test_writing_outside_writable_mounts_fails(inside, tmp_path):
    (tmp_path / "file").write_text("as it was")
    places = ["/new", "/usr/new", "/etc/passwd", "/etc/new", "/dev/new", str(tmp_path / "file"), str(tmp_path / "new")]
    assert inside(WRITE, *places).stdout == b"EROFS\n" * len(places)
    assert inside(WRITE, str(Path.home() / "new")).stdout in (b"ENOENT\n", b"EROFS\n")
    assert (tmp_path / "file").read_text() == "as it was"
    assert not (tmp_path / "new").exists()


def test_the_kernel_cannot_be_set(inside):
    # Root outside is the owner of these files, whatever it is called inside.
    ended = inside(WRITE, "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger")
    assert set(ended.stdout.split()) <= {b"EROFS", b"ENOENT"}


def test_a_writable_mount_is_written_by_us_also_when_we_are_root(inside, tmp_path):
    place = tmp_path / "open"
    place.mkdir(mode=0o700)
    (place / "old").write_text("")
    (place / "old").chmod(0o600)
    mounts = (Mount(place, writable=True),)
    assert inside(WRITE, str(place / "old"), str(place / "new"), mounts=mounts).stdout == b"written\nwritten\n"
    assert (place / "new").stat().st_uid == os.getuid()


def test_a_read_only_mount_inside_a_writable_one_stays_read_only(inside, tmp_path):
    place, kept = tmp_path / "tree", tmp_path / "tree" / "tests"
    kept.mkdir(parents=True)
    mounts = (Mount(kept), Mount(place, writable=True))
    assert inside(WRITE, str(kept / "new"), str(place / "new"), mounts=mounts).stdout == b"EROFS\nwritten\n"


def test_a_read_only_mount_cannot_be_moved_away_or_made_writable(inside, tmp_path):
    place, kept = tmp_path / "tree", tmp_path / "tree" / "tests"
    kept.mkdir(parents=True)
    code = """
import os, subprocess, sys
for act in (lambda: os.rename("tree/tests", "tree/gone"), lambda: os.chmod("tree/tests", 0o777)):
    try:
        act()
        print("done")
    except OSError as error:
        print("refused")
print(subprocess.run(["mount", "-o", "remount,rw,bind", sys.argv[1]], capture_output=True).returncode != 0)
"""
    ended = inside(code, str(kept), mounts=(Mount(place, writable=True), Mount(kept)))
    assert ended.stdout == b"refused\nrefused\nTrue\n"


def test_a_single_file_can_be_shown_and_at_another_place(inside, tmp_path):
    (tmp_path / "one").write_text("content")
    ended = inside("print(open('/given/two').read())", mounts=(Mount(tmp_path / "one", target=Path("/given/two")),))
    assert ended.stdout == b"content\n"


def test_temporary_files_are_private_and_gone_afterwards(inside):
    code = "import os; print(os.path.exists('/tmp/left')); open('/tmp/left', 'w'); open(os.environ['HOME'] + '/x', 'w')"
    assert [inside(code).stdout for _ in range(2)] == [b"False\n", b"False\n"]
    assert not Path("/tmp/left").exists()


def test_only_harmless_devices_are_there(inside):
    found = set(inside("import os; print(*os.listdir('/dev'))").stdout.decode().split())
    usual = {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout"}
    assert found - usual == {"tty", "urandom", "zero"}


def test_a_daemon_in_a_session_of_its_own_dies_with_the_box(inside, daemon, processes_left):
    assert inside(daemon.code).stdout == b"b'up'\n"
    assert processes_left(daemon.word) == []


def test_people_and_machines_can_be_looked_up(inside):
    code = "import pwd, os, socket; print(*pwd.getpwuid(os.getuid())[::5], socket.gethostname())"
    assert inside(code).stdout == b"user /tmp/home box\n"


def test_a_pipe_or_socket_of_ours_is_not_inherited(strong):
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        ended = asyncio.run(run(strong, SandboxSpec(cwd=Path("/")), ["sh", "-c", "echo /proc/self/fd/*"]))
        assert stat.S_ISFIFO(os.fstat(writing).st_mode)
        assert ended.stdout == b"/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3\n"
    finally:
        os.close(reading)
        os.close(writing)


def test_shared_memory_is_there_and_bounded(inside):
    code = """
import multiprocessing, os
multiprocessing.Lock()
file = open("/dev/shm/big", "wb", 0)
try:
    while True: file.write(b"x" * 100_000)
except OSError as error:
    print(error.errno, os.path.getsize("/dev/shm/big"))
"""
    ended = inside(code, limits=ResourceLimits(temp_bytes=1024**2))
    assert ended.stdout == b"28 1048576\n"
