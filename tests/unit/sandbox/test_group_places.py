"""Groups are made below our own, where we may, and nowhere else."""

from pathlib import Path

import pytest

from thoughtforge.sandbox.cgroups import CgroupPlace, find


@pytest.fixture
def machine(tmp_path):
    """A mount table and our groups, as /proc tells them, over folders that stand in for the kernel's."""

    def made(mounts: dict[str, str], groups: str) -> Path:
        lines = [
            f"30 23 0:26 / {tmp_path / point} rw - {kind} {kind} {options}"
            for point, given in mounts.items()
            for kind, _, options in [given.partition(" ")]
        ]
        (tmp_path / "mountinfo").write_text("\n".join(["22 1 8:1 / / rw - ext4 /dev/sda1 rw", *lines]))
        (tmp_path / "cgroup").write_text(groups)
        return tmp_path

    return made


def folder(place: Path, handed_on: str | None = None) -> Path:
    """A group's folder, with the files we look at."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "cgroup.procs").touch()
    if handed_on is not None:
        (place / "cgroup.subtree_control").write_text(handed_on + "\n")
    return place


FIRST = {"pids": "cgroup rw,pids", "memory": "cgroup rw,memory", "both": "cgroup rw,cpu,cpuacct"}
SECOND = {"unified": "cgroup2 rw,nsdelegate"}


def test_version_1_counts_each_thing_in_a_tree_of_its_own(machine, tmp_path):
    pids, memory = folder(tmp_path / "pids"), folder(tmp_path / "memory")
    assert find(machine(FIRST, "8:pids:/\n4:memory:/\n1:cpu,cpuacct:/\n0::/\n")) == CgroupPlace(pids, memory)


def test_our_own_group_is_where_groups_are_made(machine, tmp_path):
    folder(tmp_path / "pids")
    own = folder(tmp_path / "pids" / "session" / "ours")
    assert find(machine(FIRST, "8:pids:/session/ours\n")) == CgroupPlace(own)


def test_a_memory_group_somebody_put_us_into_is_not_divided(machine, tmp_path):
    pids = folder(tmp_path / "pids")
    folder(tmp_path / "memory")
    folder(tmp_path / "memory" / "theirs")
    assert find(machine(FIRST, "8:pids:/\n4:memory:/theirs\n")) == CgroupPlace(pids)


def test_version_2_takes_the_nearest_group_above_us_that_hands_counting_on(machine, tmp_path):
    folder(tmp_path / "unified", "cpu memory pids")
    service = folder(tmp_path / "unified" / "service", "memory pids")
    folder(service / "app", "")
    assert find(machine(SECOND, "0::/service/app\n")) == CgroupPlace(service, service)


def test_version_2_without_memory_bounds_processes_only(machine, tmp_path):
    service = folder(tmp_path / "unified" / "service", "pids")
    assert find(machine(SECOND, "0::/service/app\n")) == CgroupPlace(service)


def test_a_group_that_was_not_given_to_us_is_not_taken_nor_one_above_it(machine, tmp_path):
    folder(tmp_path / "unified", "memory pids")
    not_ours = tmp_path / "unified" / "slice"
    not_ours.mkdir()
    (not_ours / "cgroup.subtree_control").write_text("pids\n")
    assert find(machine(SECOND, "0::/slice/session\n")) is None


def test_version_2_that_counts_nothing_leaves_it_to_version_1(machine, tmp_path):
    pids = folder(tmp_path / "pids")
    folder(tmp_path / "unified", "")
    assert find(machine(FIRST | SECOND, "8:pids:/\n0::/\n")) == CgroupPlace(pids)


@pytest.mark.parametrize("groups", ["", "0::/../outside\n", "8:pids:/nowhere\n"])
def test_a_group_that_is_not_shown_here_is_no_place(machine, tmp_path, groups):
    folder(tmp_path / "pids")
    folder(tmp_path / "unified", "pids")
    assert find(machine(FIRST | SECOND, groups)) is None


def test_a_machine_without_a_process_table_has_none(tmp_path):
    assert find(tmp_path / "nowhere") is None
