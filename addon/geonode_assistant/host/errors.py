# SPDX-License-Identifier: GPL-3.0-or-later
"""The one exception that leaves this package on purpose."""


class HostError(Exception):
    """Blender could not do, or refused, what was asked.

    `code` is one of the product's registered codes (snake case), `message` says what is wrong and how to mend it.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def to_dict(self) -> dict[str, str]:
        """The form in which the core takes a failed effect."""
        return {"code": self.code, "message": self.message}


def near(name: str, names: list[str], limit: int = 5) -> str:
    """A "did you mean" sentence for `name`, or the first of `names` when nothing is close."""
    import difflib

    if not names:
        return "There is none in this file."
    close = difflib.get_close_matches(name.casefold(), [n.casefold() for n in names], n=limit, cutoff=0.5)
    if close:
        by_fold = {n.casefold(): n for n in reversed(names)}
        return "Did you mean " + ", ".join(f'"{by_fold[c]}"' for c in close) + "?"
    shown = ", ".join(f'"{n}"' for n in names[:limit])
    return f"There is: {shown}" + (f" and {len(names) - limit} more." if len(names) > limit else ".")
