"""Quick sentences: those that every request runs, for which SQLAlchemy's bookkeeping would cost more than the database.

They are written with SQLAlchemy like all others, compiled once per dialect, and then given to the driver as they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Dialect, Insert, Select, Table, Update
from sqlalchemy.exc import DBAPIError

Row = tuple[Any, ...]
Convert = Callable[[Any], Any] | None


@dataclass(frozen=True, slots=True)
class Compiled:
    """A sentence in the words of one dialect, with what turns values into those of the driver and back."""

    sql: str
    binds: tuple[tuple[str, Any, Convert], ...]
    positional: bool
    results: tuple[Convert, ...]

    def row(self, row: Row) -> Row:
        """A row of the driver with its values turned back."""
        return tuple(
            value if back is None else back(value) for value, back in zip(row, self.results, strict=True)
        )


class Quick:
    """A select, an insert of whole rows, or an update with bound values, that is run very often."""

    def __init__(self, sentence: "Select[Any] | Insert | Update") -> None:
        self._sentence = sentence
        self._compiled: dict[str, Compiled] = {}

    def one(self, conn: Connection, values: Mapping[str, Any]) -> Row | None:
        """The first row of a select, or of what an update returns."""
        compiled = self._for(conn.dialect)
        row = self._execute(conn, compiled, values).fetchone()
        return None if row is None else compiled.row(row)

    def all(self, conn: Connection, values: Mapping[str, Any]) -> list[Row]:
        """The rows of a select."""
        compiled = self._for(conn.dialect)
        return [compiled.row(row) for row in self._execute(conn, compiled, values).fetchall()]

    def run(self, conn: Connection, values: Mapping[str, Any]) -> int:
        """Insert one row, or update; how many rows were changed."""
        changed: int = self._execute(conn, self._for(conn.dialect), values).rowcount
        return changed

    def _execute(self, conn: Connection, compiled: Compiled, values: Mapping[str, Any]) -> Any:
        given = [
            (values.get(name, fixed) if into is None else into(values.get(name, fixed)))
            for name, fixed, into in compiled.binds
        ]
        names = (name for name, _, _ in compiled.binds)
        cursor = conn.connection.cursor()
        try:
            cursor.execute(
                compiled.sql, given if compiled.positional else dict(zip(names, given, strict=True))
            )
        except conn.dialect.loaded_dbapi.Error as error:
            raise DBAPIError.instance(
                compiled.sql, None, error, conn.dialect.loaded_dbapi.Error, dialect=conn.dialect
            ) from error
        return cursor

    def _for(self, dialect: Dialect) -> Compiled:
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = self._compile(dialect)
        return compiled

    def _compile(self, dialect: Dialect) -> Compiled:
        defaults = defaults_of(self._sentence)
        made = self._sentence.compile(dialect=dialect, column_keys=list(defaults) or None)
        fixed = made.params | defaults
        names = made.positiontup if made.positional else list(made.binds)
        binds = tuple((name, fixed[name], into(made.binds[name].type, dialect)) for name in names or ())
        results = tuple(back(column.type, dialect) for column in self._sentence.exported_columns)
        return Compiled(str(made), binds, made.positional, results)


def defaults_of(sentence: "Select[Any] | Insert | Update") -> dict[str, Any]:
    """The columns that an insert fills, with their defaults; those that the database counts up are left to it."""
    if not isinstance(sentence, Insert):
        return {}
    table = cast(Table, sentence.table)
    filled = [column for column in table.columns if column is not table.autoincrement_column]
    return {column.key: getattr(column.default, "arg", None) for column in filled}


def into(kind: Any, dialect: Dialect) -> Convert:
    """What turns a value into one of the driver; None if it may stay as it is."""
    convert: Convert = kind.dialect_impl(dialect).bind_processor(dialect)
    return convert


def back(kind: Any, dialect: Dialect) -> Convert:
    """What turns a value of the driver back; None if it may stay as it is."""
    convert: Convert = kind.dialect_impl(dialect).result_processor(dialect, None)
    return convert
