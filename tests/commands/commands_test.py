"""`tally command` and [[command]] on a program of known work, and on programs that a system has.

Run as: TALLY=…/tally VICTIM=…/command_victim python3 commands_test.py
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TALLY = os.environ["TALLY"]
VICTIM = os.environ["VICTIM"]


def expect(good, what):
    if not good:
        sys.exit(f"commands_test: {what}")


def run(*arguments, code=0, folder=None, **environment):
    done = subprocess.run(
        [TALLY, *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )
    expect(
        code is None or done.returncode == code,
        f"{arguments}: code {done.returncode}\n{done.stdout}{done.stderr}",
    )
    return done


def case_of(*command, options=("--counts-only",), code=0, **how):
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "r.json"
        run("command", *options, "--json", file, "--", *command, code=code, **how)
        return json.loads(file.read_text())["cases"][0]


def count(*command, **how):
    case = case_of(*command, **how)
    expect(case["counts"]["spread"] == 0, f"{command} varies: {case['counts']} {case['warnings']}")
    return int(case["counts"]["per_iteration"])


def check_known_work():
    million = count(VICTIM, "nops", "1000000")
    each = (count(VICTIM, "nops", "2000000") - million) / 1_000_000
    expect(each == int(each) and 2 <= each <= 5, f"a loop of so many instructions: {each}")
    three = [VICTIM, "nops", "1000000"]
    shell = case_of("/bin/sh", "-c", "; ".join([shlex.join(three)] * 3))
    own = [one["instructions"] for one in shell["processes"] if one["program"] == VICTIM]
    expect(len(own) == 3 and len(set(own)) == 1, f"three times the same: {own}")
    expect(abs(own[0] - million) < 5000, f"{own[0]} of a shell, {million} alone")
    expect(
        sum(one["instructions"] for one in shell["processes"]) == shell["counts"]["per_iteration"],
        "the sum is the figure",
    )
    for how in ("fork", "exec", "killed", "daemon"):
        case = case_of(VICTIM, how, "1000000")
        expect(case["counts"]["spread"] == 0, f"{how} varies: {case['warnings']}")
        last = max(one["instructions"] - one["start"] for one in case["processes"])
        work = each * 1_000_000
        expect(work <= last < work + 200_000, f"{how}: {case['processes']}")
    # How a thread waits for another follows from when it is scheduled.
    threads = case_of(VICTIM, "threads", "1000000")["counts"]["per_iteration"]
    expect(3 * each * 1_000_000 <= threads, f"threads are counted: {threads}")
    case = case_of(VICTIM, "nops", "1000000")
    start = case["processes"][0]["start"]
    expect(
        0 < start < million - each * 1_000_000, f"what comes before main(): {start} of {million}"
    )


def check_answers():
    first = count(VICTIM, "asks")
    expect(first == count(VICTIM, "asks"), "randomness and clocks are the same in each run")
    varies = case_of(VICTIM, "asks", options=("--counts-only", "--entropy", "system"))
    expect(varies["counts"]["spread"] > 0, f"the system answers: {varies['counts']}")
    expect(
        "executed" in " ".join(varies["warnings"]), f"which process varies: {varies['warnings']}"
    )
    count(VICTIM, "pipe")
    count(VICTIM, "semaphore")
    count(VICTIM, "interrupted")
    count(VICTIM, "waits")
    spawner = case_of(VICTIM, "spawns")
    programs = [Path(one["program"]).name for one in spawner["processes"]]
    expect(programs == ["command_victim"] * 3 + ["true"], f"{programs}")
    begin = time.monotonic()
    count(VICTIM, "sleeps")
    expect(time.monotonic() - begin > 0.8, "two executions sleep four times 0.1 s each")
    begin = time.monotonic()
    many = count("echo", *["a"] * 5000)
    expect(time.monotonic() - begin < 60 and many > 0, "5,000 arguments")


def check_facts_of_files(folder):
    """What a counted command writes by them is what it writes by itself: an archive of a file with holes."""
    with (folder / "sparse").open("wb") as file:
        file.truncate(16 << 20)
        file.write(b"x")
    here = folder.stat()
    case_of("sh", "-c", f"cd {folder}; tar -cSf archive sparse; stat -c '%i %d %s' . > facts")
    expect((folder / "archive").stat().st_size < 1 << 20, "holes are left out")
    facts = [here.st_ino, here.st_dev, here.st_size]
    expect((folder / "facts").read_text().split() == [str(one) for one in facts], "of a folder")


def check_times():
    case = case_of(VICTIM, "memory", "50", options=("--wall-only",))
    used = case["used"]
    expect(50 << 20 < used["peak_bytes"] < 80 << 20, f"peak memory: {used}")
    expect(used["user_s"] + used["system_s"] > 0, f"processor time: {used}")
    expect(case["wall"]["median_s"] > 0.001, f"time: {case['wall']}")
    small = case_of(VICTIM, "nops", "1", options=("--wall-only",))
    expect(small["used"]["peak_bytes"] < 8 << 20, f"nothing of ours: {small['used']}")
    asleep = case_of("sleep", "0.05", options=("--wall-only",))["wall"]
    expect(0.05 <= asleep["median_s"] < 0.5, f"a sleep of 50 ms: {asleep['median_s']}")


def check_surroundings(folder):
    log = folder / "log"
    (folder / "data").write_text("b\na\n" * 100)
    (folder / "more").mkdir()
    (folder / "more" / "c").write_text("c")
    (folder / "more" / "link").symlink_to("c")
    texts = [
        "--setup",
        f"echo setup >> {log}",
        "--prepare",
        f"pwd >> {log}; ls >> {log}",
        "--cleanup",
        f"echo cleanup >> {log}",
    ]
    case = case_of(
        "sh",
        "-c",
        "test -L more/link && cat more/link && touch made && sort data",
        options=("--runs", "7", *texts, "--file", "data", "--file", "more/"),
        folder=folder,
    )
    expect(len(case["wall"]["replicates_s"]) == 7, f"seven runs: {case['wall']}")
    expect(case["wall"]["overhead_s"] > 0, f"a start's cost is taken off: {case['wall']}")
    lines = log.read_text().splitlines()
    expect(lines.count("setup") == 2 and lines.count("cleanup") == 2, f"once a side: {lines}")
    expect("made" not in lines, f"a new folder for each: {lines}")
    folders = [line for line in lines if line.startswith("/")]
    expect(len(folders) == 9 and len({len(one) for one in folders}) == 1, f"{folders}")
    expect(not (folder / "made").exists(), "it runs in a folder of its own")
    for option, words in (("--setup", "what sets it up"), ("--cleanup", "what cleans up after it")):
        failed = case_of("true", options=("--counts-only", option, "exit 4"), code=1)["failure"]
        expect(f"{words} exited with code 4" in failed["message"], f"{option}: {failed}")
    within = folder / "within"
    (within / "tmp").mkdir(parents=True)
    own = case_of(
        "true",
        options=("--counts-only", "--file", "."),
        code=1,
        folder=within,
        TMPDIR=str(within / "tmp"),
    )["failure"]
    expect("TMPDIR lies in it" in own["message"], f"its own copy: {own}")
    # What the setup has left in $TMPDIR is there until the cleanup, and no execution's.
    shows = f"cat $TMPDIR/a >> {log}; echo $TMPDIR >> {log}"
    lasting = ("--setup", "echo kept > $TMPDIR/a", "--cleanup", shows)
    for files in ((), ("--file", "data")):
        log.write_text("")
        empty = 'test -z "$(ls $TMPDIR)" && echo > $TMPDIR/b'
        case_of("sh", "-c", empty, options=("--runs", "3", *lasting, *files), folder=folder)
        kept, temporary, *other = log.read_text().splitlines()
        expect(kept == "kept" and other[0] == "kept", f"the setup's files: {log.read_text()}")
        expect(not Path(temporary).exists(), f"it goes with the case: {temporary}")
    own = ("--counts-only", "--env", f"TMPDIR={folder / 'more'}", "--setup", "echo > $TMPDIR/mine")
    case_of("sh", "-c", "test -e $TMPDIR/mine", options=own, folder=folder)
    builds = ("--counts-only", "--setup", "echo > made", "--file", "made")
    case_of("cat", "made", options=builds, folder=within)
    followed = ("--counts-only", "--file", "link")
    case_of("sh", "-c", "test -f link && test ! -L link", options=followed, folder=folder / "more")
    missing = case_of("true", options=("--counts-only", "--file", "nope"), code=1)["failure"]
    expect("nope: No such file" in missing["message"], f"a file: {missing}")
    case_of("false", options=("--counts-only", "--cleanup", f"echo after > {log}"), code=1)
    expect(log.read_text() == "after\n", "what cleans up runs after a failure")


def check_output(folder):
    # grep looks for /dev/null, and stops at the first match.
    (folder / "data").write_text("a\n" * 1000)
    to_nothing = count("grep", "a", "data", folder=folder)
    to_pipe = count(
        "grep", "a", "data", options=("--counts-only", "--output", "pipe"), folder=folder
    )
    expect(to_pipe > to_nothing, f"{to_pipe} to a pipe, {to_nothing} to nothing")
    # More than a pipe holds.
    case_of(VICTIM, "nops", options=("--counts-only", "--output", "pipe"))
    case_of("seq", "100000", options=("--wall-only", "--output", "pipe", "--runs", "3"))


def check_full_disk(folder):
    """What a command cannot write is its own failure; where no count can be written, none is given."""
    failure = case_of(
        "seq",
        "100000",
        options=("--counts-only", "--retries", "0", "--output", "/dev/full"),
        code=1,
    )["failure"]
    expect("exited with code 1" in failure["message"], failure)
    expect("No space left" in failure["message"], failure)
    endless = ("--counts-only", "--retries", "0", "--timeout", "1", "--input", "/dev/zero")
    failure = case_of("cat", options=endless, code=1)["failure"]
    expect("timed out after 1 s" in failure["message"], failure)
    if os.geteuid() != 0:
        return
    small = folder / "small"
    small.mkdir()
    script = (
        f"mount -t tmpfs -o size=3m tmpfs {small} && export TMPDIR={small} && "
        f'{TALLY} command --counts-only --retries 0 --json {folder}/r.json --shell "$1" "$2"'
    )
    fills = "head -c 10000000 /dev/zero > $TMPDIR/f; true"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", fills, "true"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if not (folder / "r.json").exists():
        print(f"commands: no file system is to be had here: {done.stderr}")
        return
    full, other = json.loads((folder / "r.json").read_text())["cases"]
    expect(done.returncode == 1 and full["counts"] is None, f"no count: {full}")
    expect("not all of it could be counted" in full["failure"]["message"], full["failure"])
    expect("is there room" in full["failure"]["message"], full["failure"])
    expect(other["status"] == "ok", f"the others are measured: {other}")


def check_exports():
    options = ("--runs", "3", "--parameter", "n=10..1000..990")
    text = run("command", *options, "--export", "hyperfine", "seq ${n}").stdout
    few, many = json.loads(text)["results"]
    expect((few["command"], few["parameters"]) == ("seq 10", {"n": "10"}), f"{few}")
    expect(len(many["times"]) == 3 and many["min"] <= many["median"] <= many["max"], f"{many}")
    expect(few["instructions"] == count("seq", "10"), f"a number of instructions: {few}")
    expect([type(one) for one in many["memory_usage_byte"]] == [int], f"hyperfine's list: {many}")
    expect(many["exit_codes"] == [0, 0, 0], f"a code for each time: {many}")
    ends = ("--wall-only", "--runs", "4", "--ignore-failure", "--export", "hyperfine")
    with tempfile.TemporaryDirectory() as folder:
        in_turn = f"sh -c 'rmdir {folder}/x 2>&- && exit 1; mkdir {folder}/x'"
        text = run("command", *ends, "sh -c 'kill -9 $$'", in_turn).stdout
    killed, several = json.loads(text)["results"]
    expect(killed["exit_codes"] == [137] * 4, f"as a shell says it: {killed}")
    expect("exit_codes" not in several, f"which time is which one's is not known: {several}")
    named = ("--export", "hyperfine", "--parameter", "n=1,2", "--name", "short ${n}")
    long = "echo " + "a" * 200
    text = run("command", "--counts-only", *named, "seq ${n}", long + " ${n}").stdout
    names = [one["command"] for one in json.loads(text)["results"]]
    expect(names == ["short 1", "short 2", long + " 1", long + " 2"], f"given names: {names}")
    table = run("command", *options, "--export", "markdown", "seq ${n}").stdout.splitlines()
    expect(len(table) == 4 and table[2].startswith("| <code>seq 10 (n=10)</code> |"), f"{table}")
    table = run("command", "--counts-only", "--export", "csv", "seq 1", "false", code=1).stdout
    _, one, failed = (line.split(",") for line in table.splitlines())
    expect(one[:2] == ["seq 1", "ok"] and int(one[2]) > 0, table)
    expect(failed[:3] == ["false", "failed", ""], table)


BISECTED = """static volatile unsigned sum;

__attribute__((noinline)) static void work(int times) {
  for (int i = 0; i < times; i++) {
    sum += i;
  }
}

int main(void) {
  work(%d); /* number %d */
  return 0;
}
"""


def check_bisect(folder):
    def git(*arguments):
        author = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    (folder / "Makefile").write_text("app: app.c\n\tgcc -O1 -o app app.c\n")
    suite = 'schema = 1\n[[command]]\nlabel = "app"\nrun = ["./app"]\n'
    (folder / "suite.toml").write_text(suite)
    for number in range(30):
        times = 20000 if number >= 18 else 10000
        (folder / "app.c").write_text(BISECTED % (times, number))
        git("add", "-A")
        git("commit", "-qm", f"Number {number}")
    arguments = ["--suite", "suite.toml", "--build", "make", "HEAD~29", "HEAD"]
    found = run("bisect", *arguments, folder=folder).stdout
    expect("Number 18" in found and "1 of 1 case changed" in found, f"the commit: {found}")
    expect("work +" in found, f"the function: {found}")


def check_inherited_output(folder):
    shown = ["command", "--output", "inherit", "-q"]
    out = run(*shown, "--counts-only", "--", "echo", "a-word").stdout
    expect(out.splitlines()[:2] == ["a-word"] * 2, f"its output, and then the table: {out}")
    out = run(*shown, "--wall-only", "--runs", "1", "--", "echo", "a-word").stdout
    expect(out.splitlines()[0] == "a-word", out)
    file = folder / "shown.txt"
    with file.open("w") as stream:
        subprocess.run(
            [TALLY, *shown, "--counts-only", "--", "echo", "a-word"], stdout=stream, check=True
        )
    text = file.read_text()
    expect(text.startswith("a-word\na-word\nlabel"), f"nothing written over: {text}")
    refused = run(*shown, "--export", "csv", "--", "true", code=2).stderr
    expect("within tally's own output" in refused, refused)
    suite = folder / "inherit.toml"
    suite.write_text('schema = 1\n[[command]]\nlabel = "a"\nrun = ["true"]\noutput = "inherit"\n')
    refused = run("run", suite, code=2).stderr
    expect("no output to inherit" in refused, refused)


def check_process_numbers():
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "r.json"
        shell = 'echo $$ $PPID; ls /proc | grep -c "^[0-9]"'
        run("command", "--counts-only", "--replicates", "5", "--json", file, "--shell", shell)
        record = json.loads(file.read_text())
    facts = record["environments"]["command [command]"]["facts"]
    if facts["process.numbers"] == "own":
        expect(record["cases"][0]["counts"]["spread"] == 0, f"numbers vary: {record['cases'][0]}")
    else:
        print("commands: no namespace of processes is to be had here")


def check_own_process_numbers():
    """Of who is not root: in a namespace of users."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        outside = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}

        def measure(file, *command, options=()):
            environment = {"XDG_CACHE_HOME": str(folder), "TMPDIR": str(folder)}
            arguments = ["command", "--counts-only", "--json", file, *options, "--", *command]
            return subprocess.run(
                [TALLY, *arguments],
                cwd=folder,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=100,
                check=False,
                **outside,
            )

        done = measure("plain.json", "true")
        if done.returncode != 0:
            print(f"commands: no other user can count here: {done.stderr}")
            return
        shell = 'echo $$ $PPID; ls /proc | grep -c "^[0-9]"; test -O . || test -w .; kill -9 $PPID'
        wants = ("--own-process-numbers", "--replicates", "4", "--output", "numbers")
        done = measure("own.json", "sh", "-c", shell, options=wants)
        case = json.loads((folder / "own.json").read_text())["cases"][0]
        if "grants no namespace" in (case.get("failure") or {"message": ""})["message"]:
            expect(done.returncode == 1, "it is refused, and not counted otherwise")
            print("commands: no namespace of users is to be had here")
            return
        expect(done.returncode == 0, f"{done.stdout}{done.stderr}")
        expect(case["counts"]["spread"] == 0, f"numbers vary: {case['counts']} {case['warnings']}")
        numbers = (folder / "numbers").read_text().split()[:2]
        expect(numbers == ["2", "1"], f"the command's number, and its parent's: {numbers}")


def check_private_tmp():
    """An empty /tmp for each execution; what is needed is there, and what is left is said."""
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as name,
        tempfile.TemporaryDirectory(dir="/tmp") as other,
    ):
        folder = Path(name)
        shutil.copy(VICTIM, folder / "victim")
        (folder / "input").write_text("input\n")
        output = Path(other) / "output"
        shell = (
            f"test ! -e {other} && test -f /tmp/prepared && ./victim nops 10 && mktemp /tmp/left.XXXXXX > made && "
            "ls /tmp | grep -v left > seen; mkdir /var/tmp/b; cat"
        )
        for side, times in (("--counts-only", 2), ("--wall-only", 3)):
            options = (side, "--private-tmp", "--runs", "3", "--retries", "0")
            options += (
                "--prepare",
                f"test ! -e /tmp/prepared && echo >> {folder}/log && echo > /tmp/prepared",
            )
            options += ("--input", "input", "--output", str(output))
            case = case_of("sh", "-c", shell, options=options, folder=folder, code=None)
            failure = (case["failure"] or {"message": ""})["message"]
            if "grants no namespace" in failure:
                print("commands: no namespace of mounts is to be had here")
                return
            expect(not failure, f"{side}: {failure}")
            expect(output.read_text() == "input\n", "its output is where it was named")
            made = (folder / "made").read_text().strip()
            expect(not Path(made).exists(), f"{made} is gone")
            expect(not Path("/tmp/prepared").exists(), "what prepares it has the same /tmp")
            expect((folder / "log").read_text() == "\n" * times, "a new one for each execution")
            (folder / "log").unlink()
            seen = (folder / "seen").read_text().split()
            expect(folder.name in seen and Path(other).name not in seen, f"what is there: {seen}")
            expect(case["own"] == ["tmp"], f"the record says what was its own: {case.get('own')}")
            said = [one for one in case["warnings"] if one.startswith("left in its own /tmp")]
            # A random name is the same one in each counted execution.
            expect(
                len(said) == 1 and "/tmp/left." in said[0] and "/var/tmp/b" in said[0],
                f"{side}: {case['warnings']}",
            )
            if side == "--counts-only":
                expect(case["counts"]["spread"] == 0, f"{case['counts']} {case['warnings']}")
    options = ("--counts-only", "--private-tmp")
    failure = case_of("true", options=options, folder="/tmp", code=1)["failure"]
    expect("it runs in that folder" in failure["message"], failure)
    quiet = case_of("true", options=options, folder="/")
    expect(quiet["warnings"] == [], f"nothing is left: {quiet['warnings']}")


def check_private_tmp_of_another_user():
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o777)
        for side in ("--counts-only", "--wall-only"):
            done = subprocess.run(
                [TALLY, "command", side, "--private-tmp", "--runs", "2", "--json", "r.json", "--"]
                + ["sh", "-c", "echo > /tmp/mine; ls /tmp"],
                cwd=folder,
                env={**os.environ, "XDG_CACHE_HOME": name, "TMPDIR": name},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=100,
                check=False,
                user=65534,
                group=65534,
            )
            if not (folder / "r.json").exists():
                print(f"commands: no other user can count here: {done.stderr}")
                return
            case = json.loads((folder / "r.json").read_text())["cases"][0]
            if case["failure"] and "grants no namespace" in case["failure"]["message"]:
                print("commands: no namespace of users is to be had here")
                return
            expect(done.returncode == 0, f"{done.stdout}{done.stderr}")
            expect("/tmp/mine" in " ".join(case["warnings"]), f"{side}: {case['warnings']}")
            expect(not Path("/tmp/mine").exists(), "it is nobody's")


def check_what_differs():
    case = case_of(VICTIM, "asks", options=("--counts-only", "--entropy", "system"))
    expect("first of all in" in " ".join(case["warnings"]), f"the function: {case['warnings']}")
    with tempfile.TemporaryDirectory() as name:
        for file, loops in (("a", 1_000_000), ("b", 1_000_003)):
            text = f"{VICTIM} nops 10; exec {VICTIM} nops {loops}"
            options = ["--counts-only", "--name", "x", "--json", f"{name}/{file}"]
            run("command", *options, "--shell", text)
        explained = run("explain", f"{name}/a", f"{name}/b", "x", "--json", code=None)
    expect(explained.returncode == 0, f"{explained.stdout}{explained.stderr}")
    processes = json.loads(explained.stdout)["cases"][0]["processes"]
    moved = [(one["place"], one["program"]) for one in processes]
    expect(moved == [("1", VICTIM)], f"the process that moved: {moved}")


def check_unknown_instruction():
    """An end that the counter brings about is no end of the command's, wherever in its tree it is."""
    shell = f"{shlex.quote(VICTIM)} unknown | cat"
    for command, options, place in (
        (("/bin/sh", "-c", shell), (), "1.1"),
        ((VICTIM, "unknown"), ("--ignore-failure",), "1"),
        ((VICTIM, "unknown"), ("--expect-status", "132"), "1"),
    ):
        options = ("--counts-only", "--retries", "0", *options)
        said = case_of(*command, options=options, code=1)["failure"]["message"]
        words = f"process {place} ({VICTIM}) was ended by SIGILL; Valgrind lacks some instructions"
        expect(words in said, f"{command}: {said}")
    expect(count("/bin/sh", "-c", f"{shlex.quote(VICTIM)} crash; true") > 0, "its own end")


def check_failures():
    def message(*command, options=(), code=1):
        failure = case_of(
            *command, options=("--counts-only", "--retries", "0", *options), code=code
        )["failure"]
        return f"{failure['stage']}: {failure['message']}"

    for command, words in (
        (["/no/such/program"], "cannot be started: No such file"),
        (["no-such-program-at-all"], "cannot be started: No such file"),
        (["/etc/passwd"], "cannot be started: Permission denied"),
        (["/"], "cannot be started: Permission denied"),
        ([VICTIM, "exit", "3"], "it exited with code 3"),
        ([VICTIM, "crash"], "it was ended by SIGSEGV"),
        ([VICTIM, "unknown"], "it was ended by SIGILL; Valgrind lacks some instructions"),
        ([VICTIM, "stays"], "still runs ten seconds after it has ended"),
    ):
        said = message(*command)
        expect(words in said, f"{command}: {said}")
    expect(count(VICTIM, "exit", "3", options=("--counts-only", "--expect-status", "3")) > 0, "3")
    with tempfile.TemporaryDirectory() as name:
        identity = Path(name) / "identity"
        shutil.copy("/bin/true", identity)
        identity.chmod(0o4755)
        said = message(identity)
        expect("Valgrind runs no set-user-ID" in said and "identity" in said, said)
        case_of(identity, options=("--wall-only", "--runs", "1"))
        script = Path(name) / "script"
        script.write_text("#! /no/such/interpreter -x\n")
        script.chmod(0o755)
        for side in ("--counts-only", "--wall-only"):
            said = case_of(script, options=(side,), code=1)["failure"]["message"]
            expect("cannot be started: No such file" in said, f"{side}: {said}")
            expect("of the interpreter /no/such/interpreter)" in said, f"{side}: {said}")
    check_unknown_instruction()
    for codes, fails in (("3", False), ("1,3", False), ("any", False), ("4", True)):
        options = ("--counts-only", f"--ignore-failure={codes}")
        case_of(VICTIM, "exit", "3", options=options, code=1 if fails else 0)
        case_of("true", options=options)
    case_of(VICTIM, "exit", "3", options=("--counts-only", "--ignore-failure"))
    expect("No such file" in message("true", options=("--input", "/no/such")), "its input")
    expect(
        "exited with code 7" in message("true", options=("--prepare", "exit 7")), "what prepares"
    )
    for arguments, words in (
        (["command"], "no command to measure"),
        (["command", "a | b"], "needs a shell"),
        (["command", "--parameter", "n", "a"], "is not a parameter"),
        (["command", "--expect-status", "x", "true"], "is not an exit code"),
        (["command", "--ignore-failure=x", "true"], "--ignore-failure: 'x' is not an exit code"),
        (["command", "--env", "x", "true"], "sets no variable"),
        (["command", "true", "--name", "a", "--name", "b"], "more names than commands"),
        (["command", "true", "--parameter", "n=1", "--parameter", "n=2"], "'n' is given twice"),
        (["command", "true", "--parameter", "n=1,1"], "parameter 'n' has the value '1' twice"),
        (
            ["command", "true", "--parameter", "threads=1"],
            "'threads' cannot be the name of a parameter",
        ),
        (["command", "true", "--parameter", "x y]=1"], "'x y]' cannot be the name of a parameter"),
        (["command", "true", "--parameter", "n="], "an empty value"),
        (["command", "true", "--file", ""], "an empty path"),
        (["command", "true", "--file", "/etc/hosts", "--file", "/usr/hosts"], "called 'hosts'"),
    ):
        done = run(*arguments, code=2)
        expect(words in done.stderr, f"{arguments}: {done.stderr}")
    killed = ("--counts-only", "--expect-status", "137")
    case_of("sh", "-c", "kill -9 $$", options=killed)  # 128 and the signal's number


def living(mark):
    """Processes whose command line has the mark as an argument."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = one.read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in arguments:
            found.append(one.parent.name)
    return found


def expect_none(mark, when):
    end = time.monotonic() + 5
    while living(mark) and time.monotonic() < end:
        time.sleep(0.02)
    expect(not living(mark), f"{when}, something still runs")


def check_signals():
    for side in ("--counts-only", "--wall-only"):
        options = (side, "--retries", "0", "--runs", "3")
        said = case_of("sh", "-c", "kill 0", options=options, code=1)["failure"]["message"]
        expect(said == "it was ended by SIGTERM", f"kill 0, {side}: {said}")
        expected = (*options, "--expect-status", "143")
        case_of("sh", "-c", "kill 0", options=expected)
        case_of("sh", "-c", "for s in TERM INT HUP USR1; do kill -$s $PPID; done", options=options)
        case_of("true", options=(*options, "--setup", "trap '' TERM; kill 0", "--prepare", "true"))
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "log"
        options = ("--wall-only", "--retries", "0", "--cleanup", f"echo cleaned >> {log}")
        command = ("sh", "-c", "kill -9 $PPID; sleep 31557.1")
        said = case_of(*command, options=options, code=1)["failure"]["message"]
        expect(said.startswith("what starts it was ended by SIGKILL"), said)
        expect(log.read_text() == "cleaned\n", "the cleanup comes all the same")
        expect_none("31557.1", "after its starter was killed")


SERVER = """import socket
listener = socket.socket(socket.AF_UNIX)
listener.bind("socket")
listener.listen()
while True:
    connection, _ = listener.accept()
    connection.sendall(b"served")
    connection.close()
"""
CLIENT = """import socket
connection = socket.socket(socket.AF_UNIX)
connection.connect("socket")
assert connection.recv(6) == b"served"
"""


def check_server(folder):
    """What a setup leaves running serves the executions, and is ended after the cleanup."""
    (folder / "server.py").write_text(SERVER)
    (folder / "client.py").write_text(CLIENT)
    python = sys.executable
    setup = (
        f"setsid sleep 31557.2 & rm -f socket; {python} server.py & echo setup >> log; "
        "while test ! -S socket; do sleep 0.01; done"
    )
    cleanup = f"{python} client.py && echo served >> log"
    options = ("--timeout", "60", "--setup", setup, "--cleanup", cleanup, "--runs", "4")
    case = case_of(python, "-S", "client.py", options=options, folder=folder)
    expect(case["counts"]["spread"] == 0, f"served while it is counted: {case['counts']}")
    expect(len(case["wall"]["replicates_s"]) == 4, "and timed")
    log = (folder / "log").read_text()
    expect(log == "setup\nserved\n" * 2, f"once for each side, and to the cleanup: {log}")
    expect_none("31557.2", "after the run")
    ignores = "trap '' TERM INT HUP; sleep 31557.3 & sleep 31557.3 &"
    for ends in ("false", "kill -9 $PPID"):
        case_of("sh", "-c", ends, options=("--wall-only", "--setup", ignores), code=1)
        expect_none("31557.3", "after a failure")
    failing = ("--counts-only", "--setup", ignores + " exit 3", "--cleanup", "echo cleaned > log")
    case_of("true", options=failing, code=1, folder=folder)
    expect((folder / "log").read_text() == "cleaned\n", "what has begun is cleaned up after")
    expect_none("31557.3", "after a setup that failed")


def check_interruption(folder):
    """Ctrl-C: the cleanup runs once, and a second one ends it."""
    log = folder / "log"
    mark = "31557.4"

    def wait_for(text):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if log.exists() and text in log.read_text() and living(mark):
                return
            time.sleep(0.02)
        sys.exit(f"commands_test: no {text} in {log.read_text() if log.exists() else None}")

    def start(side, cleanup):
        log.unlink(missing_ok=True)
        arguments = ["command", side, "--setup", f"echo setup >> {log}; sleep {mark} &"]
        arguments += ["--cleanup", cleanup, "--", "sh", "-c", f"trap '' INT; sleep {mark}; true"]
        # As a shell in the foreground: what is ignored stays so.
        begun = subprocess.Popen(
            [TALLY, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for("setup")
        return begun

    for side in ("--counts-only", "--wall-only"):
        begun = start(side, f"echo begins >> {log}; sleep 0.5; echo ends >> {log}")
        begun.send_signal(signal.SIGINT)
        expect(begun.wait(60) == 130, "Ctrl-C is 130")
        expect(log.read_text() == "setup\nbegins\nends\n", f"one cleanup: {log.read_text()}")
        expect_none(mark, "after Ctrl-C")
        begun = start(side, f"echo begins >> {log}; sleep {mark}; echo ends >> {log}")
        begun.send_signal(signal.SIGINT)
        wait_for("begins")
        begun.send_signal(signal.SIGINT)
        expect(begun.wait(10) == 130, "the second one ends the cleanup")
        expect("ends" not in log.read_text(), log.read_text())
        expect_none(mark, "after the second Ctrl-C")
    log.unlink()
    limit = ("--counts-only", "--timeout", "1", "--retries", "0")
    options = (*limit, "--cleanup", f"echo cleaned >> {log}")
    failure = case_of("sleep", mark, options=options, code=1)["failure"]
    expect("timed out after 1 s" in failure["message"] and failure["stage"] == "count", failure)
    expect(log.read_text() == "cleaned\n", "a time limit is followed by the cleanup")
    expect_none(mark, "after a time limit")


LOOPS = """#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sum;

static void add(int times) {
  for (int i = 0; i < times; i++) {
    sum += i;
  }
}

int main(void) {
  if (fork() == 0) {
    add(20000);
    _exit(0);
  }
  wait(0);
  add(10000);
  return 0;
}
"""


def lines_of(record):
    case = json.loads(record.read_text())["cases"][0]
    profile = json.loads((record.parent / case["profile"]).read_text())
    lines = profile.get("lines")
    if lines is None:
        return case, None
    strings = lines["strings"]
    return (
        case,
        {(strings[file], line): cost for file, line, cost in lines["lines"]},
        lines["total"],
    )


def check_lines(folder):
    source = folder / "loops.c"

    def measure(text, name):
        source.write_text(text)
        subprocess.run(["gcc", "-g", "-O1", "-o", "loops", "loops.c"], cwd=folder, check=True)
        command = ["command", "--counts-only", "--profiles", "--json", name, "--", "./loops"]
        run(*command, folder=folder)
        return lines_of(folder / name)

    case, lines, total = measure(LOOPS, "before.json")
    expect(total == case["counts"]["per_iteration"], f"lines add up: {total}, {case['counts']}")
    at = LOOPS.splitlines().index("    sum += i;") + 1
    cost = lines[(str(source), at)]
    expect(cost % 30000 == 0 and cost > 0, f"{cost} instructions of the line that ran 30,000 times")
    source.unlink()
    measure(LOOPS.replace("sum += i;", "sum += i * i;"), "after.json")
    explained = run("explain", "before.json", "after.json", folder=folder).stdout
    expect("loops.c:8" in explained, f"the changed line: {explained}")
    expect("was: sum += i;" in explained, f"and what it was: {explained}")
    # Debian's own programs have no debug information.
    bare = ["command", "--counts-only", "--profiles", "--json", "true.json", "--", "/bin/true"]
    run(*bare, folder=folder)
    expect(lines_of(folder / "true.json")[1] is None, "no lines without debug information")
    refused = run("profile", "true.json#/bin/true", "--lines", folder=folder, code=2).stderr
    expect("debug information" in refused, refused)
    refused = run("command", "--profiles", "--", "true", code=2).stderr
    expect("add --json FILE" in refused, refused)


def check_unloaded_libraries(folder):
    """What two libraries execute that lie at one address, one after the other, is each one's own."""
    for name, n in (("heavy", 1000000), ("light", 1000)):
        (folder / f"{name}.c").write_text(
            f"__attribute__((noinline)) void work_of_{name}(int n) {{\n"
            "  for (volatile int i = 0; i < n; ++i) {}\n}\n"
            f"void go(void) {{ work_of_{name}({n}); }}\n"
        )
        arguments = ["gcc", "-O1", "-shared", "-fPIC", f"{name}.c", "-o", f"lib{name}.so"]
        subprocess.run(arguments, cwd=folder, check=True)
    (folder / "loads.c").write_text(
        "#include <dlfcn.h>\n#include <stdio.h>\n"
        "int main(int count, char** names) {\n"
        "  void* at = 0;\n"
        "  for (int i = 1; i < count; ++i) {\n"
        "    void* library = dlopen(names[i], RTLD_NOW);\n"
        '    void (*go)(void) = (void (*)(void))dlsym(library, "go");\n'
        "    if (at != 0 && at != (void*)go) return 1;\n"
        "    at = (void*)go;\n"
        "    go();\n"
        "    if (i + 1 < count) dlclose(library);\n"
        "  }\n  return 0;\n}\n"
    )
    subprocess.run(["gcc", "-O1", "loads.c", "-o", "loads", "-ldl"], cwd=folder, check=True)
    libraries = ["./libheavy.so", "./liblight.so", "./libheavy.so", "./liblight.so"]
    arguments = ["--counts-only", "--profiles", "--json", "r.json", "--", "./loads", *libraries]
    run("command", *arguments, folder=folder)
    profile = json.loads(next((folder / "r.json.profiles").iterdir()).read_text())
    strings = profile["strings"]
    own = {}
    for function, _, cost in profile["rows"]:
        object_, _, name = profile["functions"][function]
        own[Path(strings[object_]).name, strings[name]] = cost
    heavy = own["libheavy.so", "work_of_heavy"]
    light = own["liblight.so", "work_of_light"]
    # As many of each iteration, and as many around the loop.
    each = (heavy - light) / (2 * (1000000 - 1000))
    expect(each == int(each) > 2, f"{heavy} and {light}")
    expect(("liblight.so", "work_of_heavy") not in own, "a name of one with the other's")


def check_ab():
    done = run(
        "ab",
        "--a-command",
        f"{VICTIM} nops 1000000",
        "--b-command",
        f"{VICTIM} nops 2000000",
        "--counts-only",
    )
    expect("1 slower" in done.stdout and "arguments" in done.stdout, done.stdout)
    same = run(
        "ab", "--a-command", f"{VICTIM} nops", "--b-command", f"{VICTIM} nops", "--counts-only"
    )
    expect("1 same" in same.stdout, same.stdout)


def check_suite(folder):
    (folder / "data").write_text("b\na\nc\n" * 1000)
    (folder / "suite.toml").write_text(
        """schema = 1
[[command]]
label = ["sort", "${how}"]
run = ["sort", "${how}", "data"]
params = { how = ["-r", "-n"] }
tags = ["sort"]
[[command]]
label = "shell"
shell = "sort -u"
input = "data"
environment = { LC_ALL = "C" }
"""
    )
    ids = run("list", "suite.toml", folder=folder).stdout.splitlines()
    expect(
        ids == ["sort/-r [command how=-r]", "sort/-n [command how=-n]", "shell [command]"],
        f"ids: {ids}",
    )
    for name in ("a", "b"):
        run(
            "run",
            "suite.toml",
            "--counts-only",
            "--json",
            f"{name}.json",
            "--profiles",
            folder=folder,
        )
    same = run("same", "a.json", "b.json", folder=folder).stdout
    expect("3 of 3" in same or "same" in same, same)
    checked = run("check", "a.json", "b.json", "--limit", "instructions=+0", folder=folder).stdout
    expect("judged 3 of 3 cases" in checked, checked)
    (folder / "data").write_text("b\na\nc\n" * 1100)
    run("run", "suite.toml", "--json", "c.json", "--profiles", "-f", "sort/-r", folder=folder)
    done = run("check", "a.json", "c.json", "--limit", "instructions=+1%", folder=folder, code=None)
    expect(done.returncode in (1, 3) and "sort/-r" in done.stdout, done.stdout)
    explained = run("explain", "a.json", "c.json", "sort/-r", folder=folder).stdout
    expect("functions that moved" in explained and "cause: input" in explained, explained)
    shown = run("command", "sort data", "sort -r data", "--parameter", "x=1", folder=folder).stdout
    expect("against sort data" in shown and "times the instructions" in shown, shown)


def main():
    check_known_work()
    check_answers()
    check_times()
    check_process_numbers()
    check_own_process_numbers()
    check_private_tmp()
    check_private_tmp_of_another_user()
    check_what_differs()
    check_failures()
    check_signals()
    check_ab()
    check_exports()
    for check in (
        check_facts_of_files,
        check_server,
        check_interruption,
        check_surroundings,
        check_output,
        check_full_disk,
        check_bisect,
        check_inherited_output,
        check_lines,
        check_unloaded_libraries,
        check_suite,
    ):
        with tempfile.TemporaryDirectory() as folder:
            check(Path(folder))
    print("commands: passed")


main()
