"""JavaScript and TypeScript: node's own runner, npm scripts, vitest and jest."""

from thoughtforge.catalog import Extensions
from thoughtforge.languages.javascript.dependencies import DEPENDENCIES, TOOLS
from thoughtforge.testing.language import Language

ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte")
LANGUAGE = Language(
    title="JavaScript",
    endings=ENDINGS,
    comments={"//": ENDINGS},
    runners=Extensions("languages.javascript.runners"),
    words={"javascript": "npm", "typescript": "npm"},
    shared=("package.json",),
    building=("tsconfig*.json", "jsconfig*.json", "vite.config.*", "babel.config.*"),
    never_written=("**/node_modules/**",),
    leaves_behind=("node_modules/",),
    folder_stems=("index",),
    test_names=(
        r"(?:.*/)?(?P<module>[^/]+)[._-](?:test|tests|spec|e2e|cy)\.\w+",
        r"(?:.*/)?(?:__tests__|tests?|spec)/(?:.*/)?(?P<module>[^/.]+)\.\w+",
    ),
    dependencies=DEPENDENCIES,
    tools=TOOLS,
)
