"""The body of a commit quotes what it quotes."""

from thoughtforge.coding.artifacts import wrapped


def test_several_blanks_in_a_criterion_stay_and_no_line_is_broken_inside_them() -> None:
    quoted = 'tabulate([["one", "two"], ["three", "four"]], colalign=("right",)) returns'
    told = wrapped([f'- {quoted} "  one  two\\nthree  four"'])
    assert told == f'- {quoted.removesuffix(" returns")}\nreturns "  one  two\\nthree  four"'
    assert wrapped(["One\n  line.", "- a point"]) == "One line.\n\n- a point"
