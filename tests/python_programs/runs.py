"""How these tests start what they try."""

import subprocess


def run_to_end(command, folder, environment=None, seconds=None):
    """The ended process and what it printed, with nothing on its standard input. `environment`: None is this process's
    own; `seconds`: it has as many at most."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
