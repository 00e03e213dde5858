"""The package alone, or with the programs inside: TALLY_WHEEL_PREFIX is where `cmake --install` has put them, and
TALLY_WHEEL_PLATFORM the tag that they ask for. tools/wheel/make_wheel.sh sets both; all else is in pyproject.toml."""

from __future__ import annotations

import json
import os
import shutil

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

PREFIX = os.environ.get("TALLY_WHEEL_PREFIX")
PLATFORM = os.environ.get("TALLY_WHEEL_PLATFORM", "")


class BuildWithPrograms(build_py):
    """Puts the installed programs into tallymark/_tally (tallymark/_client/program.py)."""

    def run(self) -> None:
        super().run()
        if not PREFIX:
            return
        inside = os.path.join(self.build_lib, "tallymark", "_tally")
        shutil.copytree(PREFIX, inside, symlinks=True, dirs_exist_ok=True)
        # A wheel has no links: tallymark-config makes them (tallymark/_client/config.py).
        links = {}
        for folder, folders, files in os.walk(inside):
            for name in folders + files:
                path = os.path.join(folder, name)
                if os.path.islink(path):
                    links[os.path.relpath(path, inside)] = os.readlink(path)
                    os.remove(path)
        with open(os.path.join(inside, "links.json"), "w", encoding="utf-8") as file:
            json.dump(links, file, indent=1, sort_keys=True)


class AnyPython(bdist_wheel):
    """The programs are of one platform, and of no particular Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", PLATFORM if PREFIX else "any")


class WithPrograms(Distribution):
    def has_ext_modules(self) -> bool:
        return bool(PREFIX)  # not pure: installed where a platform's packages are


setup(cmdclass={"build_py": BuildWithPrograms, "bdist_wheel": AnyPython}, distclass=WithPrograms)
