"""The warm server says what the command says, and nothing in a workspace silences it."""

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from thoughtforge.gate import language_servers
from thoughtforge.gate.context import Broken, Diagnostic
from thoughtforge.gate.linters import RUFF_CONTROL, Ruff, merged, ruff_settings
from thoughtforge.gate.mirror import Mirror

WRONG = "import os\n\n\ndef Shout():\n    print('x')\n"
PRINT = Diagnostic("pkg/a.py", 5, "T201", "`print` found")
NAME = Diagnostic("pkg/a.py", 4, "N802", "Function name `Shout` should be lowercase")
BOTH = {NAME, PRINT}


def look(tmp_path: Path, files: dict[str, str], *, path: str = "pkg/a.py", base: str | None = None) -> set[Diagnostic]:
    mirror = Mirror(tmp_path / "mirror")
    mirror.folder.mkdir()
    for name, text in files.items():
        if mirror.shows(name):
            mirror.put(name, text, base=base)

    async def run() -> set[Diagnostic]:
        ruff = Ruff(mirror, ruff_settings(["N", "T20", "I", "E501"], {}), folder=tmp_path / "told", search_path="")
        try:
            return set(await ruff.look(path))
        finally:
            await ruff.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    "planted",
    [
        {"pkg/ruff.toml": "lint.select = []\n"},
        {"pkg/.ruff.toml": 'exclude = ["*"]\n'},
        {"ruff.toml": "lint.select = []\n"},
        {"pyproject.toml": "[tool.ruff.lint]\nselect = []\n"},
        {"pkg/pyproject.toml": '[tool.ruff]\nexclude = ["*"]\n'},
    ],
)
def test_a_nested_tool_configuration_silences_nothing(tmp_path: Path, planted: dict[str, str]) -> None:
    assert look(tmp_path, {"pkg/a.py": WRONG, **planted}) == BOTH


def test_a_configuration_above_the_mirror_silences_nothing(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text('lint.select = []\nexclude = ["*"]\n')
    assert look(tmp_path, {"pkg/a.py": WRONG}) == BOTH


@pytest.mark.parametrize(
    "comment",
    ["# noqa", "# noqa: T201", "# NoQA:T201", "#noqa", "# flake8: noqa", "# ruff: noqa", "# ruff: noqa: T201"],
)
def test_a_new_noqa_silences_nothing(tmp_path: Path, comment: str) -> None:
    on_the_line = WRONG.replace("print('x')", f"print('x')  {comment}")
    assert PRINT in look(tmp_path, {"pkg/a.py": on_the_line}, base=WRONG)


@pytest.mark.parametrize(
    "comment", ["# ruff: noqa", "# flake8: noqa", "# ruff: disable[T201]", "# ruff: file-ignore[T201]"]
)
def test_a_new_comment_for_the_whole_file_silences_nothing(tmp_path: Path, comment: str) -> None:
    found = look(tmp_path, {"pkg/a.py": f"{comment}\n{WRONG}"}, base=WRONG)
    assert PRINT._replace(line=6) in found


def test_the_order_of_imports_cannot_be_switched_off_by_a_comment(tmp_path: Path) -> None:
    found = look(tmp_path, {"pkg/a.py": "# isort: skip_file\nimport sys\nimport os\n"}, base="")
    assert [each.code for each in found] == ["I001"]


def test_a_noqa_of_the_base_commit_counts(tmp_path: Path) -> None:
    text = WRONG.replace("print('x')", "print('x')  # noqa: T201")
    assert look(tmp_path, {"pkg/a.py": text}, base=text) == {NAME}


@pytest.mark.parametrize("folder", ["build", "dist", ".venv", "node_modules", "site-packages", "venv"])
def test_a_folder_ruff_leaves_out_by_itself_is_judged(tmp_path: Path, folder: str) -> None:
    path = f"{folder}/a.py"
    assert {each.code for each in look(tmp_path, {path: WRONG}, path=path)} == {"N802", "T201"}


def test_own_modules_are_told_from_foreign_ones_in_the_order_of_imports(tmp_path: Path) -> None:
    text = "import os\n\nimport click\n\nfrom pkg import b\n\n__all__ = ['os', 'click', 'b']\n"
    files = {"src/pkg/__init__.py": "", "src/pkg/a.py": text, "src/pkg/b.py": ""}
    assert look(tmp_path, files, path="src/pkg/a.py") == set()
    one_block = {**files, "src/pkg/a.py": text.replace("click\n\nfrom", "click\nfrom")}
    (tmp_path / "second").mkdir()
    assert [each.code for each in look(tmp_path / "second", one_block, path="src/pkg/a.py")] == ["I001"]


def test_the_server_says_what_the_command_says(tmp_path: Path) -> None:
    source = Path(language_servers.__file__).parents[1]
    names = sorted(str(file.relative_to(source)) for file in source.rglob("*.py"))
    mirror = Mirror(tmp_path / "mirror")
    for name in names:
        text = (source / name).read_text(encoding="utf-8")
        mirror.put(name, text, base=text)
    settings = ruff_settings(["ALL"], {"line-length": 100}, python="3.11")

    async def run() -> set[Diagnostic]:
        ruff = Ruff(mirror, settings, folder=tmp_path / "told", search_path="")
        try:
            return {each for name in names for each in await ruff.look(name)}
        finally:
            await ruff.close()

    said = asyncio.run(run())
    argv = [
        language_servers.program("ruff", search_path=""),
        "check",
        "--no-cache",
        "--config",
        tmp_path / "told" / "ruff.toml",
    ]
    out = subprocess.run([*argv, "--output-format", "json", mirror.folder], capture_output=True, check=False).stdout
    rows = {
        Diagnostic(
            str(Path(row["filename"]).relative_to(mirror.folder)),
            row["location"]["row"],
            row["code"],
            row["message"].partition("\n")[0],
        )
        for row in json.loads(out)
        if row["code"] != RUFF_CONTROL
    }
    assert said == rows
    assert len(said) > 1_000


def test_a_configuration_ruff_cannot_read_is_broken(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror")
    mirror.folder.mkdir()
    mirror.put("a.py", WRONG, base=None)

    async def run() -> object:
        ruff = Ruff(mirror, {"lint": {"select": ["N"], "no-such-key": 1}}, folder=tmp_path / "told", search_path="")
        try:
            return await ruff.look("a.py")
        finally:
            await ruff.close()

    with pytest.raises(Broken, match="ruff rejects its configuration"):
        asyncio.run(run())


def test_a_missing_ruff_is_broken_and_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(Broken) as broken:
        language_servers.program("ruff-that-is-not-there", search_path=str(tmp_path))
    assert (broken.value.what, broken.value.do) == (
        "ruff-that-is-not-there is missing",
        "Install it: pip install 'thoughtforge[code]'",
    )


def test_lists_join_tables_merge_and_values_replace() -> None:
    under = {"a": [1, 2], "t": {"x": 1, "y": 1}, "v": 1}
    assert merged(under, {"a": (2, 3), "t": {"y": 2}, "v": 2}) == {"a": [1, 2, 3], "t": {"x": 1, "y": 2}, "v": 2}
