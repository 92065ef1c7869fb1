"""What is installed for a project whose files an agent wrote: names and versions, of its own language, all named."""

from __future__ import annotations

import pytest

from thoughtforge.testing.language import languages
from thoughtforge.testing.own_setup import named_in, not_installed

PLAIN = {
    "python": {"requirements.txt": "click>=8\n", "pyproject.toml": '[project]\nname = "a"\ndependencies = ["rich"]\n'},
    "javascript": {"package.json": '{"dependencies": {"click": "^8.1"}, "devDependencies": {"rich": "latest"}}'},
    "ruby": {
        "Gemfile": 'source "https://rubygems.org"\n# why\ngem "click", "~> 8"\ngroup :test do\n  gem "rich"\nend\n',
        "Gemfile.lock": "GEM\n  remote: https://rubygems.org/\n  specs:\n    click (8)\n\nDEPENDENCIES\n  click\n",
    },
    "go": {"go.mod": "module a\n\ngo 1.22\n\nrequire (\n\tclick v8.0.0\n\trich v1.0.0 // indirect\n)\n"},
    "rust": {"Cargo.toml": '[dependencies]\nclick = "8"\nrich = { version = "1", features = ["a"] }\n'},
}
STRANGE = [
    ("python", {"requirements.txt": "click @ https://example.org/click.zip\n"}),
    ("python", {"requirements.txt": "https://example.org/click.zip\n"}),
    ("python", {"requirements.txt": "--extra-index-url https://example.org\nclick\n"}),
    ("python", {"requirements.txt": "./vendored\n"}),
    ("python", {"requirements.txt": "-c limits.txt\n", "limits.txt": "click @ https://example.org/click.zip\n"}),
    ("python", {"Pipfile": '[packages]\nclick = {git = "https://example.org/click"}\n'}),
    ("javascript", {"package.json": '{"dependencies": {"click": "npm:evil@1"}}'}),
    ("javascript", {"package.json": '{"dependencies": {"click": "https://example.org/click.tgz"}}'}),
    ("javascript", {"package.json": '{"dependencies": {"click": "someone/click"}}'}),
    ("javascript", {"package.json": '{"dependencies": {"click": 8}}'}),
    ("javascript", {"package.json": '{"dependencies": {"click": "8"}, "overrides": {"click": "npm:evil@1"}}'}),
    ("javascript", {"package.json": "{}", ".npmrc": "registry=https://example.org\n"}),
    ("ruby", {"Gemfile": 'gem "click", git: "https://example.org/click"\n'}),
    ("ruby", {"Gemfile": 'gem "click"; system("id")\n'}),
    ("ruby", {"Gemfile": 'source "https://example.org"\ngem "click"\n'}),
    ("ruby", {"Gemfile": "eval_gemfile 'other'\n"}),
    ("ruby", {"Gemfile": 'gem "click"\n', "Gemfile.lock": "GIT\n  remote: https://example.org/click\n"}),
    ("ruby", {"Gemfile": 'gem "click"\n', "Gemfile.lock": "GEM\n  remote: https://example.org/\n"}),
    ("go", {"go.mod": "module a\nrequire click v8.0.0\nreplace click => example.org/click v1.0.0\n"}),
    ("go", {"go.mod": "module a\ntoolchain go1.99.0\n"}),
    ("rust", {"Cargo.toml": '[dependencies]\nclick = { git = "https://example.org/click" }\n'}),
    ("rust", {"Cargo.toml": '[dependencies]\nclick = "8"\n[patch.crates-io]\nclick = { path = "x" }\n'}),
    ("rust", {"Cargo.toml": "", "Cargo.lock": '[[package]]\nname = "click"\nsource = "git+https://example.org"\n'}),
]


def problems(language: str, files: dict[str, str], *named: str) -> list[str]:
    return not_installed(files, files.__getitem__, language=language, runner="pytest", named=frozenset(named))


@pytest.mark.parametrize("language", [name for name, each in languages().items() if each.dependencies])
def test_every_language_tells_names_from_everything_else(language: str) -> None:
    files = PLAIN[language]
    assert problems(language, files, "click", "rich") == []
    assert problems(language, files, "click") == [
        "the specification does not name rich; do without it, or ask with escalate_question"
    ]


@pytest.mark.parametrize(("language", "files"), STRANGE)
def test_whatever_is_more_than_a_name_and_a_version_is_refused(language: str, files: dict[str, str]) -> None:
    found = problems(language, files, "click", "rich")
    assert found
    assert all("does not name" not in line for line in found)


def test_the_runner_needs_no_mention_and_nothing_declared_is_nothing_refused() -> None:
    assert problems("python", {"requirements.txt": "pytest==8\n"}) == []
    assert problems("python", {"greeter.py": "import click\n"}) == []
    assert problems("cobol", {"requirements.txt": "click\n"}) == []


def test_a_package_is_named_by_dependencies_components_decisions_or_a_person() -> None:
    proposal = {
        "title": "plan",
        "overview": "It uses requests.",
        "language": "Python",
        "dependencies": ["click 8 or newer", "@types/node."],
        "components": [{"name": "Rich_Text", "ecosystem": "pypi", "purpose": "tables"}],
        "decisions": [{"id": "D-1", "title": "Dates", "decision": "python-dateutil", "reason": "arrow is larger"}],
    }
    found = named_in(proposal, ["Take tabulate instead."])
    assert {"python", "click", "@types/node", "rich-text", "python-dateutil", "tabulate"} <= found
    assert not {"title", "plan", "overview", "requests", "arrow", "components"} & found


@pytest.mark.parametrize("language", [name for name, each in languages().items() if each.dependencies])
def test_a_file_that_is_no_text_to_us_is_not_installed_from(language: str) -> None:
    path = next(iter(PLAIN[language]))
    named = frozenset({"click", "rich"})
    found = not_installed([path], {}.__getitem__, language=language, runner="pytest", named=named)
    assert found == [f"{path} cannot be read as text"]
