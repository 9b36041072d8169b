"""The lines of the audit log: who logged in, and who did what to keys, lanes, workers and stored files."""

from dataclasses import dataclass
from enum import StrEnum

# Who acts where no key was shown: a person with an account on the machine.
COMMAND_LINE = "command line"
AuditFacts = dict[str, "str | int | float | bool | list[str] | None"]


class Action(StrEnum):
    """What administration may do."""

    KEY_ADDED = "key.added"
    KEY_REVOKED = "key.revoked"
    LANE_PAUSED = "lane.paused"
    LANE_RESUMED = "lane.resumed"
    WORKER_DRAINED = "worker.drained"
    WORKER_UNDRAINED = "worker.undrained"
    WORK_REQUEUED = "work.requeued"
    FILES_ADOPTED = "files.adopted"
    BACKUP_MADE = "backup.made"
    STORAGE_REPAIRED = "storage.repaired"
    STORAGE_ENCRYPTED = "storage.encrypted"
    LOGIN_STARTED = "login.started"
    LOGIN_ENDED = "login.ended"
    LOGIN_REFUSED = "login.refused"
    TENANT_CHANGED = "tenant.changed"
    TENANT_DELETED = "tenant.deleted"
    TENANT_EXPORTED = "tenant.exported"


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line: in whose affairs, when, by whom, what, to what."""

    id: int
    tenant: str
    at: float
    actor: str
    action: str
    subject: str
    facts: AuditFacts
