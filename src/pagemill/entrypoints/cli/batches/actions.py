"""What the commands of batches do."""

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import typer

from pagemill.client import Client, Options
from pagemill.client.batches import BatchState
from pagemill.client.uploads import json_options
from pagemill.entrypoints.cli.remote.actions import ServerOptions, connect
from pagemill.entrypoints.cli.remote.inputs import expand_inputs, read_json
from pagemill.entrypoints.output.live_line import LiveLine
from pagemill.entrypoints.output.terminal import (
    EXIT_FAILED,
    answer,
    answer_json,
    format_count,
    ignore_closed_reader,
    printable_path,
    say,
    say_skipped,
    table,
)

ARCHIVE_ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz")


def read_each(file: Path | None) -> dict[str, Options]:
    """The options of single documents, from a file; what they may be is left to the server but for their names."""
    if file is None:
        return {}
    try:
        return {key: options_from(one) for key, one in read_json(file).items()}
    except (TypeError, AttributeError) as error:
        raise typer.BadParameter(f"{file}: {error}.", param_hint="--items") from error


def options_from(chosen: dict[str, Any]) -> Options:
    """Options in the words of the API."""
    renamed = {"expires_in": "expires_in_seconds"}
    values: dict[str, Any] = {
        renamed.get(name, name): tuple(value) if isinstance(value, list) else value
        for name, value in chosen.items()
    }
    return Options(**values)


def submit(
    hand: ServerOptions,
    documents: Sequence[str],
    options: Options,
    each: Mapping[str, Options],
    name: str,
    *,
    wait: bool,
) -> int:
    """Hand in a batch; 1 if an item was refused or, after the wait, failed."""
    found = expand_inputs(documents, say_skipped)
    if not found:
        raise typer.BadParameter("There is no document in it.", param_hint="FILE|FOLDER|URL")
    with connect(hand) as client:
        batch = send(client, found, options, each, name)
        if not hand.as_json:
            answer(batch["id"])
        if wait:
            batch = follow(client, batch["id"])
    return show(hand, batch)


def send(
    client: Client,
    documents: Sequence[str | Path],
    options: Options,
    each: Mapping[str, Options],
    name: str,
) -> BatchState:
    """Hand in files, URLs, or the one archive that was named."""
    files = [one for one in documents if isinstance(one, Path)]
    urls = [one for one in documents if isinstance(one, str)]
    if files and urls:
        raise typer.BadParameter("Hand in files and URLs in two batches.", param_hint="FILE|FOLDER|URL")
    try:
        if urls:
            return client.batches.submit_urls(with_options(urls, each), options, name=name)
        if len(files) == 1 and (stem := archive_stem(files[0])):
            return client.batches.submit_zip(files[0], options, each=each, name=name or stem)
        return client.batches.submit(files, options, each=each, name=name)
    except OSError as error:
        raise typer.BadParameter(
            f"{error.filename}: {error.strerror}.", param_hint="FILE|FOLDER|URL"
        ) from error


def with_options(urls: Sequence[str], each: Mapping[str, Options]) -> list[dict[str, object]]:
    """URLs with the options of those that have some of their own, by number."""
    if unknown := [key for key in each if not key.isdecimal() or not 0 < int(key) <= len(urls)]:
        raise typer.BadParameter(f"There is no URL with the number {unknown[0]!r}.", param_hint="--items")
    chosen = {int(key): json_options(options) for key, options in each.items()}
    return [{"url": url, **chosen.get(number, {})} for number, url in enumerate(urls, 1)]


def archive_stem(file: Path) -> str:
    """The name of an archive without its ending; empty if it is none by its name."""
    name = file.name.lower()
    ending = next((one for one in ARCHIVE_ENDINGS if name.endswith(one)), "")
    return file.name[: -len(ending)] if ending else ""


def follow(client: Client, batch_id: str) -> BatchState:
    """The batch at its end, with its progress shown on the way."""
    line = LiveLine(every_seconds=5.0)
    try:
        return client.batches.wait(batch_id, lambda now: line.show(summary(now)))
    finally:
        line.end()


def summary(batch: BatchState) -> str:
    """A batch in one line."""
    counts = ", ".join(f"{count} {status}" for status, count in batch["counts"].items() if count)
    left = f", ready in {batch['eta_seconds']:.0f} s" if batch["eta_seconds"] else ""
    return f"{batch['status']}: {counts} of {format_count(batch['total'], 'document')}{left}"


def show(hand: ServerOptions, batch: BatchState) -> int:
    """Show a batch; 1 if an item was refused or failed."""
    if hand.as_json:
        answer_json(batch)
    else:
        say(summary(batch))
        if failed_count(batch):
            say(f"`pagemill batches items {batch['id']}` names what failed.")
    return EXIT_FAILED if failed_count(batch) else 0


def failed_count(batch: BatchState) -> int:
    """How many items have no result: refused when it was handed in, or failed later."""
    return batch["counts"]["refused"] + batch["counts"]["failed"]


def list_batches(hand: ServerOptions, limit: int) -> None:
    """List batches."""
    with connect(hand) as client:
        found = list(islice(client.batches.all(min(limit, 100)), limit))
    if hand.as_json:
        answer_json({"batches": found})
        return
    rows = (
        (
            one["id"],
            one["status"],
            f"{one['counts']['completed']}/{one['total']}",
            str(failed_count(one)),
            one["created_at"],
            one["name"],
        )
        for one in found
    )
    columns = ("ID", "STATUS", "DONE", "FAILED", "CREATED", "NAME")
    for line in table(columns, rows, numbers={"DONE", "FAILED"}):
        answer(line)


def status(hand: ServerOptions, batch_id: str, *, watch: bool) -> int:
    """Show a batch, followed to its end if asked."""
    with connect(hand) as client:
        batch = follow(client, batch_id) if watch else client.batches.show(batch_id)
    return show(hand, batch)


def items(hand: ServerOptions, batch_id: str) -> None:
    """List the items of a batch."""
    with connect(hand) as client:
        found = list(client.batches.items(batch_id))
    if hand.as_json:
        answer_json({"items": found})
        return
    rows = (
        (
            str(one["number"]),
            one["status"],
            one["job_id"] or "-",
            printable_path(one["name"]),
            reason(one["error"]),
        )
        for one in found
    )
    for line in table(("NUMBER", "STATUS", "JOB", "NAME", "ERROR"), rows, numbers={"NUMBER"}):
        answer(line)


def reason(error: object) -> str:
    """The code of an error; empty if there is none."""
    return str(error.get("code", "")) if isinstance(error, dict) else ""


def result(hand: ServerOptions, batch_id: str, form: str, output: Path | None) -> None:
    """Fetch the results of a batch into a file, or onto stdout line by line."""
    with connect(hand) as client:
        if output is not None:
            client.batches.download(batch_id, output, form)
            return
        with ignore_closed_reader(sys.stdout):
            for line in client.batches.results(batch_id, form):
                answer(json.dumps(line, ensure_ascii=False, separators=(",", ":")))


def cancel(hand: ServerOptions, batch_id: str) -> None:
    """Stop a batch."""
    with connect(hand) as client:
        show(hand, client.batches.cancel(batch_id))


def retry(hand: ServerOptions, batch_id: str, only: str) -> None:
    """Have a batch read again."""
    with connect(hand) as client:
        show(hand, client.batches.retry(batch_id, only=only))


def delete(hand: ServerOptions, batch_id: str) -> None:
    """Remove a batch."""
    with connect(hand) as client:
        client.batches.delete(batch_id)
    say(f"{batch_id}: deleted")
