"""Showing a figure with the words for those who cannot see it."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    """Return a figure as Jupyter takes it: the picture, and the words in its place."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=figure.dpi, metadata={"Software": None})
    return {"image/png": buffer.getvalue(), "text/plain": alt}
