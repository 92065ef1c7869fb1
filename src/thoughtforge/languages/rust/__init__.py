"""Rust: crates, and the tests that `cargo test` runs."""

from thoughtforge.catalog import Extensions
from thoughtforge.languages.rust.dependencies import DEPENDENCIES
from thoughtforge.testing.language import Language, Tools

LANGUAGE = Language(
    title="Rust",
    endings=(".rs",),
    comments={"//": (".rs",)},
    runners=Extensions("languages.rust.runners"),
    words={"rust": "cargo"},
    shared=("Cargo.toml",),
    folder_stems=("mod",),
    test_names=(
        r"(?:.*/)?(?P<module>[^/]+)_tests?\.rs",
        r"(?:.*/)?test_(?P<module>[^/]+)\.rs",
        r"(?:.*/)?(?P<module>[^/]+)/tests?\.rs",
        r"(?:.*/)?tests/(?:.*/)?(?P<module>[^/]+)\.rs",
    ),
    dependencies=DEPENDENCIES,
    tools=Tools(
        silencing_code={"allow attribute": r"#!?\s*\[\s*(?:allow|expect)\b|#!?\s*\[\s*cfg_attr\([^)]*allow"},
        files=(r"\.?clippy\.toml", r"\.?rustfmt\.toml"),
        folders=(".cargo",),
    ),
)
