"""Counts real projects' Google Benchmark programs in several ways, and says where these do not agree.

    tests/cpp_programs/run.py TABLE --sources DIR --prefix PREFIX --google PREFIX --google-sources DIR --work DIR

TABLE names projects (projects.py says how); their sources lie below --sources. Each project is built twice, with the
drop-in of the Tallymark that is installed in --prefix, and with Google Benchmark 1.8 or newer (--google is an
installation of it, --google-sources its source folder). Each case then has these counts:

- header: the program that was built with Tallymark, by `tally run --program`;
- built: the program that was built with Google Benchmark, by the same command;
- Callgrind: either program under plain Valgrind, a call of 10 executions taken off a longer one. At most --callgrind
  cases of a program, evenly chosen, since each takes four processes, and all whose first two counts differ by more
  than the loop's own control. Its program finds around it what it finds under tally (surroundings.py).
  Where it disagrees with a door, also in other surroundings (longer arguments, which move stack and heap by 16 bytes
  each, up to a page): if Callgrind's own count becomes the door's in one of them, the case is one of surroundings.

Both doors count everything twice, the second time on one core (--cores 0); the two runs must be equal, or the record
must say of the case that it asks for what is another in each run, or why one of them has no count. The exit code is 1
if a case disagrees and nothing says why, if two runs differ without a word, if a side has a case that the other lacks,
or if doors differ with no proof of either count. Benchmarks of one name are held to Callgrind by their mean, since no
filter distinguishes them. Not a part of `make test`: it takes minutes for each project, and sources that are not here.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from doors import Asked, Count, by_callgrind, by_tally, mean_of, namesakes, paired
from projects import SIDES, BuildFailed, Places, Project, build, read_table
from surroundings import shifts
from verdicts import NOISE, Counts, Verdict, changed, flag_of, judge, side_agrees

WRONG = ("disagrees", "unproven", "one side")
KINDS = (
    "ok",
    "near",
    "random",
    "surroundings",
    "flagged",
    "compiled differently",
    "refused",
    *WRONG,
)


@dataclass
class Outcome:
    """What was found of one project."""

    project: Project
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    equal_to_callgrind: int = 0
    compared_with_callgrind: int = 0
    unlike_runs: list[str] = field(default_factory=list)  # without a word that says why
    flagged_runs: list[str] = field(default_factory=list)  # with one
    failure: str = ""

    def of_kind(self, kind: str) -> dict[str, str]:
        """Notes of the cases with this verdict."""
        return {name: one.note for name, one in self.verdicts.items() if one.kind == kind}

    def is_wrong(self) -> bool:
        """Something that must not be."""
        return bool(self.unlike_runs) or any(self.of_kind(kind) for kind in WRONG)


def chosen(names: list[str], most: int) -> set[str]:
    """Evenly over the list."""
    step = max(1.0, len(names) / most) if most > 0 else len(names) + 1.0
    return {names[int(i * step)] for i in range(min(most, len(names)))}


def spread(one: Count, other: Count) -> float:
    """How far two counts differ, as a part of them; 0 where one is missing."""
    if one.value is None or other.value is None:
        return 0.0
    return abs(one.value - other.value) / max(one.value, 1.0)


class Matrix:
    """Counts the programs of projects, with the tools that the command line names."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.tally = Path(args.prefix, "bin", "tally").resolve()
        self.places = Places(
            sources=args.sources.resolve(),
            drop_in=Path(args.prefix, "lib", "tallymark", "drop-in").resolve(),
            google=args.google.resolve(),
            google_sources=args.google_sources.resolve(),
            work=args.work.resolve(),
        )

    def run(self, project: Project) -> Outcome:
        """Builds and counts all programs of a project."""
        outcome = Outcome(project)
        try:
            folders = {side: build(project, self.places, side) for side in SIDES}
        except BuildFailed as failed:
            outcome.failure = f"not built: {failed}"
            return outcome
        for program in project.programs:
            if not self.args.build_only:
                self.count_program(outcome, {s: f / program for s, f in folders.items()})
        return outcome

    def tally_command(self, project: Project, program: Path, *options: str) -> list[str]:
        """Which cases, how often, and into which record."""
        command = [str(self.tally), "run", "--program", str(program), "--counts-only", "--quiet"]
        command += ["--timeout", "60", "--iterations", str(project.iterations), "--json", "RECORD"]
        for pattern in project.filters:
            command += ["--filter", pattern]
        command += options
        return [*command, "--", *project.args] if project.args else command

    def folder_of(self, project: Project, program: Path) -> Path:
        """Where the program runs: in the sources, if its data lies there."""
        if project.folder:
            return self.places.sources / project.folder
        return program.parent

    def twice(self, outcome: Outcome, program: Path, side: str) -> dict[str, Count]:
        """Counts by tally, in parallel and on one core."""
        limit, folder = self.args.program_limit, self.folder_of(outcome.project, program)
        in_parallel = self.tally_command(outcome.project, program)
        on_one_core = self.tally_command(outcome.project, program, "--cores", "0")
        first, why = by_tally(in_parallel, folder, limit)
        second, why_not = by_tally(on_one_core, folder, limit)
        if not first or not second:
            reason = f"{side}: {why or why_not}"
            outcome.verdicts[f"{program.name} ({side})"] = Verdict("refused", reason)
            return first
        for name in changed(first, second):
            one, other = first.get(name, Count()), second.get(name, Count())
            text = f"{side} {program.name}/{name}: {one} and {other}"
            said = flag_of(one, other) or one.reason or other.reason
            (outcome.flagged_runs if said else outcome.unlike_runs).append(text)
        return first

    def count_program(self, outcome: Outcome, programs: dict[str, Path]) -> None:
        """All cases of one program."""
        header = self.twice(outcome, programs["header"], "header")
        built = self.twice(outcome, programs["google"], "google")
        pairs = paired(list(header), list(built))
        counted = [name for name in pairs if built[name].value is not None]
        sample = chosen(counted, self.args.callgrind)
        stem = programs["google"].name
        lone = {name: "built program" for name in built if name not in pairs}
        lone |= {name: "header" for name in header if name not in pairs.values()}
        for name, side in lone.items() if header and built else ():
            outcome.verdicts[f"{stem}/{name}"] = Verdict("one side", f"only of the {side}")
        alike = namesakes(list(pairs))
        for name in pairs:
            of_name = alike[name]
            counts = Counts(
                mean_of([header[pairs[one]] for one in of_name]),
                mean_of([built[one] for one in of_name]),
            )
            if name in sample or judge(counts).kind == "unproven":
                counts = self.with_callgrind(outcome, programs, of_name[0], counts)
            verdict = judge(counts)
            if verdict.kind in ("disagrees", "near"):
                verdict = self.excused(outcome, programs, of_name[0], counts) or verdict
            outcome.verdicts[f"{stem}/{name}"] = verdict

    def excused(
        self, outcome: Outcome, programs: dict[str, Path], name: str, counts: Counts
    ) -> Verdict | None:
        """Why a case that does not agree may be right."""
        random = self.of_randomness(outcome, programs, name, counts)
        if random or judge(counts).kind == "near":
            return random
        return self.of_surroundings(outcome.project, programs, name, counts)

    def of_randomness(
        self, outcome: Outcome, programs: dict[str, Path], name: str, counts: Counts
    ) -> Verdict | None:
        """Whether plain Callgrind, which gives a case the system's randomness, does not repeat itself either.

        Two runs say little of how far others would differ: a door may be ten times as far away.
        """
        again = self.with_callgrind(Outcome(outcome.project), programs, name, counts)
        apart = max(
            spread(counts.plain_header, again.plain_header),
            spread(counts.plain_built, again.plain_built),
        )
        if apart == 0.0 or not all(side_agrees(counts, side, 10 * apart) for side in SIDES):
            return None
        values = [count.value for count in (again.plain_header, again.plain_built)]
        return Verdict("random", f"{counts.figures()}; Callgrind again {values[0]} and {values[1]}")

    def of_surroundings(
        self, project: Project, programs: dict[str, Path], name: str, counts: Counts
    ) -> Verdict | None:
        """Whether plain Callgrind comes to the count of each door in some surroundings."""
        found = counts
        for side in SIDES:
            for shift in shifts():
                if side_agrees(found, side, NOISE):
                    break
                argv = [str(programs[side]), *project.args]
                folder = self.folder_of(project, programs[side])
                asked = Asked(argv, side, folder, project.iterations, self.args.limit)
                plain = by_callgrind(replace(asked, shift=shift), name)
                if plain.value is not None and side == "header":
                    found = replace(found, plain_header=plain)
                elif plain.value is not None:
                    found = replace(found, plain_built=plain)
            if not side_agrees(found, side, NOISE):
                return None
        return Verdict(
            "surroundings", f"{counts.figures()}; stack and heap moved: {found.figures()}"
        )

    def with_callgrind(
        self, outcome: Outcome, programs: dict[str, Path], name: str, counts: Counts
    ) -> Counts:
        """The counts of a case with Callgrind's on both programs."""
        project = outcome.project
        plain = {}
        for side in SIDES:
            argv = [str(programs[side]), *project.args]
            folder = self.folder_of(project, programs[side])
            asked = Asked(argv, side, folder, project.iterations, self.args.limit)
            plain[side] = by_callgrind(asked, name)
        if plain["google"].value is not None:
            outcome.compared_with_callgrind += 1
            outcome.equal_to_callgrind += plain["google"].value == counts.built.value
        return Counts(counts.header, counts.built, plain["header"], plain["google"])


def reasons(outcome: Outcome) -> str:
    """`2 cases: runs in threads …; 1 cases: …`"""
    counted = Counter(outcome.of_kind("refused").values())
    return "; ".join(f"{n} cases: {reason}" for reason, n in counted.most_common())


def table(outcomes: list[Outcome]) -> str:
    """The report, in Markdown."""
    lines = [
        f"| project | commit | cases | {' | '.join(KINDS)} | plain Callgrind equal | two runs |",
        "|---" * (len(KINDS) + 5) + "|",
    ]
    for one in outcomes:
        if one.failure:
            lines.append(
                f"| {one.project.name} | {one.project.commit} | {one.failure} {'| ' * (len(KINDS) + 3)}|"
            )
            continue
        kinds = " | ".join(str(len(one.of_kind(k))) for k in KINDS)
        plain = f"{one.equal_to_callgrind} of {one.compared_with_callgrind}"
        unlike = {"silent": len(one.unlike_runs), "flagged": len(one.flagged_runs)}
        runs = ", ".join(f"{n} {how}" for how, n in unlike.items() if n > 0) or "equal"
        lines.append(
            f"| {one.project.name} | {one.project.commit} | {len(one.verdicts)} | {kinds} | {plain} | {runs} |"
        )
    return "\n".join(lines)


def details(outcomes: list[Outcome]) -> str:
    """What the table counts, by name."""
    lines = []
    for one in outcomes:
        if refused := reasons(one):
            lines.append(f"{one.project.name}, refused: {refused}")
        for kind in ("near", "random", "surroundings", "flagged", "compiled differently", *WRONG):
            lines += [
                f"{one.project.name}, {kind}: {n}: {note}" for n, note in one.of_kind(kind).items()
            ]
        unlike = [*one.unlike_runs, *one.flagged_runs]
        lines += [f"{one.project.name}, two runs: {text}" for text in unlike]
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("table", type=Path)
    for name in ("sources", "prefix", "google", "google-sources", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--only", action="append", default=[], help="a project's name; repeatable")
    parser.add_argument(
        "--callgrind", type=int, default=20, help="cases of a program under plain Callgrind"
    )
    parser.add_argument(
        "--limit", type=float, default=120, help="seconds for a case under plain Callgrind"
    )
    parser.add_argument(
        "--program-limit", type=float, default=600, help="seconds for a program's run by tally"
    )
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--report", type=Path, help="also write the report to this file")
    return parser.parse_args()


def main() -> int:
    """Prints the report; 1 if something must not be."""
    args = arguments()
    matrix = Matrix(args)
    outcomes = []
    for project in read_table(args.table):
        if args.only and project.name not in args.only:
            continue
        outcomes.append(matrix.run(project))
        print(table(outcomes[-1:]), details(outcomes[-1:]), sep="\n", file=sys.stderr, flush=True)
    text = f"{table(outcomes)}\n\n{details(outcomes)}\n"
    print(text)
    if args.report:
        args.report.write_text(text)
    return 1 if any(one.is_wrong() for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
