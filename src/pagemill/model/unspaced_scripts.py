"""Scripts that are written without spaces between words, as ranges of a regular expression."""

EAST_ASIAN = (
    "\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uff60"
)
THAI_AND_LAO = "\u0e00-\u0eff"
BURMESE_AND_KHMER = "\u1000-\u109f\u1780-\u17ff"
