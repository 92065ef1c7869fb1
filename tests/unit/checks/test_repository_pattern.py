"""repository-pattern keeps access to data in the repositories."""

from looking import outcome, told

NAME = "repository-pattern"


def test_access_elsewhere_is_told_once_a_line(tmp_path):
    files = {"service.py": "def f(db):\n    db.cursor().execute('SELECT 1')\n    return User.objects.get(id=1)\n"}
    assert told(tmp_path, NAME, files) == [
        ("service.py", 2, "data access outside the repositories: db.cursor().execute('SELECT 1')"),
        ("service.py", 3, "data access outside the repositories: User.objects.get(id=1)"),
    ]


def test_access_in_a_repository_and_words_about_it_are_fine(tmp_path):
    files = {
        "shop/repositories/user.py": "db.execute('SELECT 1')\n",
        "a.py": "# db.execute('SELECT 1')\ntext = 'db.execute(1)'\nexecute = 3\n",
    }
    assert told(tmp_path, NAME, files) == []


def test_patterns_and_places_are_the_projects_own(tmp_path):
    options = {"patterns": ["store.fetch($$$)"], "allowed": ["data/**"]}
    files = {"data/a.py": "store.fetch(1)\n", "b.py": "store.fetch(1)\ndb.execute('x')\n"}
    assert [(path, line) for path, line, _ in told(tmp_path, NAME, files, options=options)] == [("b.py", 1)]


def test_a_pattern_that_can_find_nothing_is_broken(tmp_path):
    came = outcome(tmp_path, NAME, {"a.py": "execute\n"}, options={"patterns": ["$X.execute(("]})
    assert "is not Python" in came.broken
