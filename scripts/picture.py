"""Render a Markdown file as a picture, the way a person would see it: python scripts/picture.py PLAN.md PLAN.png

It needs Chromium; nothing else of the project does.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from markdown_it import MarkdownIt

STYLE = """
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #1f2328; max-width: 860px;
  margin: 32px auto; padding: 0 24px }
h1, h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: .25em; line-height: 1.25 }
h1 { font-size: 1.8em } h2 { font-size: 1.35em; margin-top: 1.6em } h3 { font-size: 1.1em }
table { border-collapse: collapse; margin: .8em 0; width: 100% }
th, td { border: 1px solid #d1d9e0; padding: 6px 12px; text-align: left; vertical-align: top }
th { background: #f6f8fa } tr:nth-child(2n) td { background: #fafbfc }
code { background: #eff1f3; border-radius: 4px; padding: .1em .35em; font-size: 88% } pre code { background: none }
pre { background: #f6f8fa; padding: 12px; overflow: auto }
blockquote { color: #59636e; border-left: 4px solid #d1d9e0; margin: 0; padding: 0 1em }
"""
CHROMIUM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDTH = 920


def main(source: Path, target: Path, *, height: int) -> None:
    """Write the picture."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is missing; install it to render pictures")
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(source.read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{body}", encoding="utf-8")
        size = f"--window-size={WIDTH},{height}"
        wanted = [f"--screenshot={target.resolve()}", f"--user-data-dir={folder}/profile", size, page.as_uri()]
        subprocess.run([chromium, *CHROMIUM, *wanted], check=True, capture_output=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), height=int(sys.argv[3]) if len(sys.argv) > 3 else 1600)
