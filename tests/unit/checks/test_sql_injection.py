"""sql-injection finds statements that are put together from pieces of text."""

import pytest

from looking import told

NAME = "sql-injection"


@pytest.mark.parametrize(
    "code",
    [
        "db.execute(f'SELECT * FROM t WHERE id = {x}')",
        "db.execute('SELECT * FROM t WHERE id = %s' % x)",
        "db.execute('SELECT * FROM t WHERE id = ' + x)",
        "db.execute('SELECT * FROM t WHERE id = {}'.format(x))",
        "db.executemany(f'{verb} INTO t VALUES (1)', rows)",
        "session.execute(text(f'anything {x}'))",
        "cursor.executescript(' '.join(parts))",
        "query = f'SELECT a FROM t WHERE b = {x}'",
    ],
)
def test_a_statement_from_pieces_is_told_once(code, tmp_path):
    assert [line for _, line, _ in told(tmp_path, NAME, {"a.py": f"def f(x):\n    {code}\n"})] == [2]


@pytest.mark.parametrize(
    "code",
    [
        "db.execute('SELECT * FROM t WHERE id = ?', (x,))",
        "db.execute('SELECT a ' + 'FROM t')",
        "db.execute(STATEMENT, {'id': x})",
        "db.execute(f'SELECT 1')",
        "pool.execute(task, x)",
        "text = f'pick {x} from the list'",
    ],
)
def test_a_statement_with_parameters_is_fine(code, tmp_path):
    assert told(tmp_path, NAME, {"a.py": f"def f(x):\n    {code}\n"}) == []


def test_calls_of_the_projects_own_count(tmp_path):
    files = {"a.py": "def f(x):\n    run_sql.now(f'anything {x}')\n"}
    assert told(tmp_path / "1", NAME, files) == []
    assert len(told(tmp_path / "2", NAME, files, options={"calls": ["now"]})) == 1
