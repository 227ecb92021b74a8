"""Every block of Python in the guide runs, from the first to the last, as a reader would."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("torch")

GUIDE = Path(__file__).parents[2] / "docs" / "guide"


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.stem)
def test_the_guide_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"^```(python|toml)\n(.*?)^```$", page.read_text(), re.M | re.S)
    assert blocks
    for language, block in blocks:
        if language == "toml":
            # A file says its name in its first line.
            (tmp_path / block.split()[1]).write_text(block)
        else:
            exec(compile(block, str(page), "exec"), names)
