"""LibreOffice, where it is installed: makes a PDF of an office document, in a sandbox and with a profile of its own.

How it ended says little: it ends with 0 without having made a file, and with 81 to be started again after it has set up
a new profile. Only the file shows it.
"""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Event

from pagemill.model.ids import new_id
from pagemill.press.program import SystemProgram, run_program
from pagemill.press.sandbox import SandboxMode

NAMES = ("soffice", "libreoffice")
PROGRAM = "soffice.bin"
STARTED_AGAIN = 81
TRIES = 3
PDF_MARK = b"%PDF-"
FONT_CACHE = "/var/cache/fontconfig"
VERSION_FILE, VERSION = "bootstraprc", re.compile(r"ProductKey=LibreOffice\s+(\S+)")
WRITER, IMPRESS, CALC = "writer_pdf_Export", "impress_pdf_Export", "calc_pdf_Export"
# By the ending of a stored document. What a package or a compound file holds is found out by LibreOffice.
FILTERS: Mapping[str, str] = {
    ".docx": WRITER,
    ".odt": WRITER,
    ".rtf": WRITER,
    ".doc": WRITER,
    ".pptx": IMPRESS,
    ".odp": IMPRESS,
    ".ppt": IMPRESS,
    ".xlsx": CALC,
    ".ods": CALC,
    ".xls": CALC,
    ".ooxml": "",
    ".ole": "",
}
# A page for every sheet and for every slide, as they are read.
WORDS: Mapping[str, str] = {
    IMPRESS: '{"ExportHiddenSlides":{"type":"boolean","value":"true"}}',
    CALC: '{"SinglePageSheets":{"type":"boolean","value":"true"}}',
}
# No macro is run, and nothing that a document refers to is looked for.
SAFE_VALUES = (
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Writer/Content/Update", "Link", "0"),
    ("Calc/Content/Update", "Link", "2"),
)
VALUE = '<item oor:path="/org.openoffice.Office.{0}"><prop oor:name="{1}" oor:op="fuse"><value>{2}</value></prop></item>'
PROFILE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    f"{''.join(VALUE.format(*one) for one in SAFE_VALUES)}</oor:items>\n"
)


class NotRendered(Exception):
    """LibreOffice made no PDF of a document."""


@dataclass(frozen=True)
class LibreOffice:
    """An installation of LibreOffice, what it may take for one document, and the folder that it works in.

    A killed process leaves a copy of the document in that folder, so it has to be one that the next start clears; without
    one it is that of the system.
    """

    program: Path
    sandbox: SandboxMode
    memory_bytes: int
    seconds: float
    workspace: Path | None = None

    @cached_property
    def version(self) -> str:
        """Its version, as the file beside it says."""
        try:
            found = VERSION.search((self.program.parent / VERSION_FILE).read_text("utf-8", "replace"))
        except OSError:
            found = None
        return found[1] if found else "unknown"

    @cached_property
    def _installation(self) -> tuple[str, ...]:
        """The files of the installation, those among them that are links to other folders followed."""
        root = self.program.parent.parent
        links = (
            Path(folder, name)
            for folder, folders, files in os.walk(root)
            for name in (*folders, *files)
            if os.path.islink(os.path.join(folder, name))
        )
        return (str(root), FONT_CACHE, *dict.fromkeys(str(link.resolve()) for link in links))

    def render(self, document: Path, to: Path, stop: Event) -> None:
        """Make a PDF of a document; NotRendered says why there is none.

        Raises SandboxMissing if it can't be confined on this machine.
        """
        with tempfile.TemporaryDirectory(prefix="render-", dir=self.workspace) as name:
            folder = Path(name).resolve()
            source = folder / f"document{document.suffix}"
            shutil.copyfile(document, source)
            user = folder / "profile" / "user"
            user.mkdir(parents=True)
            (user / "registrymodifications.xcu").write_text(PROFILE)
            self._run(self._call(source), stop)
            self._take(folder / "document.pdf", to)

    def _run(self, call: SystemProgram, stop: Event) -> None:
        deadline = time.monotonic() + self.seconds
        for _ in range(TRIES):
            left = max(deadline - time.monotonic(), 0.0)
            code = run_program(replace(call, seconds=left), self.sandbox, stop)
            if code is None:
                raise NotRendered("stopped" if stop.is_set() else f"took longer than {self.seconds:g} s")
            if code != STARTED_AGAIN:
                return

    def _take(self, made: Path, to: Path) -> None:
        with made.open("rb") if made.is_file() and not made.is_symlink() else open(os.devnull, "rb") as file:
            if file.read(len(PDF_MARK)) != PDF_MARK:
                raise NotRendered("no PDF was made")
        part = to.with_name(f"{to.name}.{new_id()}.part")
        shutil.copyfile(made, part)
        part.replace(to)

    def _call(self, source: Path) -> SystemProgram:
        folder = source.parent
        kind = FILTERS.get(source.suffix, "")
        target = ":".join(word for word in ("pdf", kind, WORDS.get(kind, "")) if word)
        return SystemProgram(
            command=(
                str(self.program),
                *("--headless", "--norestore", "--nologo", "--nolockcheck", "--nodefault"),
                f"-env:UserInstallation={(folder / 'profile').as_uri()}",
                *("--convert-to", target, "--outdir", str(folder), str(source)),
            ),
            folder=folder,
            readable=self._installation,
            environment={
                "PATH": "/usr/bin:/bin",
                "HOME": str(folder),
                "TMPDIR": str(folder),
                "LANG": "C.UTF-8",
                "SAL_USE_VCLPLUGIN": "svp",
            },
            memory_bytes=self.memory_bytes,
            seconds=self.seconds,
        )


def find_libreoffice(configured: str) -> Path | None:
    """The program of an installation: that of the path that is configured, else of the one on the PATH."""
    names = (configured,) if configured else NAMES
    for found in filter(None, map(shutil.which, names)):
        program = Path(found).resolve().parent / PROGRAM
        if program.is_file():
            return program
    return None


def can_be_rendered(name: str) -> bool:
    """Whether a stored document is of a kind that LibreOffice shows on pages."""
    return os.path.splitext(name)[1] in FILTERS
