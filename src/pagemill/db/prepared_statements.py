"""Prepared statements: those that every request runs, for which SQLAlchemy's bookkeeping would cost more than the database.

They are written with SQLAlchemy like all others, compiled once per dialect, and then given to the driver as they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson
from sqlalchemy import (
    ARRAY,
    JSON,
    Boolean,
    ColumnElement,
    Connection,
    Dialect,
    Float,
    Insert,
    Select,
    Table,
    Text,
    Update,
    bindparam,
    false,
    func,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine

Row = tuple[Any, ...]
Convert = Callable[[Any], Any] | None


class ListParameter(TypeDecorator[list[str]]):
    """Several words as one value, so that a statement is the same for any number of them."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """An array where there are arrays."""
        return dialect.type_descriptor(ARRAY(Text) if dialect.name == "postgresql" else JSON())


class InList(FunctionElement[bool]):
    """Whether a column holds one of several words."""

    inherit_cache = True
    type = Boolean()


def in_list(column: ColumnElement[str], name: str) -> InList:
    """Whether a column holds one of the words in the list that is given under this name."""
    return InList(column, bindparam(name, type_=ListParameter()))


def is_not_in_list(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """Whether a column is NULL or holds none of the words in the list that is given under this name.

    PostgreSQL plans for a list of ten words that it does not know. Where a column has one value in all rows, it takes
    `NOT IN` for never true and reads the whole table; of what is inside coalesce it guesses one half.
    """
    return ~func.coalesce(in_list(column, name), false())


@compiles(InList, "sqlite")
def in_json(element: InList, compiler: SQLCompiler, **words: Any) -> str:
    """The words of SQLite for it."""
    column, listed = (compiler.process(part, **words) for part in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({listed}))"


@compiles(InList, "postgresql")
def in_array(element: InList, compiler: SQLCompiler, **words: Any) -> str:
    """The words of PostgreSQL for it."""
    column, listed = (compiler.process(part, **words) for part in element.clauses)
    return f"{column} = ANY ({listed})"


@dataclass(frozen=True, slots=True)
class CompiledStatement:
    """A statement in the words of one dialect, with what turns values into those of the driver and back."""

    sql: str
    # The name of each value, what it is for the driver if it is not given, and what turns it into one of the driver.
    binds: tuple[tuple[str, Any, Convert], ...]
    positional: bool
    # Only those few columns of a row whose values must be turned back.
    results: tuple[tuple[int, Callable[[Any], Any]], ...]

    def parameters(self, values: Mapping[str, Any]) -> Any:
        """The values as the driver takes them."""
        given = [
            default if name not in values else values[name] if convert is None else convert(values[name])
            for name, default, convert in self.binds
        ]
        if self.positional:
            return given
        return {name: value for (name, _, _), value in zip(self.binds, given, strict=True)}

    def row(self, row: Row) -> Row:
        """A row of the driver with its values turned back."""
        if not self.results:
            return row
        values = list(row)
        for place, turn_back in self.results:
            values[place] = turn_back(values[place])
        return tuple(values)


class PreparedStatement:
    """A select, an insert of whole rows, or an update with bound values, that is run very often."""

    def __init__(self, statement: "Select[Any] | Insert | Update") -> None:
        self._statement = statement
        self._compiled: dict[str, CompiledStatement] = {}

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

    def run_many(self, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert several rows, or run an update with each; the driver sends them together if it can."""
        compiled = self._for(conn.dialect)
        if len(rows) == 1:
            self._execute(conn, compiled, rows[0])
        elif rows:
            execute(conn, "executemany", compiled.sql, [compiled.parameters(row) for row in rows])

    def _execute(self, conn: Connection, compiled: CompiledStatement, values: Mapping[str, Any]) -> Any:
        return execute(conn, "execute", compiled.sql, compiled.parameters(values))

    def _for(self, dialect: Dialect) -> CompiledStatement:
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = self._compile(dialect)
        return compiled

    def _compile(self, dialect: Dialect) -> CompiledStatement:
        defaults = defaults_of(self._statement)
        made = self._statement.compile(dialect=dialect, column_keys=list(defaults) or None)
        fixed = made.params | defaults
        # Those without a name of their own have got one for this dialect.
        named = {name: bind for bind, name in made.bind_names.items()}
        names = made.positiontup if made.positional else list(named)
        converts = [(name, to_driver(named[name].type, dialect)) for name in names or ()]
        binds = tuple(
            (name, fixed[name] if convert is None else convert(fixed[name]), convert)
            for name, convert in converts
        )
        backs = enumerate(from_driver(column.type, dialect) for column in self._statement.exported_columns)
        results = tuple((place, turn_back) for place, turn_back in backs if turn_back is not None)
        return CompiledStatement(str(made), binds, made.positional, results)


def execute(conn: Connection, verb: str, sql: str, given: Any = ()) -> Any:
    """Have the driver execute a statement, and return its cursor; errors are raised as SQLAlchemy raises them."""
    connection = conn.connection.dbapi_connection
    assert connection is not None, "it is in a transaction"
    # Not that of SQLAlchemy's connection around it, which is made some thirty times for each document.
    cursor = connection.cursor()
    try:
        getattr(cursor, verb)(sql, given)
    except conn.dialect.loaded_dbapi.Error as error:
        raise DBAPIError.instance(
            sql, None, error, conn.dialect.loaded_dbapi.Error, dialect=conn.dialect
        ) from error
    return cursor


def defaults_of(statement: "Select[Any] | Insert | Update") -> dict[str, Any]:
    """The columns that an insert fills, with their defaults; those that the database knows best are left to it."""
    if not isinstance(statement, Insert):
        return {}
    table = cast(Table, statement.table)
    filled = [
        column
        for column in table.columns
        if column is not table.autoincrement_column and not column.info.get("left_to_database")
    ]
    return {column.key: getattr(column.default, "arg", None) for column in filled}


def to_driver(kind: Any, dialect: Dialect) -> Convert:
    """What turns a value into one of the driver; None if it may stay as it is."""
    if dialect.name == "sqlite" and isinstance(kind, JSON):
        return nullable_json_text if kind.none_as_null else json_text
    convert: Convert = kind.dialect_impl(dialect).bind_processor(dialect)
    return convert


def json_text(value: Any) -> str:
    """JSON as SQLite has it; that of SQLAlchemy takes three times as long, some thirty times for each document."""
    return orjson.dumps(value).decode()


def nullable_json_text(value: Any) -> str | None:
    """The same where None is NULL."""
    return None if value is None else orjson.dumps(value).decode()


def json_value(text: str | None) -> Any:
    """What JSON of SQLite says; None of NULL."""
    return None if text is None else orjson.loads(text)


def from_driver(kind: Any, dialect: Dialect) -> Convert:
    """What turns a value of the driver back; None if it may stay as it is."""
    if dialect.name == "sqlite" and isinstance(kind, JSON):
        return json_value
    # Every driver gives numbers with a fraction as they are; without a row, SQLAlchemy can't know that.
    if isinstance(kind, Float):
        return None
    convert: Convert = kind.dialect_impl(dialect).result_processor(dialect, None)
    return convert
