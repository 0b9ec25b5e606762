"""Showing a figure with the words for those who cannot see it."""

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

    from labkit.plots.pictures import png

    bundle = {"image/png": png(figure), "text/plain": alt}
    display(bundle, metadata={"image/png": {"alt": alt}}, raw=True)
    plt.close(figure)
