"""Garbage collection in processes that live long: what was loaded at the start is not looked at again and again."""

import gc

# Python's own default is 700. Rows and requests hold hardly any cycles.
RARELY = 10_000


def collect_rarely(new_objects: int = RARELY) -> None:
    """Have the collector leave out everything that is there now, and look for cycles after so many more objects."""
    gc.freeze()
    gc.set_threshold(new_objects)
