"""run_command runs what a person allowed and nothing else, on files that are gone afterwards."""

from typing import Any

import pytest

from sessions import in_session
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.tools import run_command


def ran(argv: list[str], **rules: Any) -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        workspace = context.the_session().workspace
        before = await workspace.tree()
        result = await run_command.use({"argv": argv}, context)
        assert (await workspace.tree(), await workspace.matches()) == (before, ())
        return result

    return in_session(act, **{"commands": (("sh", "-c"), ("ls",))} | rules)


def test_output_and_exit_code_are_told():
    assert ran(["sh", "-c", "echo out; echo err >&2; exit 3"]) == ToolResult(
        False,
        "sh -c echo out; echo err >&2; exit 3 ended with 3",
        "sh -c echo out; echo err >&2; exit 3 ended with 3; the files it wrote were discarded\n"
        "stdout:\nout\nstderr:\nerr",
    )


def test_nothing_that_steers_a_terminal_is_told_and_none_is_asked_for():
    written = (
        r"printf '\033[32m.\033[0m\033]0;title\007 \033[1m2 passed\033[0m \033(B\010ok'; echo; echo $TERM $NO_COLOR"
    )
    assert ran(["sh", "-c", written]).output.splitlines()[-2:] == [". 2 passed ok", "dumb 1"]


def test_a_command_may_write_but_nothing_of_it_stays():
    result = ran(["sh", "-c", "echo x > shelf/books.py && echo y > new && cat shelf/books.py new"])
    assert (result.ok, result.output.splitlines()[-2:]) == (True, ["x", "y"])


def test_hidden_files_and_this_machine_are_not_there():
    output = ran(["sh", "-c", "ls -a; cat .env; ls -a ~ /home; env"]).output
    assert "SECRET" not in output
    assert "\n.env\n" not in output
    assert "README.md" in output


def test_there_is_no_network():
    result = ran(["sh", "-c", "cat /proc/net/dev | tail -n +3 | grep -v lo: ; echo done"])
    assert result.output.splitlines()[1:] == ["stdout:", "done"]


def test_a_command_that_takes_too_long_is_ended():
    result = ran(["sh", "-c", "sleep 60"], limits=ResourceLimits(wall_seconds=0.5))
    assert (result.ok, result.summary) == (False, "sh -c sleep 60 was ended by the limit wall_seconds")


def test_nothing_is_allowed_unless_a_person_says_so():
    with pytest.raises(UserError) as caught:
        ran(["ls"], commands=())
    assert caught.value.what == "no command may be run in this repository, so neither may 'ls'"
    assert "commands in config.yaml" in caught.value.do


@pytest.mark.parametrize(
    "argv", [["sh"], ["sh", "-x", "-c", "ls"], ["/bin/ls"], ["./ls"], ["ls "], ["env", "ls"], ["cat", "x"]]
)
def test_what_only_looks_like_an_allowed_command_is_refused_with_what_is_allowed(argv):
    with pytest.raises(UserError) as caught:
        ran(argv)
    assert caught.value.details == ("allowed: sh -c …", "allowed: ls …")


def test_a_program_that_is_not_there_is_an_answer():
    with pytest.raises(UserError, match="could not start in its sandbox"):
        ran(["no-such-program"], commands=(("no-such-program",),))
