"""IPython: `%load_ext tallymark` gives `%tally`, `%%tally` and `%tally_compare`. Needs IPython."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NoReturn, TypeVar

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from tallymark._compare import Comparison
    from tallymark._options import Options
    from tallymark._result import Result

Shown = TypeVar("Shown")

_VERSUS = re.compile(r"\s+vs\s+")
_SEPARATOR = re.compile(r"^\s*(?:#\s*)?-{3,}.*$", re.MULTILINE)


class _Parser(argparse.ArgumentParser):
    """Options before the statement. A wrong one is reported as IPython reports usage errors, and ends nothing."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}\n{self.format_usage().strip()}")


def _parser(name: str) -> _Parser:
    parser = _Parser(name, add_help=False)
    parser.add_argument("-n", type=int, metavar="N", help="executions in a counted replicate")
    parser.add_argument("-r", type=int, metavar="R", help="counted replicates, at the least")
    parser.add_argument(
        "-t", type=float, metavar="SECONDS", help="time for that long, at the least"
    )
    parser.add_argument("-o", action="store_true", help="return the result")
    parser.add_argument("-q", action="store_true", help="show nothing")
    parser.add_argument("-c", action="store_true", help="only count, take no times")
    parser.add_argument("--language", choices=["python", "py", "cpp", "c++"], default="python")
    return parser


def _split(name: str, line: str) -> tuple[argparse.Namespace, str]:
    """The options at the start of a line, and the rest of it as it stands."""
    parser = _parser(name)
    taken, rest = [], line.strip()
    while rest.startswith("-"):
        word, _, after = rest.partition(" ")
        if word == "--":
            rest = after.strip()
            break
        if not re.match(r"--?[A-Za-z]", word):
            break  # such as -1: a statement. One that begins with -x needs a -- before it.
        taken.append(word)
        rest = after.strip()
        if word in ("-n", "-r", "-t", "--language"):
            value, _, rest = rest.partition(" ")
            taken.append(value)
            rest = rest.strip()
    return parser.parse_args([word for text in taken for word in shlex.split(text)]), rest


@magics_class
class TallyMagics(Magics):  # type: ignore[misc]
    """What is measured sees the names of the notebook that it uses, and no others."""

    @no_var_expand  # type: ignore[untyped-decorator]  # {…} and $name are of the statement
    @line_cell_magic  # type: ignore[untyped-decorator]
    def tally(self, line: str = "", cell: str | None = None) -> Result | None:
        """Counts the instructions of a statement, exactly, and times it.

            %tally [-n N] [-r R] [-t SECONDS] [-c] [-o] [-q] [--language cpp] statement
            %%tally [options] [setup]
            statements…

        -n N        executions in a counted replicate (100)
        -r R        counted replicates, at the least (2)
        -t SECONDS  time for that long, at the least (0.05)
        -c          only count
        -o          return the result
        -q          show nothing

        In a cell the rest of the line is the setup, as with %%timeit."""
        import tallymark

        options, rest = _split("%tally" if cell is None else "%%tally", line)
        statement, setup = (rest, "") if cell is None else (cell, rest)
        if not statement.strip():
            raise UsageError("%tally: which statement? %tally sorted(x)")
        kind = tallymark.count if options.c else tallymark.measure
        return self._show(
            options,
            lambda: kind(
                statement,
                setup=setup,
                language=options.language,
                globals=self._names(options),
                **_settings(options),
            ),
        )

    @no_var_expand  # type: ignore[untyped-decorator]  # {…} and $name are of the statement
    @line_cell_magic  # type: ignore[untyped-decorator]
    def tally_compare(self, line: str = "", cell: str | None = None) -> Comparison | None:
        """Compares two statements.

        %tally_compare [options of %tally] sorted(x) vs x[::-1]
        %%tally_compare [options] [setup]
        one
        ---
        the other"""
        import tallymark

        name = "%tally_compare" if cell is None else "%%tally_compare"
        options, rest = _split(name, line)
        parts = _VERSUS.split(rest) if cell is None else _SEPARATOR.split(cell)
        if len(parts) != 2 or not all(part.strip() for part in parts):
            between = "' vs '" if cell is None else "a line of ---"
            raise UsageError(
                f"{name}: two statements with {between} between them, not {len(parts)}"
            )
        first, second = (part.strip("\n") if cell is not None else part for part in parts)
        setup = "" if cell is None else rest
        return self._show(
            options,
            lambda: tallymark.compare(
                first,
                second,
                setup=setup,
                times=not options.c,
                language=options.language,
                globals=self._names(options),
                **_settings(options),
            ),
        )

    def _names(self, options: argparse.Namespace) -> Mapping[str, object] | None:
        """What a statement may use: C++ sees no values of this process."""
        names: Mapping[str, object] = self.shell.user_ns
        return names if options.language in ("python", "py") else None

    def _show(self, options: argparse.Namespace, measure: Callable[[], Shown]) -> Shown | None:
        from IPython.display import display

        from tallymark._errors import Error

        try:
            result = measure()
        except Error as error:  # the frames in here help nobody
            raise error.with_traceback(None) from None
        if not options.q:
            display(result)
        return result if options.o else None


def _settings(options: argparse.Namespace) -> Options:
    given: Options = {"iterations": options.n, "replicates": options.r, "min_run_time": options.t}
    for name, value in given.items():
        if isinstance(value, (int, float)) and value <= 0:
            raise UsageError(f"%tally: {name} must be more than {value}")
    if options.c:
        del given["min_run_time"]
    return given


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What `%load_ext tallymark` calls."""
    shell.register_magics(TallyMagics)
