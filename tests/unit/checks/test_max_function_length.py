"""max-function-length names functions by where they stand."""

from looking import told

NAME = "max-function-length"
BODY = "        x()\n"


def test_a_method_above_the_limit_is_told_by_its_full_name(tmp_path):
    files = {"a.py": f"class A:\n    async def f(self):\n{BODY * 4}\n    def g(self):\n{BODY * 3}"}
    assert told(tmp_path, NAME, files, options={"limit": 4}) == [("a.py", 2, "A.f has 5 lines; the limit is 4")]


def test_a_function_inside_a_branch_counts_and_decorators_do_not(tmp_path):
    files = {"a.py": f"if x:\n    @one\n    @two\n    def f():\n{BODY * 3}", "b.py": f"try:\n    def f():\n{BODY * 4}"}
    files["b.py"] += "finally:\n    pass\n"
    assert told(tmp_path, NAME, files, options={"limit": 4}) == [("b.py", 2, "f has 5 lines; the limit is 4")]
