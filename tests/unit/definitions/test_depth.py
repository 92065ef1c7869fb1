"""How deep a run goes: where it begins, what raises it, and what a person's word changes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from thoughtforge.calls.events import DepthSet
from thoughtforge.calls.spending import Depth
from thoughtforge.catalog import Catalog
from thoughtforge.definitions.depth import after_code, after_specification, depth_table, first_depth, larger, sensitive
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Pauses, Pipeline

SPEC: dict[str, Any] = {
    "title": "A gap between rows",
    "requirements": [{"id": "REQ-001", "description": "Rows have a gap.", "acceptance_criteria": ["There is a gap."]}],
    "files_to_modify": ["src/table.py"],
    "files_to_create": ["tests/test_gap.py"],
}
REVIEWERS = {"spec": ("security_architect",)}


def pipeline(name: str = "implement") -> Pipeline:
    return Pipeline.model_validate(yaml.safe_load(Catalog(project={}, user=None).find("pipelines", name).text))


def begun(asked: Any = "auto") -> Depth:
    return Depth(first_depth(asked, pipeline(), Pauses(), None))


def test_a_run_begins_quick_without_the_review_of_the_specification() -> None:
    reason = "nothing measured so far is large or sensitive"
    assert first_depth("auto", pipeline(), Pauses(), None) == DepthSet(
        depth="quick", asked="auto", reason=reason, reviewers={"spec": ()}, left_out=REVIEWERS
    )


@pytest.mark.parametrize(
    ("name", "pauses", "why"),
    [
        ("design", Pauses(), "the pipeline design always goes stage by stage"),
        ("fix", Pauses(), "the pipeline fix always goes stage by stage"),
        ("implement", Pauses(supervised=True), "you want to be asked after each stage"),
        ("implement", Pauses(iterate=True), "you want to be asked after each stage"),
    ],
)
def test_some_runs_are_always_full_and_quick_is_refused_there(name: str, pauses: Pauses, why: str) -> None:
    assert first_depth("auto", pipeline(name), pauses, None) == DepthSet(depth="full", asked="auto", reason=why)
    with pytest.raises(UserError, match=f"this run cannot be quick: {why}"):
        first_depth("quick", pipeline(name), pauses, None)


def test_a_given_specification_is_measured_at_once() -> None:
    many = {**SPEC, "files_to_modify": ["a.py", "b.py", "c.py"]}
    assert first_depth("auto", pipeline(), Pauses(), many).depth == "full"
    assert first_depth("auto", pipeline(), Pauses(), SPEC).depth == "quick"
    assert first_depth("quick", pipeline(), Pauses(), many).depth == "quick"


def test_a_small_specification_changes_nothing_and_a_large_one_raises_the_run_with_its_review() -> None:
    assert after_specification(begun(), SPEC) is None
    many = {**SPEC, "files_to_modify": ["a.py", "b.py", "c.py"]}
    why = "the specification names 4 files, more than 3"
    assert after_specification(begun(), many) == DepthSet(depth="full", reason=why, reviewers=REVIEWERS)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"files_to_modify": ["app/auth/views.py"]}, "auth"),
        ({"files_to_modify": [".github/workflows/ci.yml"]}, ".github"),
        ({"title": "Reset a password"}, "password"),
        ({"requirements": [{"description": "Show the e-mail address."}]}, "e-mail address"),
    ],
)
def test_a_sensitive_area_is_found_in_paths_and_words(change: dict[str, Any], word: str) -> None:
    assert f'("{word}")' in sensitive({**SPEC, **change})


SENSITIVE = [
    # what is asked for, the file, the area that is found
    ("Check the signature of a token before its claims are read", "security/jwt.py", "sign-in"),
    ("Give a colleague admin rights", "src/main/java/AuthService.java", "sign-in"),
    ("Let the helper decide who may enter", "app/UserAuthenticator.kt", "sign-in"),
    ("Let people log in to the site with a code", "web/views.py", "sign-in"),
    ("Refuse a bearer whose claims are old", "web/views.py", "sign-in"),
    ("Rename the field", "src/user_permissions.rs", "sign-in"),
    ("Keep the sessionId in a cookie", "web/views.py", "sign-in"),
    ("Only a superuser sees the button", "web/views.py", "sign-in"),
    ("Compare the hmac with ==", "web/tokens.py", "secrets"),
    ("Read the apiKey from the settings", "client.py", "secrets"),
    ("Call requests.get with verify=False", "client.py", "secrets"),
    ("Accept a webhook without signature verification", "hooks.py", "secrets"),
    ("Store the numbers encrypted", "shelf.py", "secrets"),
    ("Rotate the values", "tools/clientSecrets.py", "secrets"),
    ("Print the customerEmail in the report", "report.py", "personal"),
    ("Export the date of birth", "report.py", "personal"),
    ("Round up what the card number is charged with", "shop.py", "money"),
    ("Change a label", "src/PaymentForm.tsx", "money"),
    ("Send a refund twice when the network fails", "shop.py", "money"),
    ("Run DELETE on rows that are a year old", "rows.py", "deletion"),
    ("Delete a user with everything they wrote", "rows.py", "deletion"),
    ("Call shutil.rmtree on the folder", "rows.py", "deletion"),
    ("Pass the name to cursor.execute", "rows.py", "databases"),
    ("Use db_cursor.executemany with a text", "rows.py", "databases"),
    ("Add a column", "db/migrations/0007_more.py", "databases"),
    ("Alter table users", "rows.py", "databases"),
    ("Start the converter with shell=True", "convert.py", "running"),
    ("Use os.system for the converter", "convert.py", "running"),
    ("Put the name into subprocess.run", "convert.py", "running"),
    ("Avoid XSS in the page", "web/tokens.py", "pages"),
    ("Set innerHTML to the comment", "page.js", "pages"),
    ("Read the file with yaml.load", "web/tokens.py", "deserialisation"),
    ("Keep the cache with pickle.dumps", "cache.py", "deserialisation"),
    ("Read it with an ObjectInputStream", "Cache.java", "deserialisation"),
    ("Let the server listen on 0.0.0.0", "server.py", "network"),
    ("Allow CORS for every origin", "server.py", "network"),
    ("Call os.chmod(path, 0o777)", "files.py", "files"),
    ("Extract the archive with tarfile.extractall", "files.py", "files"),
    ("Run the tests twice", ".github/workflows/test.yml", "delivery"),
    ("Run the tests twice", ".gitlab-ci.yml", "delivery"),
    ("Run the tests twice", "Jenkinsfile", "delivery"),
    ("Let the release workflow publish twice", "notes.py", "delivery"),
    ("Allow guests to read drafts of other members", "app/policies/draft_policy.rb", "sign-in"),
    ("Only the owner may remove a project", "src/project/service.ts", "sign-in"),
    ("Give every user role editor by default", "roles.py", "sign-in"),
    ("Passwort prüfen", "src/pruefung.py", "sign-in"),
    ("Use md5 instead of sha256", "util/sums.js", "secrets"),
    ("InsecureSkipVerify: true for staging", "http/client.go", "sign-in"),
    ("Set verify to false for self-signed hosts", "client.py", "secrets"),
    ("Log the whole request including headers", "middleware/log.js", "personal"),
    ("Store the birthday and the home phone", "members.py", "personal"),
    ("Compute VAT per line instead of per order", "shop/lines.py", "money"),
    ("Charge the customer's card when the trial ends", "src/trial.ts", "money"),
    ("Remove old files in the folder after a week", "src/week.py", "deletion"),
    ("Run the command that was typed with Kernel.system", "lib/run.rb", "running"),
    ("Load the plugin from the path in the settings with dlopen", "src/loading.rs", "running"),
    ("Start the hook script of the folder", "search.py", "running"),
    ("Render the comment as raw HTML", "templates/comment.erb", "pages"),
    ("Add a column", "db/migrate/20240101_add_age.rb", "databases"),
    ("Accept connections from any host", "server.go", "network"),
    ("Make the temp file with a fixed name", "names.py", "files"),
    ("Read the buffer without bounds check", "src/buf.rs", "memory"),
    ("An unsafe block", "src/buf.rs", "memory"),
]


@pytest.mark.parametrize(("asked", "path", "area"), SENSITIVE)
def test_a_sensitive_change_is_found_however_it_is_written(asked: str, path: str, area: str) -> None:
    found = sensitive({**SPEC, "title": asked, "files_to_modify": [path]})
    assert found.startswith(f"the change touches {area}")


EVERYDAY = [
    ("Add a --json flag to the export command", "shop/cli.py"),
    ("Add a table format slack", "tabulate/formats.py"),
    ("Strip trailing zeros in naturalsize", "src/humanize/filesize.py"),
    ("Author names in the tokenizer", "src/authors.py"),
    ("Evaluate the expression once", "src/evaluate.py"),
    ("Count the tokens of a line", "parser/tokens.py"),
    ("Show the signature of a function in its help", "src/help.py"),
    ("Put the minus sign in front of the unit", "src/units.py"),
    ("Write the log in UTC", "src/logs.py"),
    ("Truncate long titles with an ellipsis", "src/titles.py"),
    ("Align numbers at the decimal point", "src/table.py"),
    ("Round half to even in naturaldelta", "src/humanize/time.py"),
    ("Accept pathlib.Path in read_rows", "src/rows.py"),
    ("Add a Spanish translation of ago", "src/humanize/i18n.py"),
    ("Return an empty list instead of None", "src/shelf.py"),
    ("Fix the off-by-one in the page numbers", "src/pages.py"),
    ("Sort the report by name", "src/report.py"),
    ("Cache the width of wide characters", "src/width.py"),
    ("Add a docstring to total", "tally/count.py"),
    ("Support Python 3.14", "pyproject.toml"),
    ("Make the progress bar quieter", "src/progress.py"),
    ("Parse ISO weeks in dates", "src/dates.py"),
    ("Add type hints to intcomma", "src/humanize/number.py"),
    ("Keep the order of keys in the output", "src/output.py"),
    ("Warn when a column has no header", "src/table.py"),
    ("Let maxwidth be a list", "src/table.py"),
    ("Use a hash of the line as its key", "src/lines.py"),
    ("Change the default separator to a tab", "src/separator.py"),
    ("Add a rounded box style", "src/styles.py"),
    ("The widest gap between neighbours", "tally/count.py"),
    ("Inject the clock as an argument, by dependency injection", "src/clock.py"),
    ("Complete file names in the shell", "src/completion.py"),
    ("Split the long function render into three", "src/render.py"),
    ("Show the release date beside the version", "docs/release_notes.md"),
    ("Follow the policy of banker's rounding", "src/rounding.py"),
    ("Parse durations such as 1h30m", "src/dur.rs"),
    ("Binary search instead of a scan", "find.c"),
    ("Print the role of each node in the tree", "tree.py"),
    ("Slugs for titles with umlauts", "slug.rb"),
    ("Make Point comparable", "Point.java"),
    ("Let chunked take a fill value", "boltons/iterutils.py"),
    ("Log how long each step took", "steps.ts"),
    ("Document the environment variables", "README.md"),
    ("Draw the bottom border of the table", "t.go"),
]


@pytest.mark.parametrize(("asked", "path"), EVERYDAY)
def test_an_everyday_change_stays_quick(asked: str, path: str) -> None:
    assert larger({**SPEC, "title": asked, "files_to_modify": [path]}, f"{asked}, please") == ""


NOTHING = (
    "No new dependency, no input or output: the function computes on its arguments alone and opens no attack surface.",
    "No input reaches a shell, file or network, so there is no effect on security.",
    "The function may be given untrusted numbers; no user input is interpreted, and nothing is written to a database.",
    "An attacker gains nothing, and there is no vulnerability to exploit.",
    "It tells gaps. Security: no input, no secrets, no passwords, no network; nothing changes.",
    "No attack surface: the function deletes nothing and opens no port.",
)


@pytest.mark.parametrize("said", NOTHING)
def test_who_says_that_a_design_means_nothing_for_security_stays_quick(said: str) -> None:
    held = {"id": "CON-001", "description": said, "rationale": said}
    assert larger({**SPEC, "description": said, "constraints": [held]}, "A gap, please", [said, None]) == ""


def test_a_denial_counts_where_something_is_wanted() -> None:
    said = "There is no security check before a project is deleted"
    assert "deletion" in sensitive(SPEC, said)
    assert "deletion" in sensitive({**SPEC, "title": said})
    assert "deletion" in sensitive({**SPEC, "requirements": [{"description": said}]})
    held = {"description": "It needs no password. It has no effect on security."}
    assert "sign-in" in sensitive({**SPEC, "constraints": [held]})


def test_what_a_choice_costs_is_no_price() -> None:
    weighed = "The price of the choice is that such calls now raise ValueError; the error is not deleted silently."
    held = {"description": "Rows keep their order.", "rationale": weighed}
    assert sensitive({**SPEC, "description": weighed, "constraints": [held], "trace_to_request": weighed}) == ""
    assert "money" in sensitive({**SPEC, "requirements": [{"description": "The price is shown."}]})
    assert "money" in sensitive(SPEC, "Round the price up")


def test_every_word_of_the_table_is_found() -> None:
    for area in depth_table().sensitive:
        for word in area.words:
            assert sensitive({**SPEC, "title": f"About {word.upper()} here"}), word
        for path in area.paths:
            assert sensitive({**SPEC, "files_to_modify": [f"src/{path}/a.py"]}), path


def test_words_that_only_look_sensitive_are_not() -> None:
    harmless = {
        **SPEC,
        "title": "Author names in the tokenizer",
        "files_to_modify": ["src/authors.py", "src/evaluate.py"],
    }
    assert larger(harmless) == ""
    assert larger({"files_to_modify": "not a list", "requirements": None}) == ""


def test_what_the_person_or_the_risks_say_counts_too() -> None:
    assert "personal data" in sensitive(SPEC, "", ["Never print an email address", None])


def test_who_asked_for_quick_gets_the_review_of_what_is_sensitive_and_stays_quick() -> None:
    found = after_specification(begun("quick"), {**SPEC, "title": "Reset a password"})
    assert found is not None
    assert (found.depth, found.reviewers, found.left_out) == ("quick", REVIEWERS, {})
    assert after_specification(begun("quick"), {**SPEC, "files_to_modify": list("abcdef")}) is None


def test_a_long_change_raises_the_run_and_says_why_the_specification_is_not_reviewed_any_more() -> None:
    most = depth_table().lines
    assert after_code(begun(), most) is None
    assert after_code(begun("quick"), most + 1) is None
    found = after_code(begun(), most + 1)
    assert found is not None
    assert (found.depth, found.reviewers) == ("full", {})
    assert found.reason == (
        "51 lines of the product are changed, more than 50; "
        "the specification is built already, so the review of the whole change looks at both"
    )
    assert after_code(Depth(), 400) is None


@pytest.mark.parametrize("request_", ["Security: activate() takes any name.", "Close a vulnerability in the reader"])
def test_a_request_that_speaks_of_security_begins_full(request_: str) -> None:
    begun = first_depth("auto", pipeline(), Pauses(), None, request=request_)
    assert (begun.depth, begun.reason.partition('"')[0]) == ("full", "the request speaks of ")
    assert first_depth("quick", pipeline(), Pauses(), None, request=request_).depth == "quick"
    assert first_depth("auto", pipeline(), Pauses(), None, request="Add a page. No security impact.").depth == "quick"
