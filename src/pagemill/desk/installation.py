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
ADVICE = (
    "Check that PAGEMILL_DATABASE_URL and PAGEMILL_BLOBS_URL (or PAGEMILL_DATA_DIR) name the same installation. "
    "To keep these files with this database, run `pagemill admin adopt`; files that no row names are removed then."
)


def claim_files(blobs: Blobs, db: Database) -> None:
    """Write our id into a store that has none yet; Refused if the files in it belong to another installation."""
    own = db.write(lambda tx: installation.ensure_id(tx, DEFAULT_TENANT, new_id()))
    if foreign := find_foreign_owner(blobs, db):
        raise Refused(f"{foreign} {ADVICE}")
    write_owner(blobs, own)


def find_foreign_owner(blobs: Blobs, db: Database) -> str | None:
    """A sentence that says whose the stored files are if they are not those of this database, else None."""
    own, owner = db.read(installation.find_id), owner_of(blobs)
    if owner is not None and owner != own:
        return f"The stored files belong to installation {owner}, and the database is of {own or 'none yet'}."
    if owner is None and not blobs.is_empty("documents") and not db.read(installation_counts.has_documents):
        return "There are stored documents, but the database knows of none."
    return None


def adopt_files(blobs: Blobs, db: Database) -> str | None:
    """Make the stored files those of this database, whosever they were; the id of the former owner."""
    owner = owner_of(blobs)
    write_owner(blobs, db.write(lambda tx: installation.ensure_id(tx, DEFAULT_TENANT, new_id())))
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
    found = OWNER.search(blobs.read_mark() or b"")
    return found[1].decode() if found else None


def write_owner(blobs: Blobs, owner: str) -> None:
    """Have a store say whose it is."""
    blobs.write_mark(MARK_TEXT + f"Installation: {owner}\n".encode())
