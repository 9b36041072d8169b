"""Functions and files stay short, so that a reader sees each of them whole."""

from statistics import median

from tests.house.source import ALL_CODE, SHIPPED, length, modules

LONGEST_FUNCTION = 50
LONGEST_FILE = 400

# path -> why it may be longer
LONG_FILES: dict[str, str] = {
    "src/pagemill/errors.py": "one tree of errors in one place, a few lines for each",
    "src/pagemill/settings.py": "every setting in one place, a few lines for each",
}
# start of the path -> why its functions may be longer
LONG_FUNCTIONS = {
    "src/pagemill/db/migrations/versions/": "a migration is a list of tables, written once",
    "src/pagemill/entrypoints/cli/remote/commands.py": "a command is the list of its options",
}


def sizes(*folders: str) -> list[int]:
    """The lengths of all functions, shortest first."""
    return sorted(length(function) for module in modules(*folders) for function in module.functions())


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{module.path}:{function.lineno} {function.name} has {length(function)} lines"
        for module in modules(*ALL_CODE)
        for function in module.functions()
        if length(function) > LONGEST_FUNCTION and not module.path.startswith(tuple(LONG_FUNCTIONS))
    ]
    assert not long, "\n".join(long)


def test_most_functions_are_a_few_lines_long() -> None:
    lengths = sizes(*SHIPPED)
    assert median(lengths) <= 9
    assert lengths[int(len(lengths) * 0.9)] <= 30


def test_no_file_is_longer_than_it_has_a_reason_for() -> None:
    long = [
        f"{module.path} has {module.lines} lines"
        for module in modules(*ALL_CODE)
        if module.lines > LONGEST_FILE and module.path not in LONG_FILES
    ]
    assert not long, "\n".join(long)


def test_every_reason_for_a_long_file_is_still_needed() -> None:
    long = {module.path for module in modules(*ALL_CODE) if module.lines > LONGEST_FILE}
    assert set(LONG_FILES) <= long
