"""A stand-in for gh and curl, and for the forge behind them: knows the calls that the recipes make, and no other.

Its state is the JSON file that $FORGE names: pulls, notes, the folder of artifacts, and whether the token is forbidden
to write.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys


def main():
    tool, arguments = sys.argv[1], sys.argv[2:]
    state_path = pathlib.Path(os.environ["FORGE"])
    state = json.loads(state_path.read_text())
    answer = (gh if tool == "gh" else curl)(arguments, state)
    state_path.write_text(json.dumps(state))
    if answer is not None:
        sys.stdout.write(answer)


def value_after(arguments, option, otherwise=None):
    return arguments[arguments.index(option) + 1] if option in arguments else otherwise


def body_of(text):
    name, _, path = text.partition("@")
    assert name in ("body", "body="), text  # gh's, and curl's
    return pathlib.Path(path).read_text()


def add_note(state, body, author):
    state["notes"].append({"id": 100 + len(state["notes"]), "body": body, **author})
    return "{}"


def set_note(state, number, body):
    next(one for one in state["notes"] if one["id"] == int(number))["body"] = body
    return "{}"


def gh(arguments, state):
    assert arguments[0] == "api" and os.environ["GH_TOKEN"] == "secret"
    place = next(one for one in arguments if one.startswith("repos/"))
    method = value_after(arguments, "-X", "GET")
    if method != "GET" and state.get("forbidden"):
        sys.exit("gh: Resource not accessible by integration (HTTP 403)")
    call = method + " " + place.replace("repos/ours/project/", "")
    if call == "GET pulls":
        assert "state=open" in arguments
        head = next(one for one in arguments if one.startswith("head="))[len("head=") :]
        answer = [one for one in state["pulls"] if one["head"]["label"] == head]
    elif call == "GET issues/7/comments":
        answer = state["notes"]
    elif call == "POST issues/7/comments":
        author = {"user": {"login": "github-actions[bot]"}}
        return add_note(state, body_of(value_after(arguments, "-F")), author)
    elif call.startswith("PATCH issues/comments/"):
        return set_note(state, call.split("/")[-1], body_of(value_after(arguments, "-F")))
    else:
        raise AssertionError(arguments)
    return filtered(answer, value_after(arguments, "--jq"))


def filtered(answer, expression):
    done = subprocess.run(
        ["jq", "-r", expression],
        input=json.dumps(answer),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


GITLAB = {
    "user": {"id": 42},
    "projects/1/merge_requests": [{"iid": 7}, {"iid": 8}],
    "projects/1/merge_requests/7": {"iid": 7, "head_pipeline": {"project_id": 2, "id": 30}},
    "projects/1/merge_requests/8": {"iid": 8, "head_pipeline": None},
    "projects/2/pipelines/30/jobs": [{"name": "lint", "id": 3}, {"name": "measure", "id": 4}],
}


def curl(arguments, state):
    assert "--fail" in arguments and value_after(arguments, "--header") == "PRIVATE-TOKEN: secret"
    method = value_after(arguments, "--request", "GET")
    url = next(one for one in arguments if one.startswith("https://gitlab/api/v4/"))
    place = url[len("https://gitlab/api/v4/") :].split("?")[0]
    notes = "projects/1/merge_requests/7/notes"
    if method == "GET" and place in GITLAB:
        return json.dumps(GITLAB[place])
    if method == "GET" and place.startswith("projects/2/jobs/4/artifacts/"):
        artifact = pathlib.Path(state["artifacts"]) / pathlib.Path(place).name
        shutil.copy(artifact, value_after(arguments, "--output"))
        return None
    if (method, place) == ("GET", notes):
        return json.dumps(state["notes"])
    if (method, place) == ("POST", notes):
        return add_note(
            state, body_of(value_after(arguments, "--data-urlencode")), {"author": {"id": 42}}
        )
    if method == "PUT" and place.startswith(notes + "/"):
        return set_note(
            state, pathlib.Path(place).name, body_of(value_after(arguments, "--data-urlencode"))
        )
    raise AssertionError(arguments)


main()
