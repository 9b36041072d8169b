"""Garbage collection in processes that live long, seen in a process of its own."""

import subprocess
import sys

PROGRAM = """
import gc
from pagemill.garbage_collection import collect_rarely

class Knot:
    pass

collect_rarely(1_000)
print(gc.get_freeze_count() > 1_000, gc.get_threshold()[0])
gc.disable()
for _ in range(10):
    knot = Knot()
    knot.self = knot
del knot
print(gc.collect() >= 10)
"""


def test_what_was_loaded_is_left_out_and_new_cycles_are_still_found() -> None:
    answer = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["True", "1000", "True"]
