"""The project's own files, as the house rules look at them."""

import ast
import gc
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("src",)
ALL_CODE = ("src", "bench", "quality", "tools", "train", "tests")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file: its path from the root, its text and its tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """How many lines the file has."""
        return len(self.text.splitlines())

    def functions(self) -> Iterator[Function]:
        """Every function and method in the file."""
        for node in ast.walk(self.tree):
            if isinstance(node, Function):
                yield node


@cache
def modules(*folders: str) -> tuple[Module, ...]:
    """Every Python file below the folders."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    # Trees are kept: to look through them for garbage again and again takes longer than to make them.
    gc.disable()
    found = tuple(module(path) for path in paths)
    gc.freeze()
    gc.enable()
    return found


@cache
def module(path: Path) -> Module:
    """One Python file."""
    text = path.read_text(encoding="utf-8")
    return Module(str(path.relative_to(ROOT)), text, ast.parse(text, filename=str(path)))


def length(function: Function) -> int:
    """The lines of a function, its signature and docstring included."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that belongs to the project: what git tracks, and what it would track."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listed.stdout.split("\0") if listed.returncode == 0 else unpacked_files()
    return tuple(ROOT / name for name in sorted(names) if name and (ROOT / name).is_file())


def unpacked_files() -> list[str]:
    """The files of a copy that is not under version control."""
    hidden = {".venv", ".git", "__pycache__", "node_modules", "pagemill-data", "bench-out", "dist"}
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return [str(path) for path in found if not hidden & set(path.parts) and "_cache" not in str(path)]
