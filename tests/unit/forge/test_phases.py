"""The phases of a change plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.forge.change_spec import change_specs
from thoughtforge.forge.pairing import together
from thoughtforge.forge.phases import decompose, files_of, next_phase, skipped, waiting_for
from thoughtforge.forge.regenerating import regenerate

FILES = ["src/a.py", "tests/test_a.py", "src/b.py", "web/c.ts", "web/c.test.ts", "README.md", "go/d.go"]
manifests = st.lists(st.sampled_from(FILES), unique=True)


def plan(changes: str, manifest: str = "") -> str:
    more = f"\n## Change Manifest\n\n{manifest}\n" if manifest else ""
    return f"# Plan: x\n\n---\n\n## Changes\n\n{changes}\n{more}\n## Risks\n"


def listed(*paths: str) -> str:
    return "\n".join(f"- `{path}` — change it." for path in paths)


def batches(text: str, most: int = 5) -> list[tuple[str, ...]]:
    return [phase.context_files for phase in decompose(text, most) if phase.kind == "implement"]


def test_phases_are_a_chain_and_one_audit_of_everything() -> None:
    phases = decompose(plan(listed("src/a.py", "docs/a.md", "go/x.go")))
    assert [(one.id, one.kind, one.depends_on, one.context_files) for one in phases] == [
        ("phase-1", "implement", (), ("src/a.py",)),
        ("phase-2", "implement", ("phase-1",), ("docs/a.md",)),
        ("phase-3", "implement", ("phase-2",), ("go/x.go",)),
        ("phase-4", "audit", ("phase-1", "phase-2", "phase-3"), ("src/a.py", "docs/a.md", "go/x.go")),
    ]
    assert {one.status for one in phases} == {"pending"}
    assert phases[0].change_spec == "- `src/a.py` — change it."


def test_a_plan_without_files_is_read_implemented_and_audited() -> None:
    phases = decompose(plan("Make it faster."))
    assert [(one.kind, one.depends_on) for one in phases] == [
        ("read", ()),
        ("implement", ("phase-1",)),
        ("audit", ("phase-1", "phase-2")),
    ]
    assert phases[1].change_spec == "Make it faster."


@pytest.mark.parametrize("text", ["", "no plan", "## Changes", "# Plan: x\n---\n"])
def test_no_plan_at_all_gives_the_three_phases_too(text: str) -> None:
    assert [one.kind for one in decompose(text)] == ["read", "implement", "audit"]


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("src/pkg/a.py", "tests/unit/pkg/test_a.py"),
        ("a.py", "a_test.py"),
        ("pkg/__init__.py", "tests/test_pkg.py"),
        ("pkg/deep/mod.py", "tests/test_deep_mod.py"),
        ("web/Button.tsx", "web/Button.test.tsx"),
        ("web/Button.tsx", "web/__tests__/Button.tsx"),
        ("src/a.js", "test/a.spec.mjs"),
        ("src/widgets/index.ts", "src/widgets/index.test.ts"),
        ("internal/http/server.go", "internal/http/server_test.go"),
        ("src/parser.rs", "tests/parser.rs"),
        ("src/parser.rs", "src/parser/tests.rs"),
        ("src/parser/mod.rs", "tests/parser.rs"),
        ("src/main/java/org/x/Foo.java", "src/test/java/org/x/FooTest.java"),
        ("src/main/java/org/x/Foo.java", "src/test/java/org/x/FooIT.java"),
        ("src/main/java/org/x/Foo.java", "src/test/java/org/x/TestFoo.java"),
        ("lib/a.rb", "spec/a_spec.rb"),
    ],
)
def test_a_module_and_its_test_are_one_batch(module: str, test: str) -> None:
    others = [f"other/o{number}.txt" for number in range(4)]
    assert batches(plan(listed(test, *others, module)), 2)[0] == (module, test)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a.py", "tests/test_b.py"),
        ("src/a.py", "tests/a.test.ts"),
        ("a.go", "b_test.go"),
        ("test_a.py", "a_test.py"),
    ],
)
def test_files_that_do_not_belong_together_are_apart(one: str, other: str) -> None:
    assert set(together([one, other])) == {(one,), (other,)}


def test_of_modules_with_the_same_name_the_nearest_is_meant() -> None:
    paths = ["src/x/views.py", "src/y/views.py", "tests/y/test_views.py", "tests/x/test_views.py"]
    assert together(paths) == (
        ("src/x/views.py", "tests/x/test_views.py"),
        ("src/y/views.py", "tests/y/test_views.py"),
    )


def test_a_pair_stays_together_at_the_limit() -> None:
    paths = [f"src/m{number}.py" for number in range(4)] + ["src/z.py", "tests/test_z.py"]
    assert batches(plan(listed(*paths))) == [tuple(paths[:4]), ("src/z.py", "tests/test_z.py")]


def test_a_batch_of_one_still_keeps_a_pair() -> None:
    assert batches(plan(listed("src/a.py", "tests/test_a.py", "src/b.py")), 1) == [
        ("src/a.py", "tests/test_a.py"),
        ("src/b.py",),
    ]


def test_a_module_with_more_tests_than_fit_keeps_the_first_of_them() -> None:
    tests = [f"tests/t{number}/test_a.py" for number in range(7)]
    assert [len(batch) for batch in batches(plan(listed("src/a.py", *tests)))] == [5, 3]


@given(manifests, st.integers(-1, 6))
def test_every_file_is_in_exactly_one_batch(files: list[str], most: int) -> None:
    found = batches(plan(listed(*files)), most)
    assert sorted(path for batch in found for path in batch) == sorted(files) or not files
    assert all(len(batch) <= max(2, most) for batch in found)
    assert decompose(plan(listed(*files)), most) == decompose(plan(listed(*files)), most)


@pytest.mark.parametrize(
    "manifest",
    [
        '```json\n["src/m.py", "src/n.py"]\n```',
        '["src/m.py", "src/n.py"]',
        '```\n{"files": ["src/m.py", "src/n.py"]}\n```',
        '{"version": 1, "change": {"paths": ["src/m.py", "src/n.py"]}}',
        '[{"path": "src/m.py", "action": "create"}, {"file": "src/n.py"}]',
        'The files:\n\n["src/m.py", "src/n.py", "src/m.py"]\n',
        '<!-- such as ["src/old.py"] -->\n["src/m.py", "src/n.py"]',
        '<!--\n["src/old.py"]\n-->\n```json\n["src/m.py", "src/n.py"]\n```',
    ],
)
def test_the_manifest_goes_before_the_changes(manifest: str) -> None:
    found = files_of(plan(listed("src/a.py"), manifest))
    assert found.paths == ("src/m.py", "src/n.py")
    assert found.notices == ()


@pytest.mark.parametrize(
    "manifest",
    [
        "[]",
        "```json\n[\n```",
        '["src/m.py",]',
        "{}",
        '{"a": ["x.py"], "b": ["y.py"]}',
        '["MAX", "console.log"]',
        "none",
        '<!-- ["src/m.py"] -->',
        "[" * 5000,
    ],
)
def test_a_manifest_that_cannot_count_is_noticed(manifest: str) -> None:
    found = files_of(plan(listed("src/a.py"), manifest))
    assert found.paths == ("src/a.py",)
    assert len(found.notices) == 1


def test_what_is_no_file_in_a_manifest_is_noticed() -> None:
    found = files_of(plan("", '["src/m.py", "../x.py", "src/"]'))
    assert found.paths == ("src/m.py",)
    assert found.notices == ("The Change Manifest names what is no file here: ../x.py, src/",)


def test_a_plan_with_too_many_lines_that_name_files_is_noticed() -> None:
    assert files_of(plan("- `a.py`\n" * 15_000)).notices == ()
    assert files_of(plan("- `a.py`\n" * 15_001)).notices == (
        "The plan names files in more than 15,000 lines; only these count. Split it into several plans.",
    )


def test_every_entry_that_is_no_file_is_named_and_why_the_manifest_does_not_count() -> None:
    wrong = [f"src/{name}/" for name in "abcdefgh"]
    told = ", ".join(wrong)
    listed_wrong = ", ".join(f'"{name}"' for name in wrong)
    assert files_of(plan("", f'["src/m.py", {listed_wrong}]')).notices == (
        f"The Change Manifest names what is no file here: {told}",
    )
    assert files_of(plan("", f"[{listed_wrong}]")).notices == (
        f"The Change Manifest names no file ({told}); the files come from Changes.",
    )


def test_the_changes_still_say_what_changes_in_a_file_of_the_manifest() -> None:
    assert decompose(plan(listed("src/a.py"), '["src/a.py"]'))[0].change_spec == "- `src/a.py` — change it."


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("- `a.py` one\n- `b.py` two", "- `a.py` one"),
        ("- `a.py` one\n  more\n\n  and more\n\nprose", "- `a.py` one\n  more\n\n  and more"),
        ("- `a.py` one\ngoes on\n\nprose", "- `a.py` one\ngoes on"),
        (
            "1. `a.py`:\n\n   ```python\n   - `b.py`\n   ```\n2. `c.py`",
            "1. `a.py`:\n\n   ```python\n   - `b.py`\n   ```",
        ),
        ("### `a.py`\n\none\n\n#### More\n\ntwo\n\n### Next\n\nthree", "### `a.py`\n\none\n\n#### More\n\ntwo"),
        ("**`a.py`** one\n\n- two\n\n**`b.py`** three", "**`a.py`** one\n\n- two"),
        ("| file | change |\n|---|---|\n| `a.py` | one |\n| `b.py` | two |", "| `a.py` | one |"),
        ("- `a.py` one\n- `b.py` two\n- `a.py` three", "- `a.py` one\n- `a.py` three"),
        ("### `a.py`\n- in `a.py` change it", "### `a.py`\n- in `a.py` change it"),
        ("- `a.py` → `b.py`: rename", "- `a.py` → `b.py`: rename"),
        ("- `a.py`\n  - `b.py` within", "- `a.py`\n  - `b.py` within"),
        ("- `b.py`", ""),
    ],
)
def test_the_spec_of_a_file_is_the_block_that_names_it(text: str, spec: str) -> None:
    assert change_specs(text).of(["a.py"]) == spec


def test_the_order_is_in_progress_then_failed_then_the_first_that_can_begin() -> None:
    one, two, three, audit = decompose(plan(listed("src/a.py", "docs/a.md", "go/x.go")))
    assert next_phase((one, two, three, audit)) == one
    done = one._replace(status="done")
    assert next_phase((done, two, three, audit)) == two
    failed = three._replace(status="failed")
    assert next_phase((done, two, failed, audit)) == failed
    begun = audit._replace(status="in-progress")
    assert next_phase((done, two, failed, begun)) == begun
    assert skipped((done, two, failed, begun)) == failed
    ended = tuple(each._replace(status="skipped") for each in (one, two, three))
    assert next_phase((*ended, audit)) == audit
    assert next_phase((*ended, audit._replace(status="done"))) is None
    assert waiting_for((done, two, three, audit), audit) == ("phase-2", "phase-3")
    assert skipped((done, two)) is None


def test_a_changed_plan_keeps_what_is_done_and_unchanged() -> None:
    one, two, three, audit = decompose(plan(listed("src/a.py", "docs/a.md", "go/x.go")))
    before = (one._replace(status="done", git_commit="abc1234"), two._replace(status="failed"), three, audit)
    made = regenerate(before, plan(f"{listed('src/a.py', 'docs/a.md')}\n- `new/n.py` too"))
    assert made.kept == ("phase-1",)
    assert made.lost == ("phase-2 (docs/a.md: change it.) was failed and is made anew",)
    assert [(phase.id, phase.status, phase.depends_on, phase.context_files) for phase in made.phases] == [
        ("phase-1", "done", (), ("src/a.py",)),
        ("phase-3", "pending", ("phase-1",), ("docs/a.md",)),
        ("phase-4", "pending", ("phase-3",), ("new/n.py",)),
        ("phase-5", "pending", ("phase-1", "phase-3", "phase-4"), ("src/a.py", "docs/a.md", "new/n.py")),
    ]


@pytest.mark.parametrize(
    "changes", ["- `src/a.py` — change it otherwise.", "- `docs/a.md` — change it."], ids=["other spec", "file gone"]
)
def test_a_done_phase_whose_files_or_spec_changed_is_lost(changes: str) -> None:
    before = [one._replace(status="done", git_commit="abc1234") for one in decompose(plan(listed("src/a.py")))[:1]]
    made = regenerate(before, plan(changes))
    assert made.kept == ()
    assert made.lost == (
        "phase-1 (src/a.py: change it.) was done and is made anew; its commit abc1234 stays on the branch",
    )
    assert made.phases[0].id == "phase-2"


def test_reset_keeps_nothing() -> None:
    before = [one._replace(status="done") for one in decompose(plan(listed("src/a.py")))]
    assert regenerate(before, plan(listed("src/a.py")), reset=True).kept == ()


def test_regenerating_what_never_ran_gives_the_phases_of_the_plan() -> None:
    text = plan(listed("src/a.py", "docs/a.md"))
    assert regenerate(decompose(text), text).phases == decompose(text)


def test_a_plan_with_too_many_files_says_so() -> None:
    found = files_of(plan(listed(*(f"src/m{number}.py" for number in range(1_200)))))
    assert len(found.paths) == 1_000
    assert found.notices == ("The plan names more than 1,000 files; only these count. Split it into several plans.",)


@pytest.mark.parametrize(
    "piece", ["- `src/a.py`\n", "`", "|", "**`a", "## a\n", "```\n", "<!--\n", "### `a.py`\n", "- [", "\n", "a/", "{"]
)
def test_a_megabyte_of_anything_is_decomposed(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert decompose(plan(text, text))[-1].kind == "audit"


def test_a_phase_of_one_file_is_called_what_its_change_is() -> None:
    long = "- `README.md` — Say that such a line ends with the name of the file it is about."
    (phase, _) = decompose(plan(long))
    assert phase.title == "README.md: Say that such a line ends with the name of the…"
    (bare, _) = decompose(plan("- `README.md`"))
    assert bare.title == "Implement README.md"
