"""The files of a repository on one page."""

from thoughtforge.agent.repository_map import lines_of, shortened
from thoughtforge.agent.tokens import estimate

LOCALES = tuple(f"src/locale/{chr(97 + n // 26)}{chr(97 + n % 26)}/messages/words.po" for n in range(36))
PATHS = ("README.md", *LOCALES, "src/words/__init__.py", "src/words/time.py", "tests/test_time.py")


def shown(paths: tuple[str, ...], *named: str) -> list[str]:
    return [line.text for line in lines_of(paths, frozenset(named))]


def test_folders_of_the_same_shape_are_one_line_with_their_number_and_pattern() -> None:
    assert shown(PATHS) == [
        "./: README.md",
        "src/locale/*/messages/ (36 folders alike, * is aa, ab, ac … bj): words.po",
        "src/words/: __init__.py, time.py",
        "tests/: test_time.py",
    ]


def test_a_folder_with_a_named_file_stands_for_itself() -> None:
    assert shown(PATHS, LOCALES[4])[1:3] == [
        "src/locale/*/messages/ (35 folders alike, * is aa, ab, ac … bj): words.po",
        "src/locale/ae/messages/: words.po",
    ]


def test_numbered_files_are_the_same_shape_and_one_folder_is_the_example() -> None:
    paths = tuple(f"area_{folder}/part_{folder}{file}.py" for folder in range(4) for file in range(2))
    assert shown(paths) == [
        "*/ (4 folders alike, * is area_0, area_1, area_2, area_3): part_00.py, part_01.py (so in area_0)"
    ]


def test_two_folders_of_a_shape_are_told_one_by_one() -> None:
    assert shown(("a/x.py", "b/x.py")) == ["a/: x.py", "b/: x.py"]


def test_a_cut_map_keeps_what_is_named_and_fills_its_room() -> None:
    names = ("alder", "birch", "cedar", "maple", "olive", "rowan")
    paths = tuple(f"{a}_{b}/{c}_{a}_{b}.py" for a in names for b in names for c in (a, b, a + b))
    named = frozenset({paths[-1], "rowan_olive/rowan_rowan_olive.py"})
    lines = lines_of(paths, named)
    text = "\n".join(line.text for line in lines)
    cut = shortened(lines, text, 300)
    assert 270 <= estimate(cut) <= 300 < estimate(text)
    assert all(path.rpartition("/")[2] in cut for path in named)
    assert cut.splitlines()[-1] == "… [the list is cut here; list_files with a pattern shows the rest] …"


def test_of_a_folder_too_long_for_its_room_the_named_file_and_some_others_are_told() -> None:
    paths = tuple(f"words/{chr(97 + n % 26)}{chr(97 + n // 26)}_long_name_of_a_module.py" for n in range(400))
    lines = lines_of(paths, frozenset({paths[-1]}))
    cut = shortened(lines, lines[0].text, 120)
    assert cut.startswith(f"words/: {paths[-1].removeprefix('words/')}")
    some = shortened(lines_of(paths), lines[0].text, 120)
    assert some.count(".py") > 5
    assert estimate(some) <= 120
