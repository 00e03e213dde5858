"""Other machines, as far as namespaces make them: shell text that runs as root in mount and UTS
namespaces of its own, before a command is started there.

    text = surroundings.prepared("/tmp/room")["another disk"]
    subprocess.run(surroundings.command(text, ["tally", "run", …]))

Each name stands for one thing that differs between machines where the code that is counted does not.
What has to be mounted is made once, in a folder of the caller's.
"""

import pathlib
import shutil
import subprocess

PROCESSORS = "/sys/devices/system/cpu"
PACKAGES = "/usr/lib/python3/dist-packages"
LIBRARY = "/usr/lib/python3.11"
CONVERSIONS = "/usr/lib/x86_64-linux-gnu/gconv/gconv-modules.cache"
RULES = "passwd: files systemd\ngroup: files systemd\nhosts: files mdns4_minimal dns myhostname\nservices: db files\n"
# Directory entries that a package leaves beside others, most of which are never imported.
MORE_PACKAGES = 40
MORE_ENTRIES = 8


def available():
    """Whether namespaces can be had here."""
    tried = subprocess.run(
        ["unshare", "--mount", "--uts", "true"], check=False, capture_output=True
    )
    return tried.returncode == 0


def bind(what, over):
    return f"mount --bind '{what}' '{over}'; "


def copy_on_another_disk(folder, room):
    """The same files, in a file system that lists them in another order."""
    return (
        f"mkdir -p '{room}'; mount -t tmpfs none '{room}'; cp -a '{folder}' '{room}/copy'; "
        + bind(f"{room}/copy", folder)
    )


def more_in_the_library(room):
    """What packages of the distribution add to Python's standard library: distutils, tkinter."""
    return copy_on_another_disk(LIBRARY, room) + (
        f"mkdir '{room}/copy/more_of_it'; touch '{room}/copy/'more_{{1..{MORE_ENTRIES}}}.py; "
    )


def more_in_the_root(room):
    """A root folder of its own, with all that there is and more."""
    return (
        f"mkdir -p '{room}'; mount -t tmpfs none '{room}'; "
        "for entry in /*; do "
        f'if [ -L "$entry" ]; then cp -a "$entry" \'{room}/\'; '
        f'elif [ -d "$entry" ]; then mkdir "{room}$entry"; mount --rbind "$entry" "{room}$entry"; '
        f"else cp -a \"$entry\" '{room}/'; fi; done; "
        f'for number in $(seq {MORE_ENTRIES}); do echo more >"{room}/more_$number.txt"; done; '
        f"mkdir '{room}/before'; here=$PWD; cd '{room}'; pivot_root . before; "
        'umount -l /before; rmdir /before; cd "$here"; '
    )


def prepared(room):
    """The surroundings by their names. `room`: a folder, which is filled."""
    room = pathlib.Path(room)
    room.mkdir(parents=True, exist_ok=True)
    (room / "processors").write_text("0-15\n")
    (room / "most").write_text("8191\n")
    (room / "rules").write_text(RULES)
    users = pathlib.Path("/etc/passwd").read_text()
    (room / "users").write_text(users.replace(":/root:", ":/root/a/much/longer/home/of/somebody:"))
    for longer, original in (("conversions", CONVERSIONS), ("libraries", "/etc/ld.so.cache")):
        (room / longer).write_bytes(pathlib.Path(original).read_bytes() + bytes(220000))
    (room / "nothing").mkdir(exist_ok=True)
    site = room / "local/lib/python3.11/site-packages"
    site.mkdir(parents=True, exist_ok=True)
    (site / "somebody.py").touch()
    packages = room / "packages"
    if not packages.exists():
        shutil.copytree(PACKAGES, packages, symlinks=True)
        for number in range(MORE_PACKAGES):
            (packages / f"package_{number}").mkdir()
            (packages / f"package_{number}-1.0.dist-info").mkdir()
    surroundings = {
        "more processors": "".join(
            bind(room / "processors", f"{PROCESSORS}/{list_}")
            for list_ in ("possible", "present", "online")
        )
        + bind(room / "most", f"{PROCESSORS}/kernel_max"),
        "another name": "hostname a-very-long-name-of-a-runner-x; ",
        "another home": bind(room / "users", "/etc/passwd"),
        "other rules for names": bind(room / "rules", "/etc/nsswitch.conf"),
        "a folder of the user's packages": 'mkdir -p "$HOME/.local"; '
        + f"mount --bind '{room}/local' \"$HOME/.local\"; ",
        "a larger stack": "ulimit -s 65536; ",
        "no limit of the stack": "ulimit -s unlimited; ",
        "no time zones": bind(room / "nothing", "/usr/share/zoneinfo"),
        "no languages": bind(room / "nothing", "/usr/share/locale"),
        "more conversions": bind(room / "conversions", CONVERSIONS),
        "more libraries": bind(room / "libraries", "/etc/ld.so.cache"),
        "more packages": bind(packages, PACKAGES),
        "another disk": copy_on_another_disk(LIBRARY, "/mnt/library"),
        "more in the standard library": more_in_the_library("/mnt/library"),
        "more in the root folder": more_in_the_root(room / "root"),
    }
    alone = ("another disk", "no limit of the stack", "more packages")
    alone += ("more in the standard library", "more in the root folder")

    surroundings["all of these"] = (
        more_in_the_library("/mnt/library")
        + "".join(text for name, text in surroundings.items() if name not in alone)
        + bind(packages, PACKAGES)
        + more_in_the_root(room / "root")
    )
    return surroundings


def command(text, arguments):
    """`arguments`, started in these surroundings."""
    script = "mount --make-rprivate /; " + text + 'exec "$@"'
    return ["unshare", "--mount", "--uts", "bash", "-ec", script, "bash", *map(str, arguments)]
