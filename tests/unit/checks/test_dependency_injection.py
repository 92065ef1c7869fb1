"""dependency-injection finds services that are made where they are used."""

from looking import told

NAME = "dependency-injection"


def test_a_service_made_in_passing_is_told(tmp_path):
    files = {"a.py": "def f():\n    return mail.MailService()\n", "b.py": "class A:\n    repo = UserRepository()\n"}
    assert told(tmp_path, NAME, files) == [
        ("a.py", 2, "MailService is created where it is used"),
        ("b.py", 2, "UserRepository is created where it is used"),
    ]


def test_being_handed_one_or_naming_it_is_fine(tmp_path):
    files = {
        "a.py": "def f(mail: MailService):\n    return isinstance(mail, MailService)\n",
        "main.py": "mail = MailService()\n",
        "b.py": "text = 'MailService()'\n",
    }
    assert told(tmp_path, NAME, files) == []


def test_classes_and_places_are_the_projects_own(tmp_path):
    options = {"classes": ["Engine"], "allowed": ["wiring/**"]}
    files = {"wiring/all.py": "Engine()\n", "a.py": "Engine()\nMailService()\n"}
    assert told(tmp_path, NAME, files, options=options) == [("a.py", 1, "Engine is created where it is used")]
