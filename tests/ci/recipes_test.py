"""The recipes of examples/ci that keep a history: every command of theirs, run in a made-up repository.

The runner here does what a forge does with a file: the steps in order, with `if`, environment, artifacts. The forge
itself is forge.py, which stands in for gh and curl. What only a forge can do (permissions, who is asked) is held to
rules.
"""

import re
import shutil
import tempfile
import unittest

import yaml
from project import HERE, Forge, wheel

CI = HERE.parent.parent / "examples" / "ci"

# A comment is cut off at 60,000 bytes: with one of these names within a character.
LONG_NAMES = ("é" * 40000, "x" + "é" * 40000)


def component(name, inputs):
    """A file of GitLab's with inputs, as it is when it is included with these."""
    head, body = yaml.safe_load_all((CI / name).read_text())
    known = {name: one.get("default") for name, one in head["spec"]["inputs"].items()}
    assert set(inputs) <= set(known), inputs
    known |= inputs
    assert None not in known.values(), "an input is missing"

    def filled(value):
        if isinstance(value, dict):
            return {key: filled(one) for key, one in value.items()}
        if isinstance(value, list):
            return [filled(one) for one in value]
        if isinstance(value, str):
            return re.sub(r"\$\[\[ inputs\.(.*?) \]\]", lambda found: known[found[1]], value)
        return value

    for job in body.values():
        assert "$[[" not in "\n".join(job["script"]), "an input within a command is its text there"
    return filled(body)


def read(name):
    recipe = yaml.safe_load((CI / name).read_text())
    # YAML 1.1 takes `on` for true.
    if True in recipe:
        recipe["on"] = recipe.pop(True)
    return recipe


class GitHub(Forge):
    def job(self, recipe, name, event, expressions, fails_at=None):
        """The steps of a job. `expressions`: what ${{ }} and `if` mean; one that is not known is a failure."""
        failed = False
        known = {"success()": True, "github.event_name == 'pull_request'": event == "pull_request"}
        for step in recipe["jobs"][name]["steps"]:
            condition = step.get("if", "success()")
            if condition == "always()":
                pass
            elif failed or not known[condition]:
                continue
            if "uses" in step:
                self.use(step)
                continue
            environment = {
                key: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: expressions[found[1]], value)
                for key, value in step.get("env", {}).items()
            }
            assert "${{" not in step["run"], (
                "an expression within a command is anybody's text there"
            )
            failing = step["name"] == fails_at
            self.shell(
                step["run"], environment | {"RUNNER_TEMP": str(self.temp)}, 3 if failing else 0
            )
            failed = failed or failing
        assert failed == (fails_at is not None)

    def use(self, step):
        action = step["uses"].split("@")[0]
        artifacts = self.folder / "artifacts"
        if action == "actions/upload-artifact":
            shutil.rmtree(artifacts, ignore_errors=True)
            artifacts.mkdir()
            for path in step["with"]["path"].split():
                if (self.work / path).exists():
                    shutil.copy(self.work / path, artifacts / path)
        elif action == "actions/download-artifact":
            shutil.copytree(artifacts, self.work / step["with"]["path"], symlinks=True)
        elif action == "actions/upload-pages-artifact":
            assert (self.work / step["with"]["path"] / "index.html").exists()
        else:
            assert action in ("actions/checkout", "actions/deploy-pages"), action


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_github(self):
        measure, publish = read("history-github-measure.yml"), read("history-github-publish.yml")
        forge = GitHub(self.folder)
        forge.commit(10000)
        forge.git("push", "-q", "origin", "main")

        def pull_request(nops, fails_at=None):
            forge.git("checkout", "-q", "-B", "change", "main")
            head = forge.commit(nops)
            forge.git("checkout", "-q", "--detach", "main")
            forge.git("merge", "-q", "--no-ff", "-m", "Merge", "change")
            forge.clean()
            forge.job(measure, "measure", "pull_request", {}, fails_at)
            forge.set({"pulls": [{"number": 7, "head": {"sha": head, "label": "stranger:change"}}]})
            return head

        def comment(head):
            forge.git("checkout", "-q", "main")
            forge.clean()
            expressions = {
                "github.token": "secret",
                "github.repository": "ours/project",
                "github.event.workflow_run.head_repository.owner.login": "stranger",
                "github.event.workflow_run.head_branch": "change",
                "github.event.workflow_run.head_sha": head,
            }
            forge.job(publish, "comment", "workflow_run", expressions)

        # Nothing changed: silence.
        comment(pull_request(10000))
        self.assertEqual(forge.notes(), [])
        # It did: the gate is red, and there is one comment, however often.
        slower = pull_request(12000, "Hold it to the base")
        comment(slower)
        comment(slower)
        self.assertEqual(len(forge.notes()), 1)
        self.assertIn("+20 %", forge.notes()[0])
        # It was mended: the comment says so.
        comment(pull_request(10000))
        self.assertEqual(len(forge.notes()), 1)
        self.assertNotIn("+20 %", forge.notes()[0])
        # A newer commit is there: nothing of the old one is said.
        forge.set({"notes": []})
        comment("0" * 40)
        self.assertEqual(forge.notes(), [])

        # What a fork makes up is no command, no markup, no file of ours.
        slower = pull_request(12000, "Hold it to the base")
        record = forge.folder / "artifacts" / "record.json"
        # The name as tally makes it of that label: a record that contradicts itself is not read at all.
        measured = record.read_text()
        forged = measured.replace('"sum"', '"<img src=x> `$(touch harm)`"')
        record.write_text(
            forged.replace('"sum [cpp]"', '"<img src=x> %60%24(touch harm)%60 [cpp]"')
        )
        comment(slower)
        self.assertEqual(len(forge.notes()), 1)
        self.assertNotIn("<img", forge.notes()[0])
        self.assertFalse((forge.work / "harm").exists())
        # A table that is too long is cut off, in the middle of an é, too.
        for name in LONG_NAMES:
            record.write_text(measured.replace('"sum', f'"{name}'))
            comment(slower)
            self.assertIn("éé", forge.notes()[0])
        record.unlink()
        record.symlink_to("/etc/passwd")
        with self.assertRaisesRegex(AssertionError, "-L(.|\n)*exit 1, not 0"):
            comment(slower)

        # Commits of main are kept, each once, and shown.
        for nops in (10000, 11000):
            forge.git("checkout", "-q", "main")
            head = forge.commit(nops)
            forge.git("push", "-q", "origin", "main")
            forge.clean()
            forge.job(measure, "measure", "push", {})
            forge.clean()
            forge.job(
                publish, "store", "workflow_run", {"github.event.workflow_run.head_sha": head}
            )
        log = forge.shell("tally history log --store git:tally-history", {})
        self.assertIn("+10 %", log)
        kept = forge.git("ls-tree", "-r", "--name-only", "origin/tally-history") or ""
        self.assertEqual(len([name for name in kept.splitlines() if name.startswith("runs/")]), 2)

    def test_no_token_where_a_forks_code_runs(self):
        measure, publish = read("history-github-measure.yml"), read("history-github-publish.yml")
        self.assertEqual(measure["permissions"], {"contents": "read"})
        self.assertEqual(set(measure["on"]), {"pull_request", "push"})
        self.assertNotIn(
            "secrets", (CI / "history-github-measure.yml").read_text().split("name: measure", 1)[1]
        )
        self.assertNotIn("github.token", (CI / "history-github-measure.yml").read_text())
        self.assertEqual(set(publish["on"]), {"workflow_run"})
        self.assertEqual(publish["permissions"], {})
        checkouts = 0
        for recipe in (measure, publish):
            for job in recipe["jobs"].values():
                self.assertNotIn("pull_request_target", job)
                for step in job["steps"]:
                    if "uses" not in step:
                        continue
                    self.assertRegex(step["uses"], r"^[\w-]+/[\w-]+@[0-9a-f]{40}$")
                    if step["uses"].startswith("actions/checkout@"):
                        checkouts += 1
                        self.assertNotIn("ref", step["with"])
                        self.assertEqual(
                            step["with"].get("persist-credentials"),
                            False if recipe is measure else None,
                        )
        self.assertEqual(checkouts, 2)
        self.assertFalse(
            any("checkout" in step.get("uses", "") for step in publish["jobs"]["comment"]["steps"])
        )

    def test_gitlab(self):
        recipe = read("history-gitlab.yml")
        forge = Forge(self.folder)
        (measuring,) = recipe["include"]
        installed = {"install": str(wheel(forge.folder))}
        recipe |= component(measuring["local"], measuring["inputs"] | installed)
        self.assertIn(recipe["measure"]["stage"], recipe["stages"])
        base = forge.commit(10000)
        forge.git("push", "-q", "origin", "main")
        artifacts = forge.folder / "artifacts"

        def job(name, environment, wanted=0):
            forge.clean()
            usual = {
                "CI_PROJECT_DIR": str(forge.work),
                "CI_API_V4_URL": "https://gitlab/api/v4",
                "CI_PROJECT_ID": "1",
                "CI_SERVER_HOST": "gitlab",
                "CI_PROJECT_PATH": "ours/project",
            }
            if name == "pages":
                shutil.copy(artifacts / "record.json", forge.work / "record.json")
                # The address is a real server's; here origin is a folder.
                usual |= {
                    "GIT_CONFIG_COUNT": "1",
                    "GIT_CONFIG_KEY_0": f"url.{forge.folder}/origin.git.insteadOf",
                    "GIT_CONFIG_VALUE_0": "https://tally:secret@gitlab/ours/project.git",
                }
            for variable, value in recipe[name].get("variables", {}).items():
                if isinstance(value, dict):
                    assert value["expand"] is False
                    usual[variable] = value["value"]
                else:
                    usual[variable] = value.replace("$CI_PROJECT_DIR", str(forge.work))
            (kept,) = recipe[name].get("cache", {}).get("paths", [None])
            if kept and (forge.folder / "kept").exists():
                shutil.copytree(forge.folder / "kept", forge.work / kept)
            forge.shell("\n".join(recipe[name]["script"]), usual | environment, wanted)
            if kept:
                forge.shell("\n".join(recipe[name]["after_script"]), usual)
                shutil.rmtree(forge.folder / "kept", ignore_errors=True)
                shutil.copytree(forge.work / kept, forge.folder / "kept")
            if name == "measure":
                shutil.rmtree(artifacts, ignore_errors=True)
                artifacts.mkdir()
                for path in recipe[name]["artifacts"]["paths"]:
                    if (forge.work / path).exists():
                        shutil.copy(forge.work / path, artifacts / path)

        def merge_request(nops, wanted=0):
            forge.git("checkout", "-q", "-B", "change", "main")
            forge.commit(nops)
            job("measure", {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base}, wanted)
            forge.git("checkout", "-q", "main")
            job("comment", {"TALLY_TOKEN": "secret"})

        merge_request(10000)
        self.assertEqual(forge.notes(), [])
        merge_request(12000, 3)
        job("comment", {"TALLY_TOKEN": "secret"})
        self.assertEqual(len(forge.notes()), 1)
        self.assertIn("+20 %", forge.notes()[0])
        record = artifacts / "record.json"
        measured = record.read_text()
        for name in LONG_NAMES:
            record.write_text(measured.replace('"sum', f'"{name}'))
            job("comment", {"TALLY_TOKEN": "secret"})
            self.assertIn("éé", forge.notes()[0])

        for nops in (10000, 11000):
            head = forge.commit(nops)
            # The job before it has set origin's address, in what is a clone of its own on a runner.
            forge.git("push", "-q", str(forge.folder / "origin.git"), "main")
            job("measure", {})
            job("pages", {"TALLY_TOKEN": "secret", "CI_COMMIT_SHA": head})
        self.assertIn("+10 %", forge.shell("tally history log --store git:tally-history", {}))
        for name in ("pages", "comment"):
            for rule in recipe[name]["rules"]:
                self.assertIn("$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH", rule["if"])
        self.assertNotIn("TALLY_TOKEN", "\n".join(recipe["measure"]["script"]))


if __name__ == "__main__":
    unittest.main()
