"""Every block of Python in the documentation runs, as a reader would run it.

The blocks of a page share their names and a folder, with the files and commands between them;
what a page shows after a block is what it prints. The commands themselves are held to their
outputs, and pages to having no other blocks, in `crates/cli/tests/command_line/docs`.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch_geometric")
datasets = pytest.importorskip("datasets")

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text("utf-8"))


PAGES = [page for page in sorted(DOCS.rglob("*.md")) if "python" in dict(blocks(page))]


def test_there_are_pages() -> None:
    assert len(PAGES) >= 4


def stand_ins(folder: Path, installed: str) -> Path:
    """Programs that do nothing: all is installed, no browser opens, and nobody serves for ever."""
    nothing = "#!/bin/sh\n"
    salsa = f'{nothing}[ "$1" = serve ] || exec \'{installed}/salsa\' "$@"\n'
    folder.mkdir()
    for name, text in {
        "pip": nothing,
        "cargo": nothing,
        "xdg-open": nothing,
        "salsa": salsa,
    }.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / ".cache")
    installed = str(Path(sys.executable).parent)
    outside = str(stand_ins(tmp_path / ".programs", installed))
    monkeypatch.setenv("PATH", os.pathsep.join([outside, installed, os.environ["PATH"]]))
    for name in ("examples", "runs", "suites"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    # What pickles a function looks for it in its module.
    module = type(sys)("page")
    monkeypatch.setitem(sys.modules, "page", module)
    printed = None
    for language, text in blocks(page):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, str(page), "exec"), module.__dict__)
            printed = out.getvalue()
            continue
        if language == "text" and printed is not None:
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            same = doctest.OutputChecker().check_output(text, printed, flags)
            assert same, f"{page} shows\n{text}\nfound\n{printed}"
        elif language == "toml":
            # A file says its name in its first line.
            (tmp_path / text.split("\n", 1)[0][2:]).write_text(text, "utf-8")
        elif language == "sh":
            subprocess.run(["sh", "-euc", text], check=True, capture_output=True)
        printed = None
