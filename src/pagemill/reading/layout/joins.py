"""Features of pairs of lines that follow each other: whether the second goes on with the block of the first."""

import numpy as np

from pagemill.reading.layout.features import BASE_NAMES, FAR, Floats, LineArrays, Places

OF_FIRST = tuple(
    (
        "size bold italic width_beside_long indent letters_log digits upper starts_upper starts_lower "
        "ends_sentence ends_colon ends_comma ends_hyphen bullet numbered caption footnote leader entry "
        "numeric named_value hint_paragraph hint_heading hint_list_item hint_table hint_code hint_none in_row "
        "all_capitals in_picture maths raised_start bottom right"
    ).split()
)
OF_SECOND = (
    *OF_FIRST,
    "starts_digit",
    "section",
    "subsection",
    "section_word",
    "capital_words",
    "rule_above",
    "top",
    "left",
    "stops",
)
PAIR_NAMES = tuple(
    (
        "drop drop_beside_pitch gap left_shift right_shift shortfall overlap size_change bold_change "
        "italic_change same_font same_hint both_hints is_row column_change next_drop last_drop is_below "
        "is_above"
    ).split()
)
JOIN_NAMES = (
    *PAIR_NAMES,
    *(f"first_{name}" for name in OF_FIRST),
    *(f"second_{name}" for name in OF_SECOND),
    "page_lines",
    "page_digits",
    "page_tables",
    "page_short",
    "recognised",
)
_FIRST_AT = np.array([BASE_NAMES.index(name) for name in OF_FIRST])
_SECOND_AT = np.array([BASE_NAMES.index(name) for name in OF_SECOND])
_PAGE_AT = np.array([0, 2, 3, 6, 7])
_BOLD, _ITALIC, _SHARE = (BASE_NAMES.index(name) for name in ("bold", "italic", "style_share"))


def join_features(frame: LineArrays, sequence: Places) -> Floats:
    """The features of each line of a sequence with the next one, in the order of JOIN_NAMES."""
    if len(sequence) < 2:
        return np.zeros((0, len(JOIN_NAMES)), np.float32)
    one, other = sequence[:-1], sequence[1:]
    base = frame.base
    result = np.empty((len(one), len(JOIN_NAMES)), np.float32)
    _fill_pairs(result, frame, one, other)
    start, end = len(PAIR_NAMES), len(PAIR_NAMES) + len(OF_FIRST)
    result[:, start:end] = base[one][:, _FIRST_AT]
    result[:, end : end + len(OF_SECOND)] = base[other][:, _SECOND_AT]
    result[:, end + len(OF_SECOND) :] = frame.page[_PAGE_AT]
    return result


def _fill_pairs(out: Floats, frame: LineArrays, one: Places, other: Places) -> None:
    body, hint, base = frame.body, frame.hint, frame.base
    left, right, top, bottom = frame.left[one], frame.right[one], frame.top[one], frame.bottom[one]
    left2, right2, top2, bottom2 = (
        frame.left[other],
        frame.right[other],
        frame.top[other],
        frame.bottom[other],
    )
    drop = top2 - top
    overlap = np.minimum(right, right2) - np.maximum(left, left2)
    level = np.minimum(bottom, bottom2) - np.maximum(top, top2)
    out[:, 0] = drop / body
    out[:, 1] = drop / frame.pitch
    out[:, 2] = (top2 - bottom) / body
    out[:, 3] = (left2 - left) / body
    out[:, 4] = (right2 - right) / body
    out[:, 5] = _shortfall(frame)[one] / body
    np.clip(out[:, :6], -FAR, FAR, out=out[:, :6])
    out[:, 6] = overlap / np.maximum(np.minimum(right - left, right2 - left2), 1.0)
    out[:, 7] = np.log(frame.size[other] / frame.size[one])
    out[:, 8] = base[other, _BOLD] - base[one, _BOLD]
    out[:, 9] = base[other, _ITALIC] - base[one, _ITALIC]
    out[:, 10] = base[other, _SHARE] == base[one, _SHARE]
    out[:, 11] = (hint[one] == hint[other]) & (hint[one] >= 0)
    out[:, 12] = (hint[one] >= 0) & (hint[other] >= 0)
    out[:, 13] = level > 0.5 * np.minimum(bottom - top, bottom2 - top2)
    out[:, 14] = (drop < -2 * body) | (overlap < 0)
    out[:-1, 15], out[-1, 15] = out[1:, 0], FAR
    out[1:, 16], out[0, 16] = out[:-1, 0], FAR
    out[:, 17] = frame.below[one] == other
    out[:, 18] = frame.above[other] == one


def _shortfall(frame: LineArrays) -> Floats:
    """How much sooner each line ends than the longest of those above and below it."""
    above = np.where(frame.above >= 0, frame.right[frame.above], -np.inf)
    below = np.where(frame.below >= 0, frame.right[frame.below], -np.inf)
    return np.maximum(np.maximum(above, below), frame.right) - frame.right
