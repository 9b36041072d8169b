"""The reliability plot: how often lines are right, beside how sure the models were of them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from train.align import UNKNOWN
from train.validation import Predicted, calibration_error, reliability

SIDE, MARGIN = 320, 44


def draw_reliability(predicted: Sequence[Predicted], path: Path) -> None:
    """Write the plot of the roles of all lines as SVG."""
    truth = np.concatenate([one.example.role for one in predicted])
    odds = np.vstack([one.roles for one in predicted])[truth != UNKNOWN]
    right = odds.argmax(1) == truth[truth != UNKNOWN]
    error = calibration_error(odds.max(1), right)
    points = reliability(odds.max(1), right)
    title = f"{len(right):,} lines, expected calibration error {error:.3f}"
    labels = "probability of the role", "share of lines that are right"
    path.write_text(reliability_svg(points, title, labels), "utf-8")


def reliability_svg(points: Sequence[tuple[float, float, int]], title: str, labels: tuple[str, str]) -> str:
    """The plot of how sure something was, how often it was right, and how many there are; `labels` are those of its axes."""
    most = max(count for _, _, count in points)
    dots = "".join(
        f'<circle cx="{_x(sure):.1f}" cy="{_y(right):.1f}" r="{3 + 7 * (count / most) ** 0.5:.1f}"/>'
        for sure, right, count in points
    )
    whole = SIDE + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" font-family="sans-serif" font-size="12">'
        f'<rect width="{whole}" height="{whole}" fill="#fff"/>'
        f'<path d="M{_x(0)} {_y(0)}H{_x(1)}M{_x(0)} {_y(0)}V{_y(1)}" stroke="#444" fill="none"/>'
        f'<path d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}" stroke="#aaa" stroke-dasharray="4 4"/>'
        f'<g fill="#2563a8" fill-opacity="0.8">{dots}</g>{_labels(*labels)}'
        f'<text x="{whole / 2}" y="20" text-anchor="middle">{title}</text></svg>\n'
    )


def _labels(below: str, beside: str) -> str:
    ticks = "".join(
        f'<text x="{_x(value)}" y="{_y(0) + 16}" text-anchor="middle">{value}</text>'
        f'<text x="{_x(0) - 6}" y="{_y(value) + 4}" text-anchor="end">{value}</text>'
        for value in (0.2, 0.4, 0.6, 0.8, 1.0)
    )
    label = f'<text x="{_x(0.5)}" y="{_y(0) + 34}" text-anchor="middle">{below}</text>'
    return f'{ticks}{label}<text x="{MARGIN}" y="{MARGIN - 8}">{beside}</text>'


def _x(value: float) -> float:
    return MARGIN + SIDE * value


def _y(value: float) -> float:
    return MARGIN + SIDE * (1 - value)
