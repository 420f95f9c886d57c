"""What is answered instead: a status and one line, never a traceback."""

from __future__ import annotations

from pulink.errors import InputError, OutputError, ParameterError, PulinkError, TooLargeError

_LONGEST = 300


class Refused(Exception):  # noqa: N818 (nothing is wrong with the program)
    """A request that is not answered as asked.

    Parameters
    ----------
    status : int
        Of HTTP, 400 or more.
    message : str
        One line.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    def to_dict(self) -> dict[str, object]:
        """The error as JSON holds it."""
        line = " ".join(str(self).split())
        short = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "\u2026"
        return {"error": {"status": self.status, "message": short}}


def refusal(error: PulinkError) -> Refused:
    """An error of pulink as what is answered: what was asked is at fault, or what is needed is not to be had."""
    if isinstance(error, OutputError | TooLargeError):
        # Paths and the words of the system are for whoever started the server.
        return Refused(503, "this cannot be done now: see what pulink explore says in its terminal")
    if isinstance(error, ParameterError | InputError):
        return Refused(400, str(error))
    return Refused(500, "something went wrong")
