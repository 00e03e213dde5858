"""The GitHub Action (action.yml): every step of it, run in a made-up repository.

The runner here does what GitHub's does with an action: inputs, `if`, environment, the files that take outputs. What is
installed is a small wheel whose `tally` starts the one that is tested; pip and the virtual environment are real, and
from the second job on a copy of the first one's.
"""

import dataclasses
import pathlib
import re
import shutil
import tempfile
import unittest

import yaml
from project import HERE, Forge, wheel

ROOT = HERE.parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
EXAMPLE = ROOT / "examples" / "ci" / "github-action.yml"

SUITE = """schema = 1
[[command]]
label = ["count"]
run = ["sh", "built.sh"]
"""
# It finds its source by a variable of the workflow, as PYTHONPATH finds modules.
BUILD = 'echo "i=0; while [ \\$i -lt $(cat "$SOURCE") ]; do i=\\$((i + 1)); done" >built.sh\n'


def pairs(path):
    """What a step has written into GITHUB_OUTPUT."""
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def python_with_copies(folder):
    """An interpreter that makes its first virtual environment, and copies that one for each further one."""
    script = folder / "python"
    script.write_text(f"""#!/bin/sh
if [ "$1 $2 $3" != "-I -m venv" ]; then exec python3 "$@"; fi
if [ ! -e {folder}/venv ]; then python3 -I -m venv {folder}/venv || exit; fi
exec cp -a {folder}/venv "$4"
""")
    script.chmod(0o755)
    return script


@dataclasses.dataclass(frozen=True)
class Ran:
    code: int
    failed_at: str  # the name of the step, or nothing
    outputs: dict
    log: str
    summary: str


class Runner:
    """Runs the steps of the action in a job of its own each time."""

    def __init__(self, forge):
        self.forge = forge
        self.files = forge.folder / "runner"
        self.wheel = wheel(forge.folder)
        self.python = python_with_copies(forge.folder)

    def run(self, inputs, event="pull_request", github=None):
        self.forge.clean()
        shutil.rmtree(self.files, ignore_errors=True)
        self.files.mkdir()
        known = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        assert set(inputs) <= set(known), inputs
        required = {name for name, one in ACTION["inputs"].items() if one.get("required")}
        assert required <= set(inputs), "an input is missing"
        values = {f"inputs.{name}": value for name, value in {**known, **inputs}.items()}
        values["inputs.install"] = str(self.wheel)
        if "python" not in inputs:
            values["inputs.python"] = str(self.python)
        is_request = event == "pull_request"
        values |= {
            "github.token": "secret",
            "github.event.pull_request.number": "7" if is_request else "",
            "github.event.pull_request.base.sha": (
                self.forge.git("rev-parse", "main") if is_request else ""
            ),
            "github.event.pull_request.head.repo.full_name": "ours/project" if is_request else "",
        }
        values |= github or {}
        log, code, failed_at = "", 0, ""
        for step in ACTION["runs"]["steps"]:
            if not self.is_wanted(step.get("if", "success()"), values, bool(failed_at)):
                continue
            if "uses" in step:
                self.use(step, values)
                continue
            assert step["shell"] == "bash"
            done = self.forge.run(step["run"], self.environment(step, values, event))
            log += done.stdout + done.stderr
            if done.returncode != 0 and not failed_at:
                code, failed_at = done.returncode, step["name"]
            if "id" in step:
                for name, value in pairs(self.files / "output").items():
                    values[f"steps.{step['id']}.outputs.{name}"] = value
        outputs = {name: self.text(one["value"], values) for name, one in ACTION["outputs"].items()}
        return Ran(code, failed_at, outputs, log, (self.files / "summary").read_text())

    def environment(self, step, values, event):
        for name in ("output", "env", "path", "summary"):
            file = self.files / name
            if name in ("output", "env") or not file.exists():
                file.write_text("")
        return {
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_ENV": str(self.files / "env"),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_OUTPUT": str(self.files / "output"),
            "GITHUB_PATH": str(self.files / "path"),
            "GITHUB_REPOSITORY": "ours/project",
            "GITHUB_SHA": self.forge.git("rev-parse", "HEAD"),
            "GITHUB_STEP_SUMMARY": str(self.files / "summary"),
            "GITHUB_WORKSPACE": str(self.forge.work),
            "RUNNER_TEMP": str(self.forge.temp),
            # Of the workflow: a path below the head's folder.
            "SOURCE": f"{self.forge.work}/source",
            # Of this test alone, for a step removes images from it.
            "XDG_CACHE_HOME": str(self.forge.folder / "cache"),
        } | {name: self.text(value, values) for name, value in step.get("env", {}).items()}

    def value(self, name, values):
        # An output that no step has written is empty; all else has to be known.
        if name.startswith("steps."):
            identity = name.split(".")[1]
            assert identity in [one.get("id") for one in ACTION["runs"]["steps"]], name
            return values.get(name, "")
        return values[name]

    def text(self, text, values):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.value(found[1], values), text)

    def is_wanted(self, condition, values, has_failed):
        terms = condition.split(" && ")
        if has_failed and terms[0] != "always()":
            return False
        for term in terms:
            if term in ("always()", "success()"):
                continue
            name, is_equal, other = re.fullmatch(r"(\S+) (==|!=) '(.*)'", term).groups()
            if (self.value(name, values) == other) != (is_equal == "=="):
                return False
        return True

    def use(self, step, values):
        assert step["uses"].startswith("actions/cache@"), step
        with_ = {name: self.text(value, values) for name, value in step["with"].items()}
        assert with_["path"] == f"{self.forge.folder}/cache/tallymark", with_
        assert re.fullmatch(r"tally-0\.1\.0-[A-Za-z0-9.-]+-[0-9a-f]{16}", with_["key"]), with_
        assert with_["key"].startswith(with_["restore-keys"]), with_


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.forge = Forge(folder.name)
        (self.forge.bin / "tally").unlink()  # the action installs its own
        self.runner = Runner(self.forge)
        self.inputs = {"run": "suite.toml --counts-only", "build": "sh build.sh", "comment": "true"}
        self.commit(1000)

    def commit(self, count, **texts):
        files = {"suite.toml": SUITE, "build.sh": BUILD, "source": f"{count}\n"}
        names = {name.replace("_", "."): text for name, text in texts.items()}
        return self.forge.commit_files(files | names, f"{count} rounds")

    def pull_request(self, count, **texts):
        """What is checked out for one: the merge with main that GitHub makes of it."""
        self.forge.git("checkout", "-q", "-B", "change", "main")
        self.commit(count, **texts)
        self.forge.git("checkout", "-q", "--detach", "main")
        self.forge.git("merge", "-q", "--no-ff", "-m", "Merge", "change")

    def test_no_change_is_silent(self):
        self.pull_request(1000, note_md="Nothing that is measured.\n")
        ran = self.runner.run(self.inputs)
        self.assertEqual((ran.code, ran.outputs["verdict"]), (0, "pass"), ran.log)
        self.assertEqual(ran.outputs["exit-code"], "0")
        self.assertIn("judged 1 of 1 cases by 1 limits", ran.log)
        self.assertIn("1 same", ran.summary)
        self.assertEqual(self.forge.notes(), [])
        # The records have the names that the two jobs of the recipe exchange.
        files = {"record": "record.json", "base-record": "base.json", "markdown": "check.md"}
        for name, file in files.items():
            path = pathlib.Path(ran.outputs[name])
            self.assertEqual((path.name, path.is_file()), (file, True))
        # What a later step uses: `tally history add`.
        folder = (self.runner.files / "path").read_text().strip()
        self.forge.shell("tally --version", {"PATH": f"{folder}:/usr/bin:/bin"})

    def test_a_regression_has_one_comment(self):
        for count in (1200, 1400):
            self.pull_request(count)
            ran = self.runner.run(self.inputs)
            self.assertEqual((ran.code, ran.failed_at), (3, "Gate"), ran.log)
            self.assertEqual(ran.outputs["verdict"], "regression")
            self.assertIn("::error title=Performance regression::count", ran.log)
            self.assertIn("1 slower", ran.summary)
            # The same comment, with what is new.
            self.assertEqual(len(self.forge.notes()), 1)
            self.assertTrue(self.forge.notes()[0].startswith("<!-- tally -->\n"))
            self.assertIn("+20 %" if count == 1200 else "+40 %", self.forge.notes()[0])
        # A limit that allows it is a pass, and the comment says what changed.
        self.pull_request(1200)
        ran = self.runner.run(self.inputs | {"limits": "\ninstructions=+30%\nallocations=1\n"})
        self.assertEqual(ran.code, 2, "the second limit judged nothing")
        ran = self.runner.run(self.inputs | {"limits": "\ninstructions=+30%\n"})
        self.assertEqual((ran.code, ran.outputs["verdict"]), (0, "pass"), ran.log)
        self.assertIn("**Pass**", self.forge.notes()[0])
        # It was undone, which the comment says, too.
        self.pull_request(1000)
        ran = self.runner.run(self.inputs)
        self.assertEqual(ran.code, 0, ran.log)
        self.assertEqual(len(self.forge.notes()), 1)
        self.assertIn("1 same", self.forge.notes()[0])

    def test_a_token_that_cannot_write(self):
        self.pull_request(1200)
        self.forge.set({"forbidden": True})
        ran = self.runner.run(self.inputs)
        self.assertEqual((ran.code, ran.failed_at), (3, "Gate"), ran.log)
        self.assertIn("::notice title=Tallymark::no comment: gh api failed", ran.log)
        self.assertIn("HTTP 403", ran.log)
        # From a fork it is not even tried.
        self.forge.set({"forbidden": False})
        head = "github.event.pull_request.head.repo.full_name"
        ran = self.runner.run(self.inputs, github={head: "stranger/project"})
        self.assertEqual((ran.code, ran.failed_at), (3, "Gate"), ran.log)
        self.assertIn(
            "::notice title=Tallymark::no comment: the pull request is from a fork", ran.log
        )
        self.assertEqual(self.forge.notes(), [])

    def test_a_build_that_fails(self):
        self.pull_request(1000, build_sh="echo no compiler >&2\nexit 7\n")
        ran = self.runner.run(self.inputs)
        self.assertEqual((ran.code, ran.failed_at), (1, "Measure the head"), ran.log)
        self.assertIn("the build of the head failed with exit code 7", ran.log)
        self.assertIn("no compiler", ran.log)
        self.forge.git("checkout", "-q", "main")
        base = self.commit(1000, build_sh="exit 7\n")
        self.pull_request(1000, build_sh=BUILD)
        ran = self.runner.run(self.inputs)
        self.assertEqual((ran.code, ran.failed_at), (2, "Measure the base"), ran.log)
        self.assertIn(f"the build of the base {base[:10]} failed with exit code 7", ran.log)

    def test_a_suite_that_is_missing_or_new(self):
        self.pull_request(1000)
        ran = self.runner.run(self.inputs | {"run": "none.toml --counts-only"})
        self.assertEqual((ran.code, ran.failed_at), (2, "Measure the head"), ran.log)
        self.assertIn("the head was not measured: tally run ended with exit code 2", ran.log)
        # The base is measured by today's suite, also by one that it never had.
        self.pull_request(1000, new_toml=SUITE)
        ran = self.runner.run(self.inputs | {"run": "'new.toml' --counts-only"})
        self.assertEqual((ran.code, ran.outputs["verdict"]), (0, "pass"), ran.log)
        ran = self.runner.run(self.inputs | {"run": "'suite.toml"})
        self.assertEqual((ran.code, ran.failed_at), (2, "Install"), ran.log)
        self.assertIn("cannot be divided into words: 'suite.toml", ran.log)
        # Named files are carried in the place of suites; here the base gets the head's source.
        self.pull_request(1200)
        ran = self.runner.run(self.inputs | {"carry": "suite.toml\nsource\n"})
        self.assertEqual((ran.code, ran.outputs["verdict"]), (0, "pass"), ran.log)
        ran = self.runner.run(self.inputs | {"carry": "../source"})
        self.assertEqual((ran.code, ran.failed_at), (2, "Measure the base"), ran.log)

    def test_which_base(self):
        # A push has none, unless one is named.
        self.forge.git("checkout", "-q", "-B", "change", "main")
        self.commit(1200)
        ran = self.runner.run(self.inputs, event="push")
        self.assertEqual((ran.code, ran.outputs["verdict"]), (0, "measured"), ran.log)
        self.assertEqual((ran.outputs["base-record"], ran.outputs["markdown"]), ("", ""))
        self.assertIn("no base to compare with", ran.summary)
        ran = self.runner.run(self.inputs | {"base": "main"}, event="push")
        self.assertEqual((ran.code, ran.failed_at), (3, "Gate"), ran.log)
        ran = self.runner.run(self.inputs | {"base": "--all"}, event="push")
        self.assertEqual((ran.code, ran.failed_at), (2, "Find the base"), ran.log)
        self.assertIn("no commit --all", ran.log)
        # A clone without the base says what it lacks, before anything is measured.
        self.pull_request(1200)
        (self.forge.work / ".git" / "shallow").write_text(
            self.forge.git("rev-parse", "HEAD") + "\n"
        )
        ran = self.runner.run(self.inputs)
        self.assertEqual((ran.code, ran.failed_at), (2, "Find the base"), ran.log)
        self.assertIn("fetch-depth: 2", ran.log)

    def test_an_agreement_of_the_pull_request(self):
        agreement = """[[accept]]
case = "count *"
metric = "instructions"
up_to = "+25%"
reason = "it counts further"
expires = 2999-12-31
"""
        self.forge.git("checkout", "-q", "main")
        self.forge.commit_files({"tally-accept.toml": agreement}, "Agree")
        self.pull_request(1200)
        ran = self.runner.run(self.inputs)
        self.assertEqual((ran.code, ran.outputs["verdict"]), (0, "pass"), ran.log)

    def test_not_where_there_are_secrets(self):
        for event in ("pull_request_target", "workflow_run"):
            ran = self.runner.run(self.inputs, event=event)
            self.assertEqual((ran.code, ran.failed_at), (2, "Install"), ran.log)


class Rules(unittest.TestCase):
    def test_a_table_that_is_too_long(self):
        with tempfile.TemporaryDirectory() as folder:
            forge = Forge(folder)
            (forge.folder / "table").write_text("aé" * 10)
            show = f". {ROOT}/tools/action/common.sh; shortened %d {folder}/table"
            self.assertEqual(forge.shell(show % 30, {}), "aé" * 10)
            # The cut goes through an é.
            self.assertEqual(forge.shell(show % 5, {}), "aéa\n\nThe rest was left out.\n")

    def test_the_token_is_in_one_step(self):
        for step in ACTION["runs"]["steps"]:
            if "uses" in step:
                self.assertRegex(step["uses"], r"^[\w-]+/[\w-]+@[0-9a-f]{40}$")
            self.assertNotIn("${{", step.get("run", ""), "an expression there is anybody's text")
            texts = yaml.safe_dump(step)
            self.assertEqual("github.token" in texts, step["name"] == "Comment", step["name"])
            self.assertNotIn("secrets.", texts)

    def test_the_example_is_that_of_the_guide(self):
        text = EXAMPLE.read_text()
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        guide = (ROOT / "docs" / "guides" / "ci.md").read_text()
        self.assertIn("\n".join(f"    {line}" for line in lines), guide)
        workflow = yaml.safe_load(text)
        self.assertEqual(workflow["permissions"], {"contents": "read", "pull-requests": "write"})
        checkout, action = workflow["jobs"]["tally"]["steps"]
        self.assertRegex(checkout["uses"], r"^actions/checkout@[0-9a-f]{40}$")
        self.assertIs(checkout["with"]["persist-credentials"], False)
        self.assertLessEqual(set(action["with"]), set(ACTION["inputs"]))
        # Every input and output is in the guide's tables.
        for name in [*ACTION["inputs"], *ACTION["outputs"]]:
            self.assertIn(f"| `{name}` |", guide)


if __name__ == "__main__":
    unittest.main()
