"""Python: pytest and unittest, and every proof the engine can make."""

from sys import stdlib_module_names

from thoughtforge.catalog import Extensions
from thoughtforge.languages.python.appending import wrong_addition
from thoughtforge.languages.python.assertions import body
from thoughtforge.languages.python.manifest import DECLARES, MANIFESTS, install, with_lines
from thoughtforge.languages.python.modules import modules
from thoughtforge.languages.python.proofs import PROOFS, reached
from thoughtforge.languages.python.requirements import plain
from thoughtforge.languages.python.suite import finding, imports, module_names
from thoughtforge.languages.python.tools import TOOLS
from thoughtforge.testing.language import Dependencies, Language

LANGUAGE = Language(
    title="Python",
    endings=(".py",),
    comments={"#": (".py", ".pyi", ".pyx")},
    runners=Extensions("languages.python.runners"),
    words={"python": "pytest"},
    shared=("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "requirements.txt"),
    building=tuple(f"tool.{name}" for name in ("setuptools", "setuptools_scm", "hatch", "poetry", "pdm", "flit", "uv")),
    never_written=(
        *("**/sitecustomize.py", "**/usercustomize.py", "**/*.pth"),
        *("**/*.pyc", "**/*.pyo", "**/__pycache__/**"),
    ),
    leaves_behind=("__pycache__/", "*.pyc", "*.egg-info/", ".venv/", "venv/"),
    package_files=("__init__.py",),
    folder_stems=("__init__",),
    test_names=(r"(?:.*/)?test_(?P<module>[^/]+)\.py", r"(?:.*/)?(?P<module>[^/]+)_tests?\.py"),
    fixtures="conftest.py",
    imports=imports,
    module_names=module_names,
    modules=modules,
    test_body=body,
    wrong_addition=wrong_addition,
    dependencies=Dependencies(
        declares=DECLARES,
        install=install,
        plain=plain,
        locks=("poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock"),
        variables=(r"(PIP|UV)_\w+", "REQUESTS_CA_BUNDLE"),
        own_places=(
            *("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_LOG"),
            *("PIP_REQUIRE_VIRTUALENV", "PIP_CACHE_DIR"),
        ),
        reached=reached,
        manifests=MANIFESTS,
        add=with_lines,
        standard=stdlib_module_names,
    ),
    tools=TOOLS,
    proofs=PROOFS,
    script=("python", "-c"),
    import_line="import {}",
    finding=finding,
    lacking=r"No module named '?(?P<name>\w+)",
)
