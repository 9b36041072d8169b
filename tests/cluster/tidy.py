"""One look for orphans in some shards of the store, in a process of its own: `python -m tests.cluster.tidy SHARD...`.

A leader looks at one shard in each sweep, so that a whole round takes many minutes; tests don't wait for it.
"""

import sys
import time
from contextlib import closing

from pagemill.data_folder import make_data_folder
from pagemill.desk.sweeper import remove_orphans_of
from pagemill.settings import Settings
from pagemill.wiring import build


def tidy(shards: list[str]) -> int:
    """Remove what nothing names, however young; right only while nobody uploads."""
    settings = Settings()
    with closing(build(settings, make_data_folder(settings.data_dir))) as mill:
        return sum(remove_orphans_of(mill, shard, time.time() + 1) for shard in shards)


if __name__ == "__main__":
    print(tidy(sys.argv[1:]))
