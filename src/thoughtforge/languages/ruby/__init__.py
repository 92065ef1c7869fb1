"""Ruby: minitest and RSpec, gems by bundler."""

from thoughtforge.catalog import Extensions
from thoughtforge.languages.ruby.dependencies import DEPENDENCIES
from thoughtforge.languages.ruby.naming import body
from thoughtforge.testing.language import Language, Proofs, Tools

SPOILED = 'raise LoadError, "{}"\n'
LANGUAGE = Language(
    title="Ruby",
    endings=(".rb", ".rake"),
    comments={"#": (".rb", ".rake", ".gemspec")},
    runners=Extensions("languages.ruby.runners"),
    words={"ruby": "minitest"},
    shared=("Gemfile", "Gemfile.lock", ".ruby-version"),
    never_written=("**/.bundle/**", "**/vendor/bundle/**"),
    test_names=(r"(?:.*/)?test_(?P<module>[^/]+)\.rb", r"(?:.*/)?(?P<module>[^/]+)_(?:test|spec)\.rb"),
    test_body=body,
    dependencies=DEPENDENCIES,
    tools=Tools(
        silencing={
            "rubocop:disable": r"rubocop\s*:\s*(?:disable|todo)",
            "nocov": r":nocov:",
            "steep:ignore": r"steep\s*:\s*ignore|typed\s*:\s*ignore",
        },
        files=(
            r"\.rubocop.*\.yml",
            r"\.standard\.yml",
            r"\.rspec",
            r"\.simplecov",
            r"\.?reek\.yml",
            r"\.pryrc",
            r"\.irbrc",
        ),
        folders=(".bundle", "sorbet"),
    ),
    proofs=Proofs(spoiled=SPOILED.format),
)
