"""Whose files these are: the database and the blob store carry the id of the installation that they belong to.

Files that no row names are removed by the sweeper. With the database of another installation all files would look
like that, so a store with another id is refused at the start and never swept.
"""

import logging
import re

from pagemill.adapters.blobs.base import MARK_TEXT, Blobs
from pagemill.db import installation, installation_counts
from pagemill.db.database import Database
from pagemill.errors import OutageError, Refused
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.ids import new_id

log = logging.getLogger("pagemill.installation")

OWNER = re.compile(rb"^Installation: (\S+)$", re.MULTILINE)
KEY = re.compile(rb"^Secret key: (\S+)$", re.MULTILINE)
ADVICE = (
    "Check that PAGEMILL_DATABASE_URL and PAGEMILL_BLOBS_URL (or PAGEMILL_DATA_DIR) name the same installation. "
    "To keep these files with this database, run `pagemill admin adopt`; files that no row names are removed then."
)
OTHER_KEY = (
    "PAGEMILL_SECRET_KEY is not the one that this installation was started with, so passwords of documents could not be "
    "read. All processes need the same one. If it was changed on purpose, run `pagemill admin adopt` with the new one."
)


def claim_files(blobs: Blobs, db: Database, key_name: str | None = None) -> None:
    """Write our id into a store that has none yet, and the name of the key that all processes share.

    Refused if the files in it belong to another installation, or if its processes have another key.
    """
    own = db.write(lambda tx: installation.ensure_id(tx, DEFAULT_TENANT, new_id()))
    if foreign := find_foreign_owner(blobs, db):
        raise Refused(f"{foreign} {ADVICE}")
    former = key_name_of(blobs)
    if None not in (key_name, former) and key_name != former:
        raise Refused(OTHER_KEY)
    write_owner(blobs, own, key_name or former)


def find_foreign_owner(blobs: Blobs, db: Database) -> str | None:
    """A sentence that says whose the stored files are if they are not those of this database, else None."""
    own, owner = db.read(installation.find_id), owner_of(blobs)
    if owner is not None and owner != own:
        return f"The stored files belong to installation {owner}, and the database is of {own or 'none yet'}."
    if owner is None and not blobs.is_empty("documents") and not db.read(installation_counts.has_documents):
        return "There are stored documents, but the database knows of none."
    return None


def adopt_files(blobs: Blobs, db: Database, key_name: str | None = None) -> str | None:
    """Make this database and key the owner of the stored files; the id of the former owner."""
    owner = owner_of(blobs)
    own = db.write(lambda tx: installation.ensure_id(tx, DEFAULT_TENANT, new_id()))
    write_owner(blobs, own, key_name)
    return owner


def owns_files(blobs: Blobs, db: Database) -> bool:
    """Whether the stored files are known to be those of this database."""
    try:
        owner, own = owner_of(blobs), db.read(installation.find_id)
    except (OutageError, Refused) as error:
        log.warning("the owner of the stored files can't be read: %s", error.message)
        return False
    if own is None or owner != own:
        log.error(
            "no file is swept: the stored files belong to installation %s, the database is of %s", owner, own
        )
        return False
    return True


def owner_of(blobs: Blobs) -> str | None:
    """The id of the installation that a store says it belongs to; None if it says nothing."""
    return find_in_mark(blobs, OWNER)


def key_name_of(blobs: Blobs) -> str | None:
    """The name of the key that the processes of the installation share; None if the store says nothing."""
    return find_in_mark(blobs, KEY)


def find_in_mark(blobs: Blobs, line: re.Pattern[bytes]) -> str | None:
    """What a line of the store's mark says."""
    found = line.search(blobs.read_mark() or b"")
    return found[1].decode() if found else None


def write_owner(blobs: Blobs, owner: str, key_name: str | None) -> None:
    """Have a store say whose it is."""
    lines = [f"Installation: {owner}\n", *([f"Secret key: {key_name}\n"] if key_name else [])]
    blobs.write_mark(MARK_TEXT + "".join(lines).encode())
