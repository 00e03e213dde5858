"""Makes TorchScript models: runs each script of the job on standard input in its own folder, in one process.

The job is a JSON list of {"folder", "script", "name"}; for each, one JSON line {"index", "error"} is printed, with an empty error
when the script left the file `name`. One script's failure is not another's.
"""
import json
import os
import runpy
import sys
import traceback


def make(job):
    os.chdir(job["folder"])
    # The whole path: inspect finds a scripted function's source by file name, and remembers it.
    runpy.run_path(os.path.join(job["folder"], job["script"]), run_name="__main__")
    if not os.path.exists(job["name"]):
        raise RuntimeError(f"the script did not write {job['name']}")


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what scripts print must not be taken for an answer
    for index, job in enumerate(json.load(sys.stdin)):
        error = ""
        try:
            make(job)
        except BaseException:
            error = traceback.format_exc()
        print(json.dumps({"index": index, "error": error}), file=answers, flush=True)


main()
