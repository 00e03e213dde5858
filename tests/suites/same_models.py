"""The TorchScript models of a suite are the same to the byte, alone or with others, in a short
folder or a long one.

    same_models.py TALLY MAKE_ARTIFACTS SUITE PYTHON

A model's bytes move the counts of whatever loads it: constants in another order cost 0.24 %.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

import tomllib


def make(python, driver, setup, scripts, folder):
    """Digests by the model's name."""
    jobs = []
    for number, (name, script) in enumerate(scripts):
        place = os.path.join(folder, str(number))
        os.makedirs(place)
        with open(os.path.join(place, "make_model.py"), "w") as file:
            file.write(script)
        jobs.append({"folder": place, "script": "make_model.py", "name": name})
    done = subprocess.run(
        ["setarch", "-R", python, driver, "torch"],
        input=json.dumps({"setup": setup, "jobs": jobs}),
        text=True,
        check=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    errors = [answer for answer in map(json.loads, done.stdout.splitlines()) if answer["error"]]
    assert not errors and len(done.stdout.splitlines()) == len(jobs), done.stdout
    return {
        job["name"]: hashlib.sha256(
            open(os.path.join(job["folder"], job["name"]), "rb").read()
        ).hexdigest()
        for job in jobs
    }


def main():
    tally, driver, suite, python = sys.argv[1:5]
    plan = json.loads(
        subprocess.run([tally, "plan", suite, "--json"], check=True, stdout=subprocess.PIPE).stdout
    )["cases"]
    scripts = sorted(
        {
            (case["artifact"]["name"], case["artifact"]["script"])
            for case in plan
            if case["artifact"]
        }
    )
    assert len(scripts) > 5, "too few models to judge"
    torch = subprocess.run(
        [tally, "toolchains", "torch"], check=True, stdout=subprocess.PIPE, text=True
    )
    setup = tomllib.loads(torch.stdout)["toolchain"]["torch"]["artifact_setup"]
    with tempfile.TemporaryDirectory() as folder:
        together = make(python, driver, setup, scripts, folder)
    with tempfile.TemporaryDirectory() as folder:
        backwards = make(
            python,
            driver,
            setup,
            scripts[::-1],
            os.path.join(folder, "in/a/much/longer/folder/than/the/first"),
        )
    failed = [name for name in together if together[name] != backwards[name]]
    alone = 0
    for one in scripts[:2]:
        with tempfile.TemporaryDirectory() as folder:
            failed += [
                name
                for name, digest in make(python, driver, setup, [one], folder).items()
                if together[name] != digest
            ]
            alone += 1
    verdict = "DIFFERENT: " + ", ".join(failed) if failed else "the same"
    print(f"{len(scripts)} models, {alone} of them also alone: {verdict}")
    return 1 if failed else 0


sys.exit(main())
