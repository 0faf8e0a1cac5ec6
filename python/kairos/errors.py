"""Exceptions of Kairos: each has a code, a place, a sentence and a remedy."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional


class Place(NamedTuple):
    """A place in a model's text; lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Tag(NamedTuple):
    """A point of model time: t, jumps of states at t, reactions since the last jump."""

    t: float
    p: int
    m: int


class Note(NamedTuple):
    """A second place that belongs to a message."""

    place: Optional[Place]
    text: str


class Diagnostic(NamedTuple):
    """One message about a model's text or a run."""

    severity: str
    """"error" or "warning"."""
    code: Optional[str]
    """As docs/reference.md lists them: "K020"."""
    message: str
    help: Optional[str]
    place: Optional[Place]
    tag: Tag
    """Of a run: when."""
    notes: list[Note]
    text: Optional[str]
    """The whole message as the program prints it, with the source line."""

    def __str__(self) -> str:
        if self.text:
            return self.text.rstrip()
        where = f"{self.place}: " if self.place else ""
        code = f"{self.severity}[{self.code}]: " if self.code else ""
        help_ = f"\nhelp: {self.help}" if self.help else ""
        return f"{where}{code}{self.message}{help_}"


class Error(Exception):
    """What all exceptions of Kairos are. The attributes are those of the first error."""

    diagnostics: list[Diagnostic]

    def __init__(self, diagnostics: list[Diagnostic]):
        self.diagnostics = diagnostics
        first = next((d for d in diagnostics if d.severity == "error"), diagnostics[0] if diagnostics else None)
        self.code = first.code if first else None
        self.message = first.message if first else "something went wrong"
        self.help = first.help if first else None
        self.place = first.place if first else None
        self.tag = first.tag if first else None
        super().__init__("\n".join(str(d) for d in diagnostics if d.severity == "error") or self.message)

    def __reduce__(self):
        """From process to process, as those of a pool."""
        return type(self), (self.diagnostics,), {k: v for k, v in vars(self).items() if k == "result"}


class ModelError(Error):
    """The model's text is wrong."""


class UsageError(Error, ValueError):
    """The call is wrong: an unknown name, a value out of range."""


class RunError(Error):
    """The run failed: Zeno, NaN, an assertion, the solver. `result` has the rows up to there, if it was a whole run."""

    result: Any = None


class LimitError(RunError):
    """A limit of time or memory was met."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


_classes = {-1: ModelError, -2: UsageError, -3: RunError, -4: FileError, -6: LimitError}


def _place(raw) -> Optional[Place]:
    return Place(*raw) if raw is not None else None


def diagnostic(raw) -> Diagnostic:
    """A Diagnostic of what the C side hands over."""
    severity, code, message, help_, place, tag, notes, text = raw
    return Diagnostic("warning" if severity else "error", code, message or "", help_, _place(place), Tag(*tag),
                      [Note(_place(p), t) for p, t in notes], text)


def make(status: int, raw: list) -> BaseException:
    """The exception for a status of the library."""
    if status == -5:
        return MemoryError()
    return _classes.get(status, Error)([diagnostic(r) for r in raw])


def usage(message: str, help: Optional[str] = None) -> UsageError:
    """A UsageError of this side."""
    return UsageError([Diagnostic("error", None, message, help, None, Tag(0.0, 0, 0), [], None)])
