"""Garbage collection in processes that live long: what was loaded at the start is not looked at again and again."""

import gc


def collect_rarely(new_objects: int) -> None:
    """Have the collector leave out everything that is there now, and look for cycles after so many more objects.

    Rows, requests and pages hold hardly any cycles: to look for some as often as is usual takes up to a sixth of the time.
    """
    gc.freeze()
    gc.set_threshold(new_objects)
