"""Makes what runtimes load, such as TorchScript models: runs each script of the job on standard
input in its own folder and its own fork of one process.

    make_artifacts.py MODULE...

The modules are imported once, before the forks. A fork for each, because a model must not depend on
its neighbours: TorchScript numbers classes of one name through within a process
(`___torch_mangle_3`), and writes the numbers into the file. For the same reason the caller fixes
the hash seed (constants are saved in the order of a set), and scripts are run by a name without
their folder's.

Standard input is JSON, {"setup", "jobs"}: Python that runs once before the forks, with the modules
by their names, and a list of {"folder", "script", "name"}; for each of these, one JSON line
{"index", "error"} is printed, with an empty error when the script left the file `name`. One
script's failure is not another's. Beside that file lies made.json: the seconds that the script
took, and what it has left in a dictionary `figures`.
"""

import json
import os
import runpy
import signal
import sys
import time
import traceback


def make(job):
    os.chdir(job["folder"])
    begin = time.perf_counter()
    names = runpy.run_path(job["script"], run_name="__main__")
    if not os.path.exists(job["name"]):
        raise RuntimeError(f"the script did not write {job['name']}")
    figures = {"seconds": round(time.perf_counter() - begin, 3), **names.get("figures", {})}
    with open("made.json", "w") as file:
        json.dump(figures, file)


def make_in_fork(job):
    """What went wrong, or an empty text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        error = ""
        try:
            make(job)
        except BaseException:
            error = traceback.format_exc()
        with open(writing, "w") as pipe:
            pipe.write(error)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        error = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return f"the script's process was killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return (
        error
        if status == 0
        else error or f"the script's process exited with code {os.WEXITSTATUS(status)}"
    )


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what scripts print must not be taken for an answer
    work = json.load(sys.stdin)
    for module in sys.argv[1:]:
        __import__(module)
    roots = {module.partition(".")[0] for module in sys.argv[1:]}
    exec(
        compile(work["setup"], "artifact_setup", "exec"),
        {name: sys.modules[name] for name in roots},
    )
    for index, job in enumerate(work["jobs"]):
        print(json.dumps({"index": index, "error": make_in_fork(job)}), file=answers, flush=True)


main()
