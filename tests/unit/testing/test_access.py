"""What a set-up is told about package indexes, and the files that go with it."""

from __future__ import annotations

from pathlib import Path

from suite_runs import write
from thoughtforge.testing.access import PackageIndex, access


def test_only_what_concerns_packages_is_passed_on(tmp_path: Path) -> None:
    given = {
        "PIP_INDEX_URL": "https://example.org/simple",
        "https_proxy": "http://proxy:1",
        "API_KEY": "x",
        "PATH": "y",
    }
    given |= {"PIP_TARGET": "/elsewhere", "UV_INDEX_URL": "", "HOME": "z"}
    assert access(given, home=tmp_path, system=tmp_path) == PackageIndex(
        {"PIP_INDEX_URL": "https://example.org/simple", "https_proxy": "http://proxy:1"}, ()
    )


def test_files_and_folders_that_settings_name_come_along(tmp_path: Path) -> None:
    write(tmp_path, {"wheels/a.whl": "", "my pypi/simple/x": "", "certificate.pem": ""})
    encoded = str(tmp_path / "my pypi").replace(" ", "%20")
    text = f"[global]\nextra-index-url = file://{encoded}/simple\n    https://example.org/simple\n"
    write(tmp_path, {"home/.config/pip/pip.conf": text, "etc/pip.conf": f"[global]\nfind-links = {tmp_path}/wheels\n"})
    found = access({"PIP_CERT": f"{tmp_path}/certificate.pem"}, home=tmp_path / "home", system=tmp_path / "etc")
    own = tmp_path / "home" / ".config" / "pip" / "pip.conf"
    assert found.env == {"PIP_CERT": f"{tmp_path}/certificate.pem", "PIP_CONFIG_FILE": str(own)}
    assert found.files[:2] == (tmp_path / "etc" / "pip.conf", own)
    named = {tmp_path / "certificate.pem", tmp_path / "wheels", tmp_path / "my pypi"}
    assert named <= set(found.files)
    assert Path("/") not in found.files
