"""Days and times in queries: written as RFC 3339 has them, where pydantic would also take bare numbers."""

from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from pagemill.model.validation_messages import TIME_RULE

ANY_TIME = TypeAdapter(datetime)


def refuse_numbers(value: object) -> object:
    """The value; ValueError if it is a number, which would be taken for seconds since 1970."""
    if isinstance(value, str) and value.strip().lstrip("+-").replace(".", "", 1).isdigit():
        raise ValueError(TIME_RULE)
    return value


def parse_time(value: object) -> object:
    """A text as a time, a day as its first moment, also in bodies, which are validated strictly; ValueError if it is none."""
    try:
        return ANY_TIME.validate_python(value) if isinstance(value, str) else value
    except ValidationError:
        raise ValueError(TIME_RULE) from None


Day = Annotated[date, BeforeValidator(refuse_numbers)]
Moment = Annotated[datetime, BeforeValidator(parse_time), BeforeValidator(refuse_numbers)]


def seconds(moment: datetime | None) -> float | None:
    """A time as seconds since 1970; one without a zone is in UTC."""
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
