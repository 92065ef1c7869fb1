"""The gate over a real repository: what is new blocks, what was there does not, what cannot run is broken."""

import asyncio
import os
import sys
from pathlib import Path

from harness import git
from thoughtforge.gate.commands import CommandSandbox
from thoughtforge.gate.files import View
from thoughtforge.gate.run import Gate
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import Mount

PRICE = "src/shop/price.py"
BILL = "src/shop/bill.py"


def found(verdict) -> list[tuple[str, str, int]]:
    return [(each.check, each.path, each.line) for each in verdict.new]


def test_a_clean_edit_passes_and_says_so(shop) -> None:
    shop.append(PRICE, '\n\ndef half(count: int) -> int:\n    """Half the price."""\n    return price(count) // 2\n')
    verdict = shop.judged(lambda gate: gate.edit([PRICE]))
    assert (verdict.passed, verdict.new, verdict.broken) == (True, (), ())
    assert verdict.next_action == "Nothing to fix; continue."
    assert {each.category for each in verdict.outcomes} >= {"syntax", "types", "style", "architecture", "security"}


def test_what_only_new_files_can_break_is_looked_at_when_a_file_is_new_and_at_the_end(shop) -> None:
    shop.append(PRICE, "\n\nHALF = 2\n")
    shop.write("json.py", '"""Ours."""\n')

    async def moments(gate: Gate):
        return await gate.edit([PRICE]), await gate.edit([PRICE, "json.py"]), await gate.stage_end([PRICE])

    old, new, end = [{each.check: each.outcome for each in one.outcomes} for one in shop.judged(moments)]
    assert [one.get("shadowed-modules") for one in (old, new, end)] == [None, "fail", "pass"]


def test_a_syntax_error_ends_the_gate_at_once(shop) -> None:
    shop.append(PRICE, "def broken(:\n    print('x')\n")
    verdict = shop.judged(lambda gate: gate.edit([PRICE]))
    assert [each.check for each in verdict.outcomes] == ["syntax"]
    assert found(verdict) == [("syntax", PRICE, 7)]


def test_a_finding_keeps_its_id_when_the_lines_above_it_move_and_does_not_block(shop) -> None:
    shop.append(PRICE, "\n\ndef Old() -> None:\n    x: int = 'a'\n    print(x)\n")
    shop.commit()
    before = shop.judged(lambda gate: gate.baseline())
    text = (shop.root / PRICE).read_text()
    shop.write(PRICE, text.replace('"""Prices."""\n', '"""Prices."""\n\nimport os\n\nHERE = os.sep\n'))
    verdict = shop.judged(lambda gate: gate.edit([PRICE]))
    assert verdict.passed, verdict.next_action
    assert {each.check for each in verdict.existing} == {
        "types",
        "naming-conventions",
        "no-print-statements",
        "documentation-required",
    }
    assert {each.id for each in verdict.existing} <= {each.id for each in before}


def test_a_second_violation_like_an_old_one_is_new(shop) -> None:
    shop.append(PRICE, "\nprint('x')\n")
    shop.commit()
    shop.append(PRICE, "print('x')\n")
    assert found(shop.judged(lambda gate: gate.edit([PRICE]))) == [("no-print-statements", PRICE, 9)]


def test_a_changed_signature_is_found_in_the_file_that_depends_on_it(shop) -> None:
    text = (shop.root / PRICE).read_text()
    shop.write(PRICE, text.replace("count: int", "count: str").replace("count * 3", "len(count)"))

    async def both(gate: Gate):
        return await gate.edit([PRICE], wide=False), await gate.edit([PRICE]), await gate.stage_end([PRICE])

    alone, wide, end = shop.judged(both)
    assert alone.passed
    assert found(wide) == [("types", BILL, 8)]
    assert found(end) == [("types", BILL, 8)]


def test_an_edit_that_closes_a_circle_of_imports_is_found(shop) -> None:
    shop.append(PRICE, "\n\nfrom shop.bill import bill  # a circle\n\n__all__ = ['bill', 'price']\n")
    checks = {each.check for each in shop.judged(lambda gate: gate.edit([PRICE])).new}
    assert "no-circular-imports" in checks


def test_a_new_suppression_neither_hides_a_finding_nor_goes_unseen(shop) -> None:
    shop.append(PRICE, "\nx: int = 'a'  # type: ignore\nprint(x)  # noqa: T201\n")
    verdict = shop.judged(lambda gate: gate.edit([PRICE]))
    checks = [each.check for each in verdict.new]
    assert {"types", "no-print-statements", "new-suppressions"} <= set(checks)


def test_a_nested_configuration_hides_nothing_and_is_itself_a_finding(shop) -> None:
    planted = shop.write("src/shop/ruff.toml", "lint.select = []\n")
    shop.append(PRICE, "\nprint('x')\n")
    checks = {each.check for each in shop.judged(lambda gate: gate.edit([PRICE, planted])).new}
    assert checks == {"no-print-statements", "tool-configuration"}


def test_a_deleted_file_breaks_those_that_import_it(shop) -> None:
    (shop.root / PRICE).unlink()
    assert ("types", BILL, 3) in found(shop.judged(lambda gate: gate.edit([PRICE])))


def test_a_moved_file_takes_its_old_findings_and_suppressions_along(shop) -> None:
    shop.append(PRICE, "\n\ndef Old() -> None:\n    print('x')\n    print('y')  # noqa\n")
    shop.commit()
    text = (shop.root / PRICE).read_text()

    async def moved(gate: Gate):
        (shop.root / PRICE).unlink()
        first = await gate.edit([PRICE, shop.write("src/shop/cost.py", text)], wide=False)
        shop.write(PRICE, text)
        return first, await gate.edit([PRICE, "src/shop/cost.py"], wide=False)

    after_move, after_copy = shop.judged(moved)
    assert found(after_move) == []
    assert {each.path for each in after_move.existing} == {"src/shop/cost.py"}
    assert {each.path for each in after_copy.new} == {"src/shop/cost.py"}
    assert [each.line for each in after_copy.new if each.check == "no-print-statements"] == [10, 11]


def test_a_missing_tool_is_broken_and_not_passed(shop, tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
sys.executable = {str(tmp_path / "nowhere" / "python")!r}
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from unit.gate import conftest
shop = conftest.Shop(conftest.Path({str(shop.root)!r}), conftest.Path({str(tmp_path / "other")!r}))
verdict = shop.judged(lambda gate: gate.edit(["src/shop/price.py"]), search_path="/nowhere")
print(verdict.passed, sorted(each.check for each in verdict.broken if "ty is missing" in each.broken))
print(next(each.broken for each in verdict.broken if "ruff" in each.broken))
"""
    import subprocess

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines() == [
        "False ['types']",
        "ruff is missing. Install it: pip install 'thoughtforge[code]'",
    ], ended.stderr


def test_the_same_state_is_not_judged_twice(shop) -> None:
    async def thrice(gate: Gate):
        first = await gate.edit([PRICE])
        text = shop.append(PRICE, "\nprint('x')\n")
        second = await gate.edit([text])
        shop.write(PRICE, (shop.root / PRICE).read_text().removesuffix("\nprint('x')\n"))
        return first, second, await gate.edit([PRICE])

    first, second, third = shop.judged(thrice)
    assert [any(each.cached for each in verdict.outcomes) for verdict in (first, second)] == [False, False]
    assert all(each.cached for each in third.outcomes)
    assert [len(verdict.new) for verdict in (first, second, third)] == [0, 1, 0]


def test_the_base_is_measured_once_and_kept_for_later_processes(shop, tmp_path: Path) -> None:
    shop.append(PRICE, "\nprint('x')\n")
    shop.commit()
    kept = tmp_path / "kept"
    first = shop.judged(lambda gate: gate.baseline(), kept=kept)
    (file,) = kept.iterdir()
    file.write_text(file.read_text().replace("no-print-statements", "from-the-file"))
    again = shop.judged(lambda gate: gate.baseline(), kept=kept)
    assert ([each.check for each in first], [each.check for each in again]) == (
        ["no-print-statements"],
        ["from-the-file"],
    )
    shop.append(BILL, "\n")
    shop.commit()
    assert shop.judged(lambda gate: gate.baseline(), kept=kept) == first


def test_the_base_is_measured_anew_when_the_environment_or_a_program_of_a_check_is_another(shop, tmp_path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "own").write_text("#!/bin/sh\necho src/shop/price.py:1: old; exit 1\n")
    (programs / "own").chmod(0o755)
    sandbox = asyncio.run(boxes.find(os.environ["PATH"], allow_weak=True))
    surroundings = CommandSandbox(sandbox, (Mount(programs),), {"PATH": f"{programs}:/usr/bin:/bin"})
    project = {"conformance/own.yaml": "commands:\n  - {name: own, argv: [own], parse: lines}\n"}
    kept = tmp_path / "kept"

    def said(digest: str) -> list[str]:
        more = {"project": project, "surroundings": surroundings, "kept": kept, "environment_digest": digest}
        return [each.message for each in shop.judged(lambda gate: gate.baseline(), **more) if each.check == "own"]

    assert (said("a"), said("a"), len(list(kept.iterdir()))) == (["old"], ["old"], 1)
    assert (said("b"), len(list(kept.iterdir()))) == (["old"], 2)
    (programs / "own").write_text("#!/bin/sh\necho src/shop/price.py:1: newer; exit 1\n")
    assert said("a") == ["newer"]


def test_without_a_base_to_hold_against_everything_counts_but_honesty(shop) -> None:
    shop.append(PRICE, "\nprint('x')  # noqa\n")
    shop.commit()
    shop.write("ruff.toml", "")
    verdict = shop.judged(lambda gate: gate.whole([PRICE, BILL, "ruff.toml"]), against_base=False)
    assert found(verdict) == []
    shop.append(PRICE, "print('y')  # noqa\n")
    verdict = shop.judged(lambda gate: gate.whole([PRICE, BILL]), against_base=False)
    assert found(verdict) == [("no-print-statements", PRICE, 9)]


def test_configuration_comes_from_what_is_handed_in(shop) -> None:
    shop.append(PRICE, "\nprint('x')\n")
    off = {"conformance/own.yaml": "checks: {no-print-statements: false}\n"}
    assert shop.judged(lambda gate: gate.edit([PRICE]), project=off).passed
    worse = {"conformance/own.yaml": "checks: {no-print-statements: {severity: critical}}\n"}
    verdict = shop.judged(lambda gate: gate.edit([PRICE]), project=worse)
    assert [each.severity for each in verdict.new] == ["critical"]


def test_a_check_that_crashes_is_broken(shop) -> None:
    async def with_a_bad_check(gate: Gate):
        class Bad:
            CATEGORY, MOMENT, RUFF, HINT, ENDINGS = "quality", "every_edit", (), "", ()

            async def run(self, context, options):
                raise KeyError("a bug")

        one = gate.checks[-1]
        gate.checks = (one._replace(name="bad", check=Bad(), category="quality"),)
        return await gate.edit([PRICE])

    verdict = shop.judged(with_a_bad_check)
    assert [each.broken for each in verdict.broken] == ["the check itself failed: KeyError: 'a bug'"]
    assert not verdict.passed


def test_a_link_is_never_followed(shop, tmp_path: Path) -> None:
    secret = tmp_path / "outside.py"
    secret.write_text("print('outside')\n")
    (shop.root / "src/shop/link.py").symlink_to(secret)

    async def text(gate: Gate) -> str:
        await gate.edit(["src/shop/link.py"])
        return View(gate.files, (), None).text("src/shop/link.py")

    assert shop.judged(text) == ""


def test_the_warm_tools_end_with_the_gate(shop) -> None:
    async def pids(gate: Gate) -> list[int]:
        await gate.edit([PRICE])
        servers = [gate.files.ruff.server, gate.files.ty.server]
        return [server.child.child.pid for server in servers if server and server.child]

    left = [pid for pid in shop.judged(pids) if Path(f"/proc/{pid}").exists()]
    assert left == []


def test_two_looks_at_once_do_not_disturb_each_other(shop) -> None:
    shop.append(PRICE, "\nprint('x')\n")

    async def both(gate: Gate):
        return await asyncio.gather(gate.edit([PRICE]), gate.edit([BILL]))

    one, other = shop.judged(both)
    assert (len(one.new), len(other.new)) == (1, 0)
    assert git("status", "--porcelain", cwd=shop.root).strip() == f"M {PRICE}"


PARAMETER = (
    '"""Prices."""\n\n\ndef price(count: int, coins: int = 0) -> int:\n'
    '    """What so many cost."""\n    return count * 3 + coins\n'
)
CALLS = (
    '"""Calls."""\n\nfrom shop.price import price\n\noptions: dict[str, str] = {}\nmore: dict[str, int] = {}\n'
    "price(1, **options)\nprice(**more)\n"
)


def test_a_new_finding_stood_where_an_unchanged_file_had_one_of_the_same_rule(shop) -> None:
    shop.write(PRICE, PARAMETER)
    shop.write("tools/check.py", CALLS)
    shop.write("tools/other.py", CALLS)
    shop.commit()
    shop.write(PRICE, PARAMETER.replace("coins: int = 0", "coins: int = 0, whole: bool = False"))
    shop.append("tools/other.py", "\n# touched\n")

    async def stood(gate: Gate):
        verdict = await gate.edit([PRICE, "tools/other.py"])
        return [(one.path, one.line, "`bool`" in one.message, gate.stood(one)) for one in verdict.new]

    assert sorted(shop.judged(stood)) == [
        ("tools/check.py", 7, True, True),
        ("tools/check.py", 8, True, False),
        ("tools/other.py", 7, True, False),
        ("tools/other.py", 8, True, False),
    ]


EXPECTING = """\
\"\"\"Tests.\"\"\"

import unittest

import pytest

from shop.price import price


def test_what_is_no_count_is_refused():
    with pytest.raises(TypeError, match="str"):
        price(
            "three"
        )
    with pytest.raises(ValueError):
        price("four")
    price("five")


class TestPrice(unittest.TestCase):
    def test_two(self):
        with self.assertRaises(TypeError):
            price(1, 2)
"""


def test_a_type_error_where_a_test_expects_one_is_no_finding(shop) -> None:
    shop.write("tests/test_price.py", EXPECTING)
    shop.write("src/shop/try_price.py", EXPECTING)
    paths = ["tests/test_price.py", "src/shop/try_price.py"]
    verdict = shop.judged(lambda gate: gate.edit(paths), is_test=lambda path: path.startswith("tests/"))
    types = [one for one in verdict.new if one.check == "types" and "resolve" not in one.message]
    assert [one.line for one in types if one.path == paths[0]] == [16, 17]
    assert [one.line for one in types if one.path == paths[1]] == [13, 16, 17, 23]
    assert {"pytest.raises(TypeError)" in one.hint for one in types if one.path == paths[0]} == {True}
