"""Ways in which a file can be broken, as a hypothesis strategy of functions from bytes to bytes."""

from hypothesis import strategies as st

places = st.floats(0, 1, exclude_max=True)
odd_bytes = st.sampled_from(
    [
        *(b"\0", b"\r", b'"', b"\xff", b"\x96", b"\n", b"#", b",", b"\t", b"-", b"\x1a"),
        b"\xed\xa0\x80",
    ]
)
odd_texts = st.sampled_from(
    [
        *("", "-", "nan", "Infinity", "-inf", "1e999", "1.7e308", "-1.7e308", "-1e300", "9" * 400),
        *("0", "-1", "1.0", "0x1f", "1e16", "1_000", "\u0661", "True", "1609459200000000"),
        *("1970/01/01", "31/02/2017 1:00", "3/7/2017 13:00", "00/00/0000 0:00"),
        *("9999-12-31 23:59:59", "2021-10-31 02:30:00", "2021-03-28 02:30:00+99:00"),
        *('"', '"a', 'a"b', '"a;b,c"', '"' * 999, "\u2028", "\ufeff", "a" * 140_000),
        *("=1+1", "Botnet", "#fields", "[red]"),
    ]
)


def at(content, place):
    return int(place * len(content))


@st.composite
def bytes_changed(draw):
    place, new, instead = draw(places), draw(odd_bytes | st.binary(max_size=3)), draw(st.booleans())
    return lambda c: c[: at(c, place)] + new + c[at(c, place) + (len(new) if instead else 0) :]


@st.composite
def cut(draw):
    place, end = draw(places), draw(st.booleans())
    return lambda c: c[: at(c, place)] if end else c[at(c, place) :]


@st.composite
def line_changed(draw):
    place, what = draw(places), draw(st.sampled_from(["drop", "twice", "first", "blank", "many"]))

    def change(content):
        lines = content.split(b"\n")
        here = at(lines, place)
        new = {
            "drop": [],
            "twice": [lines[here]] * 2,
            "first": [lines[0], lines[here]],
            "blank": [b"", b"  ", lines[here]],
            "many": [lines[here]] * 50,
        }
        return b"\n".join(lines[:here] + new[what] + lines[here + 1 :])

    return change


@st.composite
def fields_changed(draw):
    """Drop, repeat, swap or replace a field, in one line, in all, or in all but the first."""
    what = draw(st.sampled_from(["drop", "twice", "swap", "replace"]))
    place, row, text = draw(places), draw(places), draw(odd_texts).encode()
    where = draw(st.sampled_from(["one", "all", "rows", "header"]))

    def change(content):
        lines = content.split(b"\n")
        mark = max(b",\t;", key=lines[0].count)
        mark = bytes([mark])
        chosen = {
            "one": [at(lines, row)],
            "all": range(len(lines)),
            "rows": range(1, len(lines)),
            "header": [0],
        }[where]
        for line in chosen:
            parts = lines[line].split(mark)
            here = at(parts, place)
            new = {
                "drop": [],
                "twice": [parts[here]] * 2,
                "swap": [parts[-1]],
                "replace": [text],
            }[what]
            lines[line] = mark.join(parts[:here] + new + parts[here + 1 :])
        return b"\n".join(lines)

    return change


def recoded(encoding):
    return lambda content: content.decode("utf-8", errors="replace").encode(
        encoding, errors="replace"
    )


encodings = st.sampled_from(["utf-16", "utf-16-le", "utf-8-sig", "latin-1", "cp1252", "cp037"])
delimiters = st.tuples(*[st.sampled_from([b",", b"\t", b";", b"|", b" "])] * 2)
mutations = (
    bytes_changed()
    | cut()
    | line_changed()
    | fields_changed()
    | st.builds(recoded, encodings)
    | st.builds(lambda pair: lambda content: content.replace(*pair), delimiters)
)
several = st.lists(mutations, min_size=1, max_size=4)


def mutated(content, changes):
    for change in changes:
        content = change(content)
    return content
