"""Whether uv may install, by how pip is set up here."""

from __future__ import annotations

from thoughtforge.languages.python.proofs import only_pip


def test_uv_is_left_alone_where_only_pip_is_set_up() -> None:
    assert only_pip({"PIP_INDEX_URL": "x"})
    assert not only_pip({"PIP_INDEX_URL": "x", "UV_INDEX_URL": "y"})
    assert not only_pip({"HTTPS_PROXY": "x"})
