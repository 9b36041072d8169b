"""The benchmark: what pagemill costs beside the bare engine and a bare web application, measured in the same run."""
