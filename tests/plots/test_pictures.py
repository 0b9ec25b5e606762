"""Drawings as files: the colours that matter kept, the frames in order, the bytes the same."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from labkit.plots import pictures
from labkit.plots.pictures import gif, png


def colours(colour, size=(2, 1)):
    """A drawing of one colour."""
    return Figure(size, dpi=50, facecolor=colour)


def frames_of(content):
    """The frames of a GIF as they are seen, one after the other, with how long each stands."""
    picture = Image.open(io.BytesIO(content))
    seen = []
    for number in range(picture.n_frames):
        picture.seek(number)
        seen.append((np.asarray(picture.convert("RGB")), picture.info["duration"]))
    return picture.info, seen


def test_a_gif_shows_its_drawings_in_order_and_repeats():
    info, seen = frames_of(gif(map(colours, ("#0072B2", "#D55E00", "#0072B2")), "Two blues", 500))
    assert info["loop"] == 0
    assert info["comment"] == b"Two blues"
    assert [duration for _, duration in seen] == [500, 500, 1500]
    blue, red = (0, 114, 178), (213, 94, 0)
    for (pixels, _), colour in zip(seen, (blue, red, blue), strict=True):
        assert pixels.shape == (50, 100, 3)
        assert (pixels == colour).all()


def test_of_too_many_colours_the_commonest_stay_and_the_others_become_the_nearest():
    # Every grey once, and every second of them, white among these, once more.
    greys = np.arange(256)
    pixels = np.concatenate([greys, greys[1::2]]) * 0x010101
    palette, indexed = pictures._palette_of(pixels)
    shown = np.array(palette).reshape(-1, 3)[indexed]
    assert sorted(palette[::3]) == greys[1::2].tolist()
    assert (shown[1:256:2] == greys[1::2, None]).all()
    assert np.abs(shown[:256] - greys[:, None]).max() == 1


def test_a_png_has_the_size_of_its_drawing_and_its_colours():
    picture = Image.open(io.BytesIO(png(colours("#E69F00", (3, 2)))))
    assert picture.size == (150, 100)
    assert picture.format == "PNG"
    assert (np.asarray(picture.convert("RGB")) == (230, 159, 0)).all()


@pytest.mark.parametrize("size", [3, 9])
def test_the_colour_of_a_small_mark_is_kept(size):
    drawing = Figure((9, 4), dpi=100)
    axes = drawing.add_axes((0.1, 0.1, 0.8, 0.8))
    axes.plot(np.linspace(0, 1, 50), np.linspace(0, 1, 50) ** 2, color="#0072B2")
    axes.plot([0.5], [0.5], "s", color="#E69F00", markersize=size)
    axes.set_title("Letters in all their greys")
    found = np.asarray(Image.open(io.BytesIO(png(drawing))).convert("RGB"))
    for colour in ((230, 159, 0), (0, 114, 178), (255, 255, 255), (0, 0, 0)):
        assert (found == colour).all(axis=2).any()


def test_drawn_twice_the_bytes_are_the_same():
    assert png(colours("red")) == png(colours("red"))
    assert gif([colours("red")], "red", 9) == gif([colours("red")], "red", 9)
