"""The benchmark: what pagemill costs beside the bare engine and a bare web application, measured in the same run."""

# First, because it sets up numpy, which benches load as well.
import pagemill.reading.embedding  # noqa: F401
