# SPDX-License-Identifier: GPL-3.0-or-later
"""The exception that this package raises."""


class HostError(Exception):
    """Blender could not carry out, or refused, an operation.

    `code` is one of the registered codes (snake case), `message` gives the cause and the fix.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def to_dict(self) -> dict[str, str]:
        """The failed effect in the form that the core expects."""
        return {"code": self.code, "message": self.message}


def near(name: str, names: list[str], limit: int = 5) -> str:
    """A "Did you mean" sentence for `name`, or the first few of `names` if none is similar."""
    import difflib

    if not names:
        return "This file has none."
    close = difflib.get_close_matches(name.casefold(), [n.casefold() for n in names], n=limit, cutoff=0.5)
    if close:
        by_fold = {n.casefold(): n for n in reversed(names)}
        return "Did you mean " + ", ".join(f'"{by_fold[c]}"' for c in close) + "?"
    shown = ", ".join(f'"{n}"' for n in names[:limit])
    return f"This file has: {shown}" + (f" and {len(names) - limit} more." if len(names) > limit else ".")
