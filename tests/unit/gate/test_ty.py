"""Type errors are found in the file that changed and in those that depend on it, whatever the workspace says."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from thoughtforge.gate.linters import CHANGED, CREATED, DELETED, SKIPPED_BY_ITSELF, Ty
from thoughtforge.gate.mirror import Mirror

PRICE = "def price(count: int) -> int:\n    return count\n"
BILL = "from shop.price import price\n\nline = price(3)\n"
WRONG = 'x: int = "a"\n'

Steps = Callable[[Ty, Mirror], Awaitable[object]]


def use(tmp_path: Path, files: dict[str, str], steps: Steps, **more: object) -> object:
    mirror = Mirror(tmp_path / "mirror")
    mirror.folder.mkdir()
    for name, text in files.items():
        if mirror.shows(name):
            mirror.put(name, text, base=None)

    async def run() -> object:
        ty = Ty(mirror, folder=tmp_path / "told", search_path="", **more)  # type: ignore[arg-type]
        try:
            return await steps(ty, mirror)
        finally:
            await ty.close()

    return asyncio.run(run())


def codes(tmp_path: Path, files: dict[str, str], path: str = "a.py") -> object:
    async def steps(ty: Ty, mirror: Mirror) -> list[tuple[int, str]]:
        return [(each.line, each.code) for each in await ty.look(path)]

    return use(tmp_path, files, steps)


def test_a_changed_signature_shows_in_the_files_that_depend_on_it(tmp_path: Path) -> None:
    files = {"src/shop/__init__.py": "", "src/shop/price.py": PRICE, "src/shop/bill.py": BILL}

    async def steps(ty: Ty, mirror: Mirror) -> object:
        before = dict(await ty.everything())
        mirror.put("src/shop/price.py", PRICE.replace("count: int", "count: str"), base=None)
        await ty.changed({"src/shop/price.py": CHANGED})
        own = [each.path for each in await ty.look("src/shop/price.py")]
        after = await ty.everything()
        told = {path: [(each.line, each.code) for each in found] for path, found in after.items() if found}
        return before, own, told

    called = [  # ty 0.0.104 gave the first one another name
        {"src/shop/price.py": [(2, code)], "src/shop/bill.py": [(3, "invalid-argument-type")]}
        for code in ("invalid-return-type", "invalid-explicit-return")
    ]
    assert use(tmp_path, files, steps) in [({}, ["src/shop/price.py"], found) for found in called]


def test_an_edit_that_changes_no_result_is_answered_every_time(tmp_path: Path) -> None:
    async def steps(ty: Ty, mirror: Mirror) -> list[int]:
        counts = []
        for number in range(5):
            mirror.put("a.py", WRONG + "\n" * number, base=None)
            await ty.changed({"a.py": CHANGED})
            counts.append(sum(map(len, (await ty.everything()).values())))
        return counts

    assert use(tmp_path, {"a.py": WRONG}, steps, answer_seconds=30.0) == [1, 1, 1, 1, 1]


def test_created_and_deleted_files_are_noticed(tmp_path: Path) -> None:
    async def steps(ty: Ty, mirror: Mirror) -> list[list[str]]:
        seen = [sorted(await ty.everything())]
        mirror.put("new.py", "from shop import gone\n", base=None)
        await ty.changed({"new.py": CREATED})
        seen.append(sorted(await ty.everything()))
        mirror.drop("new.py")
        await ty.changed({"new.py": DELETED})
        seen.append(sorted(path for path, found in (await ty.everything()).items() if found))
        return seen

    assert use(tmp_path, {"shop/__init__.py": ""}, steps) == [[], ["new.py"], []]


def test_a_package_in_a_new_folder_is_known_to_files_made_after_it(tmp_path: Path) -> None:
    async def steps(ty: Ty, mirror: Mirror) -> list[str]:
        await ty.everything()
        for path, text in (("shop/__init__.py", ""), ("shop/price.py", PRICE), ("tests/test_bill.py", BILL)):
            mirror.put(path, text, base=None)
            await ty.changed({path: CREATED})
            await ty.look(path)
        return [each.code for each in await ty.look("tests/test_bill.py")]

    old = {"conftest.py": "", "tests/test_old.py": BILL}
    assert use(tmp_path, old, steps, environment=None) == []


@pytest.mark.parametrize(
    "planted",
    [
        {"ty.toml": '[rules]\nall = "ignore"\n'},
        {"pyproject.toml": '[tool.ty.rules]\nall = "ignore"\n'},
        {"pyproject.toml": '[tool.ty.src]\nexclude = ["**"]\n'},
        {".gitignore": "a.py\n"},
    ],
)
def test_a_tool_configuration_in_the_workspace_silences_nothing(tmp_path: Path, planted: dict[str, str]) -> None:
    assert codes(tmp_path, {"a.py": WRONG, **planted}) == [(1, "invalid-assignment")]


def test_a_configuration_above_the_mirror_silences_nothing(tmp_path: Path) -> None:
    (tmp_path / "ty.toml").write_text('[rules]\nall = "ignore"\n')
    (tmp_path / ".gitignore").write_text("*\n")
    assert codes(tmp_path, {"a.py": WRONG}) == [(1, "invalid-assignment")]


@pytest.mark.parametrize("comment", ["# type: ignore", "# type:ignore[assignment]", "# ty: ignore", "# ty:ignore[all]"])
def test_a_new_ignore_comment_silences_nothing(tmp_path: Path, comment: str) -> None:
    assert codes(tmp_path, {"a.py": f'x: int = "a"  {comment}\n'}) == [(1, "invalid-assignment")]


def test_a_new_ignore_comment_for_the_whole_file_silences_nothing(tmp_path: Path) -> None:
    assert codes(tmp_path, {"a.py": f"# type: ignore\n{WRONG}"}) == [(2, "invalid-assignment")]


def test_settings_inside_a_script_silence_nothing(tmp_path: Path) -> None:
    head = '# /// script\n# requires-python = ">=3.11"\n# [tool.ty.rules]\n# all = "ignore"\n# ///\n'
    assert codes(tmp_path, {"a.py": head + WRONG}) == [(6, "invalid-assignment")]


@pytest.mark.parametrize("folder", [*SKIPPED_BY_ITSELF, ".git-hooks"])
def test_a_folder_ty_leaves_out_by_itself_is_judged(tmp_path: Path, folder: str) -> None:
    path = f"{folder}/a.py"

    async def steps(ty: Ty, mirror: Mirror) -> tuple[int, list[str]]:
        alone = len(await ty.look(path))
        return alone, sorted(await ty.everything())

    assert use(tmp_path, {path: WRONG}, steps) == (1, [path])


def test_without_an_environment_only_own_and_standard_modules_must_exist(tmp_path: Path) -> None:
    text = "import some_foreign_thing\nfrom shop import absent\nimport shop.missing\n"
    assert codes(tmp_path, {"shop/__init__.py": "", "a.py": text}) == [
        (2, "import-not-found"),
        (3, "import-not-found"),
    ]


def test_a_server_that_hangs_is_broken(tmp_path: Path) -> None:
    from thoughtforge.gate.context import Broken

    async def steps(ty: Ty, mirror: Mirror) -> object:
        return await ty.everything()

    with pytest.raises(Broken, match="ty did not answer: no answer to initialize"):
        use(tmp_path, {"a.py": WRONG}, steps, answer_seconds=0.0)
