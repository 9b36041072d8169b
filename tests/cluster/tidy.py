"""One look for orphans in some shards of the store, in a process of its own: `python -m tests.cluster.tidy SHARD...`.

A leader looks at one shard in each sweep, so that a whole round takes many minutes; tests don't wait for it.
"""

import sys
import time

from pagemill.data_folder import make_data_folder
from pagemill.desk.sweeper import remove_orphans_of
from pagemill.settings import Settings
from pagemill.wiring import build


def tidy(shards: list[str]) -> int:
    """Remove what nothing names, however young; right only while nobody uploads."""
    settings = Settings()
    mill = build(settings, make_data_folder(settings.data_dir))
    try:
        return sum(remove_orphans_of(mill, shard, time.time() + 1) for shard in shards)
    finally:
        mill.blobs.close()
        mill.db.close()


if __name__ == "__main__":
    print(tidy(sys.argv[1:]))
