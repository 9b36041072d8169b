"""Features of pairs of lines that follow each other: whether the second goes on with the block of the first."""

import numpy as np

from pagemill.reading.layout.features import BASE_NAMES, FAR, Floats, Frame, Places

OF_FIRST = (
    "size", "bold", "italic", "width_beside_long", "indent", "letters_log", "digits", "upper", "starts_upper",
    "starts_lower", "ends_sentence", "ends_colon", "ends_comma", "ends_hyphen", "bullet", "numbered", "caption",
    "footnote", "leader", "entry", "numeric", "named_value", "hint_paragraph", "hint_heading", "hint_list_item",
    "hint_table", "hint_code", "hint_none", "in_row", "all_capitals", "in_picture", "maths", "raised_start",
    "bottom", "right",
)  # fmt: skip
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
PAIR_NAMES = (
    "drop", "drop_beside_pitch", "gap", "left_shift", "right_shift", "shortfall", "overlap", "size_change",
    "bold_change", "italic_change", "same_font", "same_hint", "both_hints", "is_row", "column_change", "next_drop",
    "last_drop", "is_below", "is_above",
)  # fmt: skip
JOIN_NAMES = (
    *PAIR_NAMES, *(f"first_{name}" for name in OF_FIRST), *(f"second_{name}" for name in OF_SECOND), "page_lines", "page_digits",
    "page_tables", "page_short", "recognised",
)  # fmt: skip
_FIRST_AT = np.array([BASE_NAMES.index(name) for name in OF_FIRST])
_SECOND_AT = np.array([BASE_NAMES.index(name) for name in OF_SECOND])
_PAGE_AT = np.array([0, 2, 3, 6, 7])
_BOLD, _ITALIC, _SHARE = (BASE_NAMES.index(name) for name in ("bold", "italic", "style_share"))


def join_features(frame: Frame, sequence: Places) -> Floats:
    """The features of each line of a sequence with the next one, in the order of JOIN_NAMES."""
    if len(sequence) < 2:
        return np.zeros((0, len(JOIN_NAMES)), np.float32)
    one, other = sequence[:-1], sequence[1:]
    base = frame.base
    page = np.broadcast_to(frame.page[_PAGE_AT], (len(one), len(_PAGE_AT)))
    return np.column_stack(
        [_pairs(frame, one, other), base[one][:, _FIRST_AT], base[other][:, _SECOND_AT], page]
    ).astype(np.float32)


def _pairs(frame: Frame, one: Places, other: Places) -> Floats:
    left, right, top, bottom, size, body = (
        frame.left,
        frame.right,
        frame.top,
        frame.bottom,
        frame.size,
        frame.body,
    )
    drop = top[other] - top[one]
    overlap = np.minimum(right[one], right[other]) - np.maximum(left[one], left[other])
    narrow = np.maximum(np.minimum(right[one] - left[one], right[other] - left[other]), 1.0)
    drops = np.clip(drop / body, -FAR, FAR)
    level = np.minimum(bottom[one], bottom[other]) - np.maximum(top[one], top[other])
    in_row = level > 0.5 * np.minimum(bottom[one] - top[one], bottom[other] - top[other])
    hint = frame.hint
    base = frame.base
    return np.column_stack(
        [
            drops,
            np.clip(drop / frame.pitch, -FAR, FAR),
            np.clip((top[other] - bottom[one]) / body, -FAR, FAR),
            np.clip((left[other] - left[one]) / body, -FAR, FAR),
            np.clip((right[other] - right[one]) / body, -FAR, FAR),
            np.clip(_shortfall(frame)[one] / body, -FAR, FAR),
            overlap / narrow,
            np.log(size[other] / size[one]),
            base[other, _BOLD] - base[one, _BOLD],
            base[other, _ITALIC] - base[one, _ITALIC],
            base[other, _SHARE] == base[one, _SHARE],
            (hint[one] == hint[other]) & (hint[one] >= 0),
            (hint[one] >= 0) & (hint[other] >= 0),
            in_row,
            (drop < -2 * body) | (overlap < 0),
            np.append(drops[1:], FAR),
            np.insert(drops[:-1], 0, FAR),
            frame.below[one] == other,
            frame.above[other] == one,
        ]
    ).astype(np.float32)  # fmt: skip


def _shortfall(frame: Frame) -> Floats:
    """How much sooner each line ends than the longest of those above and below it."""
    above = np.where(frame.above >= 0, frame.right[frame.above], -np.inf)
    below = np.where(frame.below >= 0, frame.right[frame.below], -np.inf)
    return np.maximum(np.maximum(above, below), frame.right) - frame.right
