"""Drawings as picture files of few colours, still and moving.

The colours that cover most are kept to the last bit, and the others become the nearest of these.
The usual ways to reduce colours average or drop those of small marks, and change from picture to
picture what stands still.
"""

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from labkit.plots.style import STYLE

if TYPE_CHECKING:
    from PIL.Image import Image

# All flat colours of a drawing, and greys enough for its letters; with more, files only grow.
_COLOURS = 128
_HOLD = 3
"""How much longer than the others the last frame stands."""


def png(drawing: Figure) -> bytes:
    """Return a drawing as PNG, in the size and resolution that it was made with."""
    (picture,) = _in_few_colours([drawing])
    return _saved(picture, format="PNG", optimize=True)


def gif(drawings: Iterable[Figure], title: str, milliseconds: int) -> bytes:
    """Return drawings as an animated GIF that repeats for ever.

    Parameters
    ----------
    drawings
        One a frame, all of one size.
    title
        Written into the file as its comment.
    milliseconds
        How long each frame stands; the last stands three times as long.
    """
    # One palette for all frames: in palettes of their own what stands still would flicker.
    first, *others = _in_few_colours(drawings)
    return _saved(
        first, format="GIF", save_all=True, append_images=others, loop=0, comment=title.encode(),
        duration=[milliseconds] * len(others) + [_HOLD * milliseconds],
    )  # fmt: skip


def _saved(picture: "Image", **how: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, **how)
    return buffer.getvalue()


def _in_few_colours(drawings: Iterable[Figure]) -> list["Image"]:
    """Return drawings as pictures that share a palette."""
    from PIL import Image

    palette, indexed = _palette_of(np.stack([_pixels(drawing) for drawing in drawings]))
    pictures = [Image.fromarray(frame) for frame in indexed]
    for picture in pictures:
        picture.putpalette(palette)
    return pictures


def _pixels(drawing: Figure) -> np.ndarray:
    """Return the colours of a drawing, shape (height, width), a number of 24 bits each."""
    canvas = FigureCanvasAgg(drawing)
    # Some settings are looked up only now.
    with plt.style.context(STYLE):
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3] @ np.array([1 << 16, 1 << 8, 1])


def _palette_of(pixels: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Return the commonest colours as red, green, blue, ..., and which is nearest to each pixel."""
    colours, counts = np.unique(pixels, return_counts=True)
    by_parts = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)
    commonest = by_parts[np.argsort(-counts, kind="stable")[:_COLOURS]]
    distances = ((by_parts[:, None] - commonest) ** 2).sum(axis=2)
    index_of = np.zeros(1 << 24, dtype=np.uint8)
    index_of[colours] = distances.argmin(axis=1)
    return commonest.ravel().tolist(), index_of[pixels]
