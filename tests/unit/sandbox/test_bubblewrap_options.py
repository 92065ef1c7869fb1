"""The options of bubblewrap say what the box says, in an order that holds."""

from pathlib import Path

from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxSpec
from thoughtforge.sandbox.bubblewrap import arguments, made_up


def test_outer_mounts_come_before_what_is_mounted_in_them():
    inner, outer = Mount(Path("/a/b/c")), Mount(Path("/x"), writable=True, target=Path("/a"))
    made = arguments(SandboxSpec(cwd=Path("/a"), mounts=(inner, outer)), {}, files={}, status=3, hold=4)
    assert made[made.index("--bind") :][:6] == ["--bind", "/x", "/a", "--ro-bind", "/a/b/c", "/a/b/c"]


def test_the_network_is_shared_only_when_the_box_says_so():
    with_it, without = (
        arguments(SandboxSpec(cwd=Path("/"), network=network), {}, files={}, status=3, hold=4)
        for network in (True, False)
    )
    assert ("--share-net" in with_it, "/etc/resolv.conf" in with_it) == (True, True)
    assert ("--share-net" in without, "/etc/resolv.conf" in without) == (False, False)


def test_the_temporary_folder_is_as_large_as_the_box_says():
    made = arguments(SandboxSpec(cwd=Path("/"), limits=ResourceLimits(temp_bytes=4096)), {}, files={}, status=3, hold=4)
    assert made[made.index("/tmp") - 3 :][:4] == ["--size", "4096", "--tmpfs", "/tmp"]


def test_the_machine_s_own_name_table_is_shown_only_with_the_network():
    with_it, without = (made_up(SandboxSpec(cwd=Path("/"), network=network)) for network in (True, False))
    assert set(without) - set(with_it) == {"/etc/hosts"}
