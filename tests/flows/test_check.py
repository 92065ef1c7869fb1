"""`thoughtforge check` on a repository of its own: exit codes, formats, and whose configuration counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from harness import Done, git, thoughtforge

CLEAN, FINDINGS, USAGE, BROKEN = 0, 1, 2, 5
PRICE = '"""Prices."""\n\n\ndef price(count: int) -> int:\n    """What so many cost."""\n    return count * 3\n'
CONFIG = ".thoughtforge/conformance/own.yaml"


class Shop(NamedTuple):
    """A repository and the person who works in it."""

    root: Path
    person: Path

    def write(self, path: str, text: str) -> None:
        """A file of the working copy."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def commit(self) -> None:
        """Commit everything there is."""
        git("add", "--all", "--force", cwd=self.root)
        git("commit", "-q", "-m", "More", cwd=self.root)

    def check(self, *args: str, cwd: Path | None = None) -> Done:
        """Run the command."""
        return thoughtforge("check", *args, cwd=cwd or self.root, home=self.person)

    def told(self, *args: str) -> dict[str, Any]:
        """What it says as data."""
        return dict(json.loads(self.check("--json", *args).out))


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A small clean repository."""
    made = Shop(tmp_path / "shop", tmp_path / "person")
    made.person.mkdir()
    made.write("src/shop/__init__.py", '"""A shop."""\n')
    made.write("src/shop/price.py", PRICE)
    git("init", "-q", "-b", "main", cwd=made.root)
    made.commit()
    return made


def test_a_clean_repository_ends_with_0(shop: Shop) -> None:
    done = shop.check()
    assert (done.code, done.err) == (CLEAN, "")
    assert done.out.endswith("→ Nothing to fix; continue.\n")


def test_findings_end_with_1_and_name_place_check_and_id(shop: Shop) -> None:
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))\n")
    done = shop.check()
    assert done.code == FINDINGS
    assert done.out.startswith("src/shop/price.py:9: minor: print in library code [no-print-statements T201] V-")


def test_a_finding_is_remembered_for_a_later_command(shop: Shop) -> None:
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))\n")
    (found,) = shop.told()["new"]
    kept = json.loads((shop.root / ".thoughtforge" / "findings.json").read_text())
    assert [each["id"] for each in kept] == [found["id"]]
    assert git("status", "--porcelain", cwd=shop.root).splitlines() == [" M src/shop/price.py", "?? .thoughtforge/"]


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        ("[/no/such/program]", "no-such-program"),
        ("[sh, -c, exit 3]", "exit code 3"),
        ("[sleep, '60']", "stopped by wall"),
    ],
    ids=["missing", "crashing", "hanging"],
)
def test_a_tool_that_is_missing_crashes_or_hangs_ends_with_5(shop: Shop, argv: str, why: str) -> None:
    shop.write(CONFIG, f"commands:\n  - {{name: own, argv: {argv}, wall_seconds: 2}}\n")
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))\n")
    shop.commit()
    said = shop.told()
    assert (said["exit_code"], said["ok"], said["passed"]) == (BROKEN, False, False)
    assert [each["check"] for each in said["broken"]] == ["own"]
    if why != "no-such-program":
        assert why in said["broken"][0]["why"]
    assert [each["check"] for each in said["new"]] == ["no-print-statements"]


def test_a_command_check_reads_what_a_program_of_any_language_found(shop: Shop) -> None:
    shop.write(CONFIG, "commands:\n  - {name: todo, argv: [grep, -nH, TODO, '{files}'], clean: [1], findings: [0],\n")
    with (shop.root / CONFIG).open("a") as config:
        config.write("     parse: lines, endings: [.go], severity: minor}\n")
    shop.write("main.go", "package main\n// TODO: more\n")
    shop.commit()
    said = shop.told()
    assert [(each["check"], each["path"], each["line"], each["severity"]) for each in said["new"]] == [
        ("todo", "main.go", 2, "minor")
    ]


def test_only_what_came_since_a_revision_counts(shop: Shop) -> None:
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))\n")
    shop.commit()
    shop.write("src/shop/price.py", PRICE + "\n\nimport os\n\nprint(price(1))\nprint(os.sep)\n")
    said = shop.told("--new-since", "HEAD")
    assert said["exit_code"] == FINDINGS
    assert {each["line"] for each in said["new"] if each["check"] == "no-print-statements"} == {12}
    assert [each["line"] for each in said["existing"] if each["check"] == "no-print-statements"] == [11]
    assert shop.check("--new-since", "HEAD~1").code == FINDINGS


def test_nothing_new_since_the_newest_commit_is_clean(shop: Shop) -> None:
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))\n")
    shop.commit()
    assert (shop.check().code, shop.check("--new-since", "HEAD").code) == (FINDINGS, CLEAN)


def test_configuration_that_is_not_committed_does_not_count(shop: Shop) -> None:
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))\n")
    shop.write(CONFIG, "checks: {no-print-statements: false}\n")
    done = shop.check()
    assert done.code == FINDINGS
    assert f"! {CONFIG} is ignored as it is here" in done.err
    shop.commit()
    assert shop.check().code == CLEAN
    assert shop.check("--new-since", "HEAD~1").code == FINDINGS


def test_a_silenced_gate_is_told_since_a_revision(shop: Shop) -> None:
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))  # noqa\n")
    shop.write("src/shop/ruff.toml", "lint.select = []\n")
    shop.commit()
    checks = {each["check"] for each in shop.told("--new-since", "HEAD~1")["new"]}
    assert checks == {"no-print-statements", "new-suppressions", "tool-configuration"}


def test_only_the_files_that_were_named_are_judged(shop: Shop) -> None:
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))\n")
    assert shop.check("src/shop/__init__.py").code == CLEAN
    assert shop.check("shop", cwd=shop.root / "src").code == FINDINGS


@pytest.mark.parametrize(
    "args", [("--format", "nonsense"), ("--new-since", "nonsense"), ("nowhere.py",), ("/etc/passwd",)]
)
def test_a_wrong_call_ends_with_2(shop: Shop, args: tuple[str, ...]) -> None:
    assert shop.check(*args).code == USAGE


def test_a_wrong_configuration_ends_with_2_and_lists_everything_wrong(shop: Shop) -> None:
    shop.write(CONFIG, "checks: {no-such-check: true, nor-this: false}\n")
    shop.commit()
    done = shop.check()
    assert done.code == USAGE
    assert "'no-such-check'" in done.err
    assert "'nor-this'" in done.err


def test_a_folder_that_is_no_repository_ends_with_2(tmp_path: Path) -> None:
    assert thoughtforge("check", cwd=tmp_path, home=tmp_path).code == USAGE


def test_every_format_tells_the_same_finding(shop: Shop) -> None:
    shop.write("src/shop/price.py", PRICE + "\n\nprint(price(1))\n")
    (found,) = shop.told()["new"]
    forms = {form: shop.check("--format", form) for form in ("json", "sarif", "junit", "github")}
    assert {done.code for done in forms.values()} == {FINDINGS}
    (result,) = json.loads(forms["sarif"].out)["runs"][0]["results"]
    assert result["partialFingerprints"] == {"thoughtforge/v1": found["id"]}
    (failure,) = ElementTree.fromstring(forms["junit"].out).iter("failure")
    assert found["id"] in str(failure.text)
    assert forms["github"].out.startswith("::warning file=src/shop/price.py,line=9,title=no-print-statements (V-")
    assert json.loads(forms["json"].out)["new"] == [found]
