"""Go: modules, and the tests that `go test` runs."""

from thoughtforge.catalog import Extensions
from thoughtforge.languages.go.dependencies import DEPENDENCIES
from thoughtforge.testing.language import Language, Tools

LANGUAGE = Language(
    title="Go",
    endings=(".go",),
    comments={"//": (".go",)},
    runners=Extensions("languages.go.runners"),
    words={"go": "go"},
    shared=("go.mod",),
    package_files=("*.go",),
    test_names=(r"(?:.*/)?(?P<module>[^/]+)_test\.go",),
    dependencies=DEPENDENCIES,
    tools=Tools(
        silencing={"nolint": r"nolint|nosec|NOSONAR|lint:(?:file-)?ignore|#nosec"},
        files=(r"\.golangci\..*",),
    ),
)
