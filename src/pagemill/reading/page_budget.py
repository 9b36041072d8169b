"""The CPU time that pages may take: kept by the kernel, because native code obeys nothing else."""

import math
import resource
import time


def limit_pages(count: int, page_seconds: float) -> None:
    """Have this process ended if reading so many pages takes more CPU time than they have; a lower limit stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    allowance = math.ceil(time.process_time() + count * page_seconds) + 1
    if page_seconds and (soft == resource.RLIM_INFINITY or allowance < soft):
        resource.setrlimit(resource.RLIMIT_CPU, (allowance, hard))
