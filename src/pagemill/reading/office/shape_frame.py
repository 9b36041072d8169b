"""Where the shapes of a group are on their slide."""

from dataclasses import dataclass

from pagemill.model.pages import Box


@dataclass(frozen=True, slots=True)
class ShapeFrame:
    """How coordinates inside of a group become those of the slide."""

    scale_x: float = 1.0
    scale_y: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def place(self, box: Box) -> Box:
        """A box of the group on the slide."""
        return Box(
            round(box.x * self.scale_x + self.x, 2),
            round(box.y * self.scale_y + self.y, 2),
            round(box.width * self.scale_x, 2),
            round(box.height * self.scale_y, 2),
        )
