"""A Slurm of two nodes on this machine, for tests: a folder and ports of its own, no munge, no accounting, no systemd.

Everything that is started is a process that this module knows by its id; stop() ends exactly those and what they
started.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")


def free_ports(count):
    """Ports that nobody listens on now."""
    with contextlib.ExitStack() as stack:
        ports = []
        for _ in range(count):
            one = stack.enter_context(socket.socket())
            one.bind(("127.0.0.1", 0))
            ports.append(one.getsockname()[1])
        return ports


def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def why_not():
    """Why no Slurm can run here; None where it can."""
    missing = [name for name in PROGRAMS if program(name) is None]
    if missing:
        return f"{', '.join(missing)} not there: apt-get install slurm-wlm"
    if os.geteuid() != 0:
        return "slurmd runs jobs as their users, and only root may do that"
    return None


def descendants(pid):
    """The processes that this one started, and those that they started."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid:
                found += [int(entry.name), *descendants(int(entry.name))]
    return found


def is_measuring(pid):
    with contextlib.suppress(OSError):
        return b"tally-supervisor" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def belonging_to(folder, node=None):
    """What slurmd starts leaves its process tree; it is known by its command line, its environment or its open files.

    Of one node, or of all: with the folder of this cluster in one of them.
    """
    spool, log = f"{folder}/spool.{node or ''}", f"{folder}/{node}.log" if node else f"{folder}/"
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            links = [os.readlink(link) for link in (entry / "fd").iterdir()]
            variables = (entry / "environ").read_bytes().decode(errors="replace").split("\0")
            is_of_node = node is None or f"SLURMD_NODENAME={node}" in variables
            if (
                spool in (entry / "cmdline").read_bytes().decode(errors="replace")
                or any(link.startswith(log) for link in links)
                or (f"SLURM_CONF={folder}/slurm.conf" in variables and is_of_node)
            ):
                found.append(int(entry.name))
    return found


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.host = socket.gethostname().split(".")[0]
        self.daemons = {}
        controller, *ports = free_ports(3)
        (self.folder / "state").mkdir()
        self.nodes = ["one", "two"]
        lines = [
            "ClusterName=tally",
            f"SlurmctldHost={self.host}(127.0.0.1)",
            f"SlurmctldPort={controller}",
            "AuthType=auth/none",
            "CredType=cred/none",
            "SlurmUser=root",
            "SlurmdUser=root",
            f"StateSaveLocation={self.folder}/state",
            f"SlurmdSpoolDir={self.folder}/spool.%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/%n.pid",
            f"SlurmctldLogFile={self.folder}/slurmctld.log",
            f"SlurmdLogFile={self.folder}/%n.log",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "SwitchType=switch/none",
            "MpiDefault=none",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_CPU",
            "SlurmdParameters=config_overrides",
            "AccountingStorageType=accounting_storage/none",
            "JobAcctGatherType=jobacct_gather/none",
            "SchedulerParameters=batch_sched_delay=0,sched_interval=1",
            "SlurmdTimeout=3",
            "KillWait=1",
            "MessageTimeout=3",
            "ReturnToService=2",
        ]
        lines += [
            f"NodeName={name} NodeHostname={self.host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
            for name, port in zip(self.nodes, ports)
        ]
        lines.append("PartitionName=all Nodes=one,two Default=YES State=UP")
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        self.environment = {
            **os.environ,
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin",
        }

    def _daemon(self, name, *argv):
        with open(self.folder / f"{name}.out", "wb") as out:
            self.daemons[name] = subprocess.Popen(
                [program(argv[0]), *argv[1:]],
                env=self.environment,
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def start(self, within=20):
        """Until both nodes are idle; an error says what the daemons said."""
        self._daemon("slurmctld", "slurmctld", "-D", "-c")
        for node in self.nodes:
            self._daemon(node, "slurmd", "-D", "-N", node)
        end = time.monotonic() + within
        while time.monotonic() < end:
            states = self.run(
                "sinfo", "--noheader", "--Node", "--format=%T", check=False
            ).stdout.split()
            if states == ["idle", "idle"]:
                return
            time.sleep(0.2)
        said = "\n".join(
            (self.folder / f"{name}.out").read_text(errors="replace")[-800:]
            for name in self.daemons
        )
        raise RuntimeError(f"Slurm does not come up:\n{said}")

    def run(self, *argv, check=True):
        return subprocess.run(
            argv, env=self.environment, capture_output=True, text=True, timeout=60, check=check
        )

    def kill_node(self, name):
        """As when its power fails: the daemon and all jobs on it are gone at once, and nobody is notified.

        Only while a part is measured there, else nothing is done: how many processes of jobs went. (What Slurm calls
        running may not have begun, or have ended just now.)
        """
        daemon = self.daemons[name]
        doomed = {
            pid for one in belonging_to(self.folder, name) for pid in (one, *descendants(one))
        } - {daemon.pid}
        if not any(is_measuring(pid) for pid in doomed):
            return 0
        del self.daemons[name]
        killed = 0
        for pid in (daemon.pid, *doomed):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += pid != daemon.pid
        daemon.wait()
        return killed

    def stop(self):
        with contextlib.suppress(Exception):
            self.run("scancel", "--user=root", check=False)
        for daemon in self.daemons.values():
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(timeout=5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for pid in belonging_to(self.folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
