"""What shells complete of tally's commands, and what man(1) makes of its pages.

Run as: TALLY=…/tally python3 shells_test.py
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TALLY = os.environ["TALLY"]


def expect(good, what):
    if not good:
        sys.exit(f"shells_test: {what}")


def run(*argv, text=None):
    done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=60, check=False)
    expect(done.returncode == 0, f"{argv}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def script(shell, folder):
    file = folder / shell
    file.write_text(run(TALLY, "completions", shell).stdout)
    return file


def check_bash(folder):
    file = script("bash", folder)
    asks = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tally; echo "${COMPREPLY[@]}"'
    for words, answer in (
        (["tally", "hist"], "history"),
        (["tally", "history", "ac"], "accept"),
        (["tally", "history", "add", "--st"], "--store"),
        (["tally", "command", "--export", ""], "hyperfine markdown csv"),
        (["tally", "run", "--counts-o"], "--counts-only"),
        (["tally", "run", "suite"], ""),
    ):
        said = run("bash", "-c", asks, "bash", str(file), *words).stdout.strip()
        expect(said == answer, f"bash completes {words} to {said!r}")


def check_fish(folder):
    file = script("fish", folder)
    for words, answer in (
        ("tally hist", "history"),
        ("tally history ac", "accept"),
        ("tally history add --sto", "--store"),
        ("tally command --export mark", "markdown"),
        ("tally run --counts-o", "--counts-only"),
    ):
        said = run("fish", "-N", "-c", f"source {file}; complete -C '{words}'").stdout
        expect(said.split("\t")[0] == answer, f"fish completes {words!r} to {said!r}")


def check_zsh(folder):
    run("zsh", "-n", str(script("zsh", folder)))
    # An installed one: in a prefix of its own it is found where fpath names it, as the help says, and not otherwise.
    installed = folder / "prefix" / "share" / "zsh" / "site-functions"
    installed.mkdir(parents=True)
    (installed / "_tally").write_text(run(TALLY, "completions", "zsh").stdout)
    asks = 'autoload -Uz compinit && compinit -D -u && echo "completes with ${_comps[tally]}"'
    for fpath, answer in (
        (f"fpath+=({installed})", "completes with _tally"),
        ("true", "completes with"),
    ):
        said = run("zsh", "-fc", f"fpath=(${{fpath:#*/local/*}}); {fpath}; {asks}").stdout.strip()
        expect(said == answer, f"zsh with {fpath}: {said!r}")
    help_text = " ".join(run(TALLY, "completions", "--help").stdout.split())
    expect("fpath+=(PREFIX/share/zsh/site-functions)" in help_text, help_text)


def check_pages(folder):
    run(TALLY, "man", "--all", str(folder / "man"))
    pages = sorted((folder / "man").iterdir())
    expect(len(pages) > 20, f"{pages}")
    for page in pages:
        done = run("groff", "-man", "-ww", "-Tutf8", str(page))
        expect(done.stderr == "", f"{page.name}: {done.stderr}")
    run_page = run("groff", "-man", "-Tascii", str(folder / "man" / "tally-run.1")).stdout
    expect("--counts-only" in run_page.replace("\b", ""), run_page)
    wrong = subprocess.run([TALLY, "man", "nope"], capture_output=True, text=True, check=False)
    expect(wrong.returncode == 2 and "there is no command 'nope'" in wrong.stderr, wrong)


def check_help():
    page = run(TALLY, "help", "history", "add").stdout
    expect("tally history add" in page, page)
    expect(run(TALLY, "-V").stdout == run(TALLY, "--version").stdout, "-V")


def main():
    check_help()
    with tempfile.TemporaryDirectory() as name:
        for check in (check_bash, check_fish, check_zsh, check_pages):
            check(Path(name))
    print("shells: passed")


for tool in ("bash", "fish", "zsh", "groff"):
    expect(shutil.which(tool), f"{tool} is missing: tools/setup.sh packages-test.txt installs it")
main()
