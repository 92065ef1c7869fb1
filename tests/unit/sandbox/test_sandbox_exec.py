"""The profile for macOS denies by default and allows what the box names."""

from pathlib import Path

from thoughtforge.sandbox.box import Mount, SandboxSpec
from thoughtforge.sandbox.sandbox_exec import profile, quoted

TEMP = Path("/private/tmp/mine")
BOX = SandboxSpec(
    cwd=Path("/w"), mounts=(Mount(Path("/w"), writable=True), Mount(Path("/w/tests")), Mount(Path("/env")))
)


def lines(box: SandboxSpec) -> list[str]:
    return profile(box, TEMP).splitlines()


def test_everything_is_denied_first():
    assert lines(BOX)[:2] == ["(version 1)", "(deny default)"]


def test_only_writable_mounts_and_the_temporary_folder_can_be_written():
    written = [line for line in lines(BOX) if "file-write*" in line and "/dev/" not in line]
    assert written == [
        '(allow file-write* (subpath "/w"))',
        '(allow file-write* (subpath "/private/tmp/mine"))',
        '(deny file-write* (subpath "/w/tests"))',
    ]


def test_mounts_can_be_read_and_no_home_can():
    read = [line for line in lines(BOX) if line.startswith("(allow file-read* file-map-executable")]
    assert '(allow file-read* file-map-executable (subpath "/env"))' in read
    assert [line for line in read if "/Users" in line] == []


def test_the_network_is_closed_unless_the_box_opens_it():
    assert lines(BOX)[-1] == "(deny network*)"
    assert lines(BOX._replace(network=True))[-2:] == ["(allow network*)", "(allow system-socket)"]


def test_no_name_of_a_folder_can_add_a_rule():
    assert quoted(Path('/a")(allow default)("\\')) == '"/a\\")(allow default)(\\"\\\\"'
