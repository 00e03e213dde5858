"""A stand-in for gh and curl, and for the forge behind them: knows the calls that the recipes make, and no other.

Its state is the JSON file that $FORGE names: pulls, notes, and the folder of artifacts.
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
    assert name in ("body", "body="), text
    return pathlib.Path(path).read_text()


def add_note(state, body, author):
    state["notes"].append({"id": 100 + len(state["notes"]), "body": body, **author})
    return "{}"


def set_note(state, number, body):
    next(one for one in state["notes"] if one["id"] == int(number))["body"] = body
    return "{}"


def gh(arguments, state):
    assert arguments[0] == "api" and os.environ["GH_TOKEN"] == "secret"
    method = value_after(arguments, "-X", "GET")
    place = next(one for one in arguments if one.startswith("repos/")).split("/")
    assert place[1:3] == ["ours", "project"]
    match method, place[3:]:
        case "GET", ["pulls"]:
            assert "state=open" in arguments
            head = next(one for one in arguments if one.startswith("head="))[len("head=") :]
            answer = [one for one in state["pulls"] if one["head"]["label"] == head]
        case "GET", ["issues", "7", "comments"]:
            answer = state["notes"]
        case "POST", ["issues", "7", "comments"]:
            author = {"user": {"login": "github-actions[bot]"}}
            return add_note(state, body_of(value_after(arguments, "-F")), author)
        case "PATCH", ["issues", "comments", number]:
            return set_note(state, number, body_of(value_after(arguments, "-F")))
        case _:
            raise AssertionError(arguments)
    return filtered(answer, value_after(arguments, "--jq"))


def filtered(answer, expression):
    done = subprocess.run(["jq", "-r", expression], input=json.dumps(answer), capture_output=True, text=True, check=True)
    return done.stdout


def curl(arguments, state):
    assert "--fail" in arguments and value_after(arguments, "--header") == "PRIVATE-TOKEN: secret"
    method = value_after(arguments, "--request", "GET")
    url = next(one for one in arguments if one.startswith("https://gitlab/api/v4/"))
    place = url[len("https://gitlab/api/v4/") :].split("?")[0].split("/")
    match method, place:
        case "GET", ["user"]:
            return json.dumps({"id": 42})
        case "GET", ["projects", "1", "merge_requests"]:
            return json.dumps([{"iid": 7}, {"iid": 8}])
        case "GET", ["projects", "1", "merge_requests", "7"]:
            return json.dumps({"iid": 7, "head_pipeline": {"project_id": 2, "id": 30}})
        case "GET", ["projects", "1", "merge_requests", "8"]:
            return json.dumps({"iid": 8, "head_pipeline": None})
        case "GET", ["projects", "2", "pipelines", "30", "jobs"]:
            return json.dumps([{"name": "lint", "id": 3}, {"name": "measure", "id": 4}])
        case "GET", ["projects", "2", "jobs", "4", "artifacts", name]:
            shutil.copy(pathlib.Path(state["artifacts"]) / name, value_after(arguments, "--output"))
            return None
        case "GET", ["projects", "1", "merge_requests", "7", "notes"]:
            return json.dumps(state["notes"])
        case "POST", ["projects", "1", "merge_requests", "7", "notes"]:
            return add_note(state, body_of(value_after(arguments, "--data-urlencode")), {"author": {"id": 42}})
        case "PUT", ["projects", "1", "merge_requests", "7", "notes", number]:
            return set_note(state, number, body_of(value_after(arguments, "--data-urlencode")))
    raise AssertionError(arguments)


main()
