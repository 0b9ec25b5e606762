"""Showing a figure with the words for those who cannot see it."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = 64


def show(figure: "Figure", alt: str) -> None:
    """Show a figure in a notebook, with an alternative text.

    The picture is a PNG; the text stands beside it in the output, where page builders take it for
    the picture's alternative and a reader without pictures sees it in the picture's place.

    Parameters
    ----------
    figure
        Closed afterwards, so that Jupyter does not show it again.
    alt
        What the figure shows, in a sentence or two: the finding, not the colours.
    """
    import matplotlib.pyplot as plt
    from IPython.display import display

    display(mime_bundle(figure, alt), metadata={"image/png": {"alt": alt}}, raw=True)
    plt.close(figure)


def mime_bundle(figure: "Figure", alt: str) -> dict[str, bytes | str]:
    """Return a figure as Jupyter takes it: the picture, and the words in its place.

    The picture has 64 colours, which charts do not exceed to the eye, and a third of the size.
    """
    from PIL import Image

    drawn, packed = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=figure.dpi)
    Image.open(drawn).convert("RGB").quantize(COLOURS).save(packed, "PNG", optimize=True)
    return {"image/png": packed.getvalue(), "text/plain": alt}
