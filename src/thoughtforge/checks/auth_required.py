"""Every endpoint asks who is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Broken, Category, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "security"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = "Every function that is an endpoint has a decorator or a parameter that checks who calls."
HINT = "Add the project's decorator or dependency for it, or name the endpoint as public in the configuration."
ACTIVE = False
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)

DECORATOR = re.compile(r"^\s*@\s*([\w. \t]+)", re.MULTILINE)


class Options(Value):
    """How endpoints and their protection look in this project."""

    endpoints: tuple[str, ...] = (
        *("*.route", "*.get", "*.post", "*.put", "*.patch", "*.delete"),
        *("*.websocket", "*.api_route", "api_view"),
    )
    """Decorators that make a function an endpoint, as dotted names or patterns such as `app.get` or `*.route`."""
    decorators: tuple[str, ...] = ()
    """Decorators that check who calls, such as `login_required` or `auth.*`."""
    parameters: tuple[str, ...] = ()
    """Names in a parameter's default or annotation that check who calls, such as `current_user`."""
    public: tuple[str, ...] = ()
    """Names of endpoints that are open to everyone on purpose."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every endpoint without protection."""
    if not options.decorators and not options.parameters:
        do = "Name the decorators or parameters that check who calls: auth-required, options."
        raise Broken("nothing is given that protects an endpoint", do=do)
    paths = [path for path in scene.paths if path.endswith(ENDINGS)]
    return [found for path in paths for found in _open(scene, path, options)]


def _open(scene: Scene, path: str, options: Options) -> Iterator[Found]:
    worn = DECORATOR.findall(scene.text(path))
    # the tree is only walked where it can be worth it
    module = scene.module(path) if any(_fits("".join(name.split()), options.endpoints) for name in worn) else None
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
            names = [_dotted(decorator) for decorator in node.decorator_list]
            endpoint = [name for name in names if _fits(name, options.endpoints)]
            if endpoint and not _fits(node.name, options.public) and not _protected(node, names, options):
                message = f"{node.name} is an endpoint (@{endpoint[0]}) and does not check who calls"
                yield Found(path, node.lineno, message, anchor=node.name)


def _protected(node: ast.FunctionDef | ast.AsyncFunctionDef, names: list[str], options: Options) -> bool:
    if any(_fits(name, options.decorators) for name in names):
        return True
    asked = [*node.args.defaults, *node.args.kw_defaults, *(each.annotation for each in _parameters(node.args))]
    named = {name for part in (*asked, *_dependencies(node)) if part is not None for name in _names(part)}
    return any(_fits(name, options.parameters) for name in named)


def _dependencies(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """What the decorators themselves are given, such as `dependencies=[Depends(current_user)]`."""
    calls = [decorator for decorator in node.decorator_list if isinstance(decorator, ast.Call)]
    return [keyword.value for call in calls for keyword in call.keywords]


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _names(node: ast.expr) -> Iterator[str]:
    """Every name in an expression, alone and with what stands before it."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute):
            dotted = _dotted(part)
            yield dotted
            yield dotted.rpartition(".")[2]


def _dotted(node: ast.expr) -> str:
    """A decorator's name without what it is called with."""
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
