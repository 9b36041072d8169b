"""What pydantic says of a wrong value, as callers and operators read it."""


def reason_of(message: str) -> str:
    """A message without the kind of exception that a validator of ours raised."""
    return message.removeprefix("Value error, ")
