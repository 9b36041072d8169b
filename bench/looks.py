"""`python -m bench.looks PORT JOB`: asks for the state of a job again and again, until its input ends.

Prints a line when it begins, and at the end how many seconds each look took, as JSON.
"""

import asyncio
import sys
import time

import orjson

from bench.door import Unexpected

EVERY_SECONDS = 0.05


async def look_until_told(port: int, job: str) -> list[float]:
    """How long each look took, until standard input is closed."""
    over = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    looks = []
    while not over.done():
        looks.append(await look(port, job))
        await asyncio.sleep(EVERY_SECONDS)
    return looks


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
