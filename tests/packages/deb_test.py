"""The Debian packages, as `make deb` makes them of a build: their fields, what lies in them and with which modes, and
that they have the build's own programs. tools/try_deb.sh installs them.

Run as: deb_test.py BUILD
Exit code 77, which is skipped, without what packages-deb.txt names.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(sys.argv[1]).resolve()
PROJECT = tomllib.loads((ROOT / "python/pyproject.toml").read_text())["project"]
MODULES = "usr/lib/python3/dist-packages"


def expect(good, what):
    if not good:
        sys.exit(f"deb_test: {what}")


def run(*argv):
    """Standard output of a command that must not fail."""
    done = subprocess.run(argv, capture_output=True, timeout=500, check=False)
    if done.returncode == 77:
        print(done.stderr.decode().strip())
        sys.exit(77)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode(errors="replace")
        sys.exit(f"deb_test: {argv} failed ({done.returncode}):\n{said}")
    return done.stdout


def found(pattern, name):
    """What the pattern's group is, in its one place in a file of the sources."""
    (text,) = re.findall(pattern, (ROOT / name).read_text(), re.MULTILINE)
    return text


class Package:
    """What one file holds: fields by name, members and the contents of files by path."""

    def __init__(self, file):
        fields = run("dpkg-deb", "-f", str(file)).decode()
        self.fields = dict(re.findall(r"^(\S+): (.*)$", fields, re.MULTILINE))
        tar = io.BytesIO(run("dpkg-deb", "--fsys-tarfile", str(file)))
        with tarfile.open(fileobj=tar) as archive:
            self.members = {one.name.removeprefix("./"): one for one in archive}
            self.files = {
                path: archive.extractfile(one).read()
                for path, one in self.members.items()
                if one.isfile()
            }

    def requires(self):
        return set(re.findall(r"(?:^|, )([^ ,(]+)", self.fields["Depends"]))


def check_versions(command):
    """Four places say which version this is."""
    said = {
        "CMakeLists.txt": found(r"^project\(tallymark VERSION (\S+)", "CMakeLists.txt"),
        "python/pyproject.toml": PROJECT["version"],
        "packaging/conda/meta.yaml": found(r'set version = "(.*)"', "packaging/conda/meta.yaml"),
        "debian/changelog": command.fields["Version"].rsplit("-", 1)[0],
    }
    expect(len(set(said.values())) == 1, f"versions differ: {said}")


def check_modes(package):
    programs = ("usr/bin/", "usr/libexec/")
    for path, one in package.members.items():
        allowed = {0o755} if one.isdir() else {0o777} if one.issym() else {0o644}
        if one.isfile() and path.startswith(programs) and package.files[path][:4] == b"\x7fELF":
            allowed = {0o644} if "vgpreload" in path else {0o755}
        expect(one.mode in allowed, f"{path} has the mode {one.mode:o}")
        expect((one.uname, one.gname) == ("root", "root"), f"{path} belongs to {one.uname}")


def check_no_trace_of_the_build(package):
    for path, data in package.files.items():
        for place in (ROOT, BUILD):
            expect(bytes(place) not in data, f"{path} names {place}")


def check_command(package, installed):
    expect(package.fields["Architecture"] == "amd64", package.fields)
    expect(package.requires() == {"libc6", "libgcc-s1", "libstdc++6"}, package.fields["Depends"])
    expect(package.fields["Recommends"] == "valgrind", package.fields)
    expect("valgrind (= " in package.fields["Built-Using"], package.fields)
    for folder in ("bin", "libexec"):
        built = {
            str(one.relative_to(installed))
            for one in (installed / folder).rglob("*")
            if one.is_file()
        }
        expect(len(built) >= (20 if folder == "libexec" else 1), built)
        for path in built:
            expect(f"usr/{path}" in package.members, f"usr/{path} is not in the package")
            expect(
                package.files[f"usr/{path}"] == (installed / path).read_bytes(),
                f"usr/{path} is not the build's",
            )
    for path in (
        "usr/include/tallymark/bench.h",
        "usr/lib/libtallymark_bench.a",
        "usr/lib/cmake/tallymark/tallymarkConfig.cmake",
        "usr/lib/x86_64-linux-gnu/pkgconfig/tallymark-bench.pc",
        "usr/lib/tallymark/drop-in/lib/cmake/benchmark/benchmarkConfig.cmake",
        "usr/share/bash-completion/completions/tally",
        "usr/share/fish/vendor_completions.d/tally.fish",
        "usr/share/zsh/vendor-completions/_tally",
        "usr/share/doc/tallymark/copyright",
    ):
        expect(path in package.files, f"{path} is not in the package")
    pages = {one.name for one in (installed / "share/man/man1").iterdir()}
    expect(
        pages and all(f"usr/share/man/man1/{name}.gz" in package.members for name in pages), pages
    )
    for path, one in package.members.items():
        if one.issym():
            target = str((Path("/") / path).parent.joinpath(one.linkname).resolve()).lstrip("/")
            expect(target in package.members, f"{path} leads to {target}, which is not there")


def check_module(package, command):
    expect(package.fields["Architecture"] == "all", package.fields)
    expect(
        package.requires() == {"python3-cloudpickle", "python3:any", "tallymark"},
        package.fields["Depends"],
    )
    expect(
        f"tallymark (= {command.fields['Version']})" in package.fields["Depends"],
        package.fields["Depends"],
    )
    sources = {
        str(one.relative_to(ROOT / "python")) for one in (ROOT / "python/tallymark").rglob("*.py")
    }
    there = {path.removeprefix(f"{MODULES}/") for path in package.files if path.startswith(MODULES)}
    described = f"tallymark-{PROJECT['version']}.dist-info"
    more = {"tallymark/py.typed", f"{described}/METADATA", f"{described}/entry_points.txt"}
    expect(there == sources | more, there ^ (sources | more))
    points = package.files[f"{MODULES}/{described}/entry_points.txt"].decode()
    expect(points == "[pytest11]\ntallymark = tallymark.pytest_plugin\n", points)
    link = package.members[f"{MODULES}/tallymark/_tally/bin/tally"]
    expect(link.linkname.endswith("/bin/tally"), link.linkname)


def check_imports_of_the_tests(package):
    """debian/tests run in a chroot, seldom: what they import of the package is there."""
    imports = []
    for file in sorted((ROOT / "debian/tests").iterdir()):
        imports += re.findall(r"^from (tallymark\S*) import (\w+)$", file.read_text(), re.MULTILINE)
    expect(imports, "debian/tests import nothing of the package")
    for module, name in imports:
        path = f"{MODULES}/{module.replace('.', '/')}.py"
        expect(path in package.files, f"debian/tests import {module}, which is not in the package")
        expect(
            f"def {name}(".encode() in package.files[path], f"{module} has no function named {name}"
        )


def check_build_depends():
    """Whoever builds by debian/control gets what `make build` and `make deb` install, and no more."""
    block = found(r"^Build-Depends:\n((?: .*\n)+)", "debian/control")
    asked = {
        name.replace("debhelper-compat", "debhelper")
        for name in re.findall(r"^ ([^ ,]+)", block, re.MULTILINE)
    }
    lists = (ROOT / name for name in ("packages.txt", "packages-deb.txt"))
    known = {
        line for file in lists for line in file.read_text().splitlines() if line and line[0] != "#"
    }
    expect(asked <= known, f"Build-Depends has {asked - known}, the lists have not")


def check_flags_of_a_build(folder):
    """debian/rules compile with the preset's flags alone, not with those that dh puts into the environment."""
    names = ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS")
    environment = {**os.environ, **dict.fromkeys(names, "-DOF_DPKG")}
    environment.pop("TALLY_BUILD", None)
    done = subprocess.run(
        ["make", "-f", "debian/rules", "override_dh_auto_configure", f"BUILD={folder}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    expect(done.returncode == 0, done.stdout + done.stderr)
    cache = (folder / "CMakeCache.txt").read_text()
    expect("OF_DPKG" not in cache, re.findall(".*OF_DPKG.*", cache))


def check_by_lintian(files):
    if shutil.which("lintian") is None:
        print("deb_test: lintian is missing: tools/setup.sh packages-deb.txt installs it")
        return
    run("lintian", "--allow-root", "--fail-on", "error,warning", *map(str, files))


def main():
    check_build_depends()
    with tempfile.TemporaryDirectory() as name:
        folder, installed = Path(name) / "deb", Path(name) / "installed"
        made = run(str(ROOT / "tools/make_deb.sh"), str(BUILD), str(folder)).decode().split()
        files = sorted(folder.iterdir())
        expect(made == [str(one) for one in files], made)
        expect(
            [one.name.split("_")[0] for one in files] == ["python3-tallymark", "tallymark"], files
        )
        run(str(ROOT / "tools/install_release.sh"), str(BUILD), str(installed))
        module, command = (Package(one) for one in files)
        check_versions(command)
        check_command(command, installed)
        check_module(module, command)
        check_imports_of_the_tests(module)
        for package in (module, command):
            check_modes(package)
            check_no_trace_of_the_build(package)
        check_by_lintian(files)
        check_flags_of_a_build(Path(name) / "configured")
    print("deb: passed")


main()
