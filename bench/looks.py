"""`python -m bench.looks PORT JOB`: asks for the state of a job again and again, until its input ends.

In between it offers large documents, for which there may be no room. Prints a line when it begins, and at the end how
many seconds each look and each refusal took, as JSON.
"""

import asyncio
import sys
import time

import orjson

from bench.door import Unexpected

EVERY_SECONDS = 0.05
# So many looks for each document that is offered.
LOOKS_PER_OFFER = 5
# Answers that say "not now" or "too much".
REFUSALS = (b"429", b"503", b"507")


async def look_until_told(port: int, job: str) -> dict[str, list[float]]:
    """How long each look and each refusal took, until standard input is closed."""
    over = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    looks: list[float] = []
    refusals: list[float] = []
    while not over.done():
        looks.append(await look(port, job))
        if len(looks) % LOOKS_PER_OFFER == 0:
            refusals.extend(await offer(port))
        await asyncio.sleep(EVERY_SECONDS)
    return {"looks": looks, "refusals": refusals}


async def offer(port: int) -> list[float]:
    """How long it takes until a large document is refused; empty if it would be taken."""
    started = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/pdf\r\n"
        b"Content-Length: 100000000\r\nExpect: 100-continue\r\n\r\n"
    )
    status = (await reader.readline()).split()[1]
    writer.close()
    return [time.monotonic() - started] if status in REFUSALS else []


async def look(port: int, job: str) -> float:
    """How long one look at a job takes, with its connection."""
    started = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /v1/jobs/{job} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    if not answer.startswith(b"HTTP/1.1 200"):
        raise Unexpected(f"a look was answered {answer[:60]!r}")
    return time.monotonic() - started


if __name__ == "__main__":
    print("begun", flush=True)
    print(orjson.dumps(asyncio.run(look_until_told(int(sys.argv[1]), sys.argv[2]))).decode())
