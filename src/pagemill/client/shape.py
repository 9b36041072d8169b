"""What the shapes of the API share: they are made from the server's JSON."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

TERMINAL = frozenset({"completed", "failed", "cancelled"})
FIELD_TYPES: dict[type, dict[str, Any]] = {}


class ApiShape:
    """A value of the API; fields that this version does not know are left out."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        """The value from the server's JSON."""
        kinds = field_types(cls)
        return cls(
            **{
                one.name: convert(kinds[one.name], facts[one.name])
                for one in fields(cls)
                if one.name in facts
            }
        )


class JobShape(ApiShape):
    """A job, with what follows from its status."""

    __slots__ = ()
    status: str

    @property
    def is_over(self) -> bool:
        """Whether the job has ended, in whatever way."""
        return self.status in TERMINAL


def field_types(shape: type[ApiShape]) -> dict[str, Any]:
    """The types of a shape's fields by name, worked out once."""
    if shape not in FIELD_TYPES:
        FIELD_TYPES[shape] = get_type_hints(shape)
    return FIELD_TYPES[shape]


def convert(kind: Any, value: Any) -> Any:
    """A value of JSON as a value of the type."""
    if value is None:
        return None
    if isinstance(kind, UnionType):
        [kind] = [one for one in get_args(kind) if one is not type(None)]
    if is_dataclass(kind) and isinstance(kind, type) and issubclass(kind, ApiShape):
        return kind.from_json(value)
    if get_origin(kind) is tuple:
        return tuple(convert(get_args(kind)[0], one) for one in value)
    return value
