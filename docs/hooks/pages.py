"""What pages are in the repository, made fit for the site.

Links out of `docs/` lead to files that are no pages. The site has a copy of each as text, as
`files/<its path>.txt`, which every browser shows; of a folder its README. Lines of Rust that only
make an example a whole program, hidden in crate documentation (`# `), are left out.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

_LINK = re.compile(r"(?<=\]\()(\.\./[^)#\s]+)(?=[)#])")
_RUST = re.compile(r"^```rust\n.*?^```$", re.M | re.S)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    root = Path(config.config_file_path).parent
    folder = posixpath.dirname(page.file.src_uri)

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", folder, found[1]))
        if target.startswith("docs/"):
            return found[1]
        source = root / target
        source = source / "README.md" if source.is_dir() else source
        if not source.is_file():
            raise PluginError(f"{page.file.src_uri}: {found[1]}: there is no such file")
        copy = f"files/{source.relative_to(root).as_posix()}.txt"
        if files.get_file_from_path(copy) is None:
            files.append(File.generated(config, copy, content=source.read_bytes()))
        return posixpath.relpath(copy, folder or ".")

    shown = _RUST.sub(lambda block: re.sub(r"^# .*\n", "", block[0], flags=re.M), markdown)
    return _LINK.sub(link, shown)
