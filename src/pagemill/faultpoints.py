"""Places where a test may make the process die, pause or fail. They do nothing unless PAGEMILL_FAULT names them.

`PAGEMILL_FAULT="turn.before_record:kill"` kills the process there with SIGKILL. Other acts are `stop` (SIGSTOP),
`raise` and `sleep=SECONDS`; `nth=3:` in front of the act waits for the third time, and every act happens once.
"""

import errno
import os
import signal
import time
from collections import Counter

POINTS = (
    "blob.before_sync",
    "accept.before_commit",
    "accept.after_commit",
    "accept.before_answer",
    "claim.after_commit",
    "fetch.after_blob",
    "fetch.before_commit",
    "join.before_files",
    "enrich.before_files",
    "publish.before_commit",
    "turn.before_record",
    "upload.after_part",
    "turn.after_record",
    "sweep.before_blobs",
    "sweep.after_blobs",
    "webhook.after_send",
    "worker.after_wakeup",
    "heartbeat.before_write",
)
VARIABLE = "PAGEMILL_FAULT"
_passed: Counter[str] = Counter()


def faultpoint(name: str) -> None:
    """Do what the environment asks for at this point, if anything."""
    wanted = os.environ.get(VARIABLE)
    if wanted is None or not wanted.startswith(f"{name}:"):
        return
    *when, act = wanted.removeprefix(f"{name}:").split(":")
    _passed[name] += 1
    if _passed[name] == int(when[0].removeprefix("nth=")) if when else _passed[name] == 1:
        perform(act)


def perform(act: str) -> None:
    """Die, pause or fail."""
    verb, _, amount = act.partition("=")
    if verb == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif verb == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif verb == "sleep":
        time.sleep(float(amount))
    else:
        raise OSError(errno.EIO, f"fault asked for by {VARIABLE}")
