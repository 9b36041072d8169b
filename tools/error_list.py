"""The tables of error codes."""

from pagemill import errors
from pagemill.errors import DocumentError, LimitError, OutageError, PagemillError, RequestError

GROUPS: dict[type[PagemillError], str] = {
    RequestError: "Requests",
    DocumentError: "Documents",
    LimitError: "Limits",
    OutageError: "Outages",
}


def markdown() -> str:
    """Every error with its code, its status and what to do, one table for each branch of the tree."""
    groups = [f"## {title}\n\n{table(members(base))}" for base, title in GROUPS.items()]
    return "\n\n".join([*groups, f"## Anything else\n\n{table(others())}"])


def every_error() -> list[type[PagemillError]]:
    """The classes of the tree, in the order of errors.py."""
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    return [value for value in classes if issubclass(value, PagemillError)]


def members(base: type[PagemillError]) -> list[type[PagemillError]]:
    """The errors of one branch, the branch's own first."""
    return [error for error in every_error() if issubclass(error, base)]


def others() -> list[type[PagemillError]]:
    """The errors that belong to no branch; of those with the same code, the last."""
    outside = [error for error in every_error() if not issubclass(error, tuple(GROUPS))]
    return list({error.code: error for error in outside}.values())


def table(listed: list[type[PagemillError]]) -> str:
    """The errors as rows."""
    head = ["| Code | Status | Try again? | What happened, and what to do |", "|---|---|---|---|"]
    return "\n".join(head + [row(error) for error in listed])


def row(error: type[PagemillError]) -> str:
    """One error."""
    again = "yes" if error.retryable else "no"
    return f'| <a id="{error.code}"></a>`{error.code}` | {error.status} | {again} | {error.advice()} |'
