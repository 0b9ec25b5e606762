"""The one error that means: what was passed in cannot be used, and this is how to mend it."""

_LONGEST = 600


class InputError(ValueError):
    """A fault in a value or file that the user supplied, told in one line.

    The message names the argument, file, row or column and what to do about it, so the command
    line can print it as it stands.
    """

    def __init__(self, message: str) -> None:
        # One line of a length to read, whatever the value that it shows looks like when printed.
        line = " ".join(message.split())
        if len(line) > _LONGEST:
            line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
        # What a broken file holds must not move the cursor or fail to be printed.
        line = "".join(sign if sign.isprintable() else "\ufffd" for sign in line)
        super().__init__(line)
