"""A module whose import fails until a file is there, and takes as long as it is told to."""

import os
import time
from pathlib import Path

_ends_at = time.monotonic() + float(os.environ.get("STUBBORN_SECONDS", "0"))
while time.monotonic() < _ends_at:
    time.sleep(0.05)
if not Path(os.environ.get("STUBBORN_UNTIL", "/")).exists():
    raise RuntimeError("not yet")
