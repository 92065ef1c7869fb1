"""auth-required wants every endpoint to ask who is there, in the project's own way."""

from looking import outcome, told

NAME = "auth-required"
OPEN = "@app.get('/x')\ndef show():\n    return 1\n"
OPTIONS = {"decorators": ["login_required", "auth.*"], "parameters": ["current_user"]}


def test_an_endpoint_without_protection_is_told_by_name(tmp_path):
    assert told(tmp_path, NAME, {"api.py": OPEN}, options=OPTIONS) == [
        ("api.py", 2, "show is an endpoint (@app.get) and does not authenticate the caller")
    ]


def test_a_decorator_or_a_parameter_or_a_dependency_protects(tmp_path):
    files = {
        "a.py": "@app.get('/x')\n@login_required\ndef show():\n    return 1\n",
        "b.py": "@app.get('/x')\n@auth.needed('admin')\nasync def show():\n    return 1\n",
        "c.py": "@app.get('/x')\ndef show(user=Depends(current_user)):\n    return user\n",
        "d.py": "@app.get('/x')\ndef show(user: Annotated[User, Depends(auth_of.current_user)]):\n    return user\n",
        "e.py": "@app.get('/x', dependencies=[Depends(current_user)])\ndef show():\n    return 1\n",
        "f.py": "@cached\ndef helper():\n    return 1\n",
    }
    assert told(tmp_path, NAME, files, options=OPTIONS) == []


def test_a_public_endpoint_is_named_as_such(tmp_path):
    assert told(tmp_path, NAME, {"api.py": OPEN}, options={**OPTIONS, "public": ["show"]}) == []


def test_without_knowing_what_protects_nobody_can_tell(tmp_path):
    came = outcome(tmp_path, NAME, {"api.py": OPEN})
    assert (came.outcome, came.broken.startswith("the options name no decorator and no parameter")) == ("broken", True)
