"""The stages of the Python host's start: what an import allocates does not depend on what lies around it.

docs/reference/exactness.md says what this is for. Made by the runner's boot text as the module `tally_start`, before
tally_host.py runs. What a stage leaves behind in memory is host/common/fresh_heap.h's to say.
"""

import gc
import importlib.machinery
import os
import sys
import weakref

import _tally_host

CACHED_ATTRIBUTES = 4096
# Of a stage, in that cache. Any number would do: at 0, two names of nn.ReLU took each other's place, for 634
# instructions a call.
FIRST_TAG = 1024
# Modules whose classes have instances before anything is imported.
FILLED = (
    "_frozen_importlib",
    "_frozen_importlib_external",
    "_sitebuiltins",
    "codecs",
    "encodings.utf_8",
    "os",
    "zipimport",
)
BLOCKS = 147456  # of 512 bytes: more arenas than a host's start takes
# Each begins on fresh memory (host/common/fresh_heap.h, StartStage).
SURROUNDINGS, STARTUP_FILES, IMPORTS, WARM_UP, LAST_STAGE = range(5)
NO_SITE = 6  # its place in sys.flags
FIRST = []  # [""] where the interpreter looks through its working folder, too: the boot text says so
UNDER_VALGRIND = _tally_host.under_valgrind()
ORDINARY = []  # importlib's own function, while another one stands in its place
KEPT = []  # what nobody needs any more: where it lies, nothing else shall
OLD_CODE = []  # likewise
SPARE = []  # variables of the C library's environment while modules are imported
del _tally_host.__file__  # inspect would follow it to a path with the number of this process


def fill_table(table, size):
    """Lets a dictionary grow to `size` bytes at the least: as many entries fit in before it grows again, however many
    it has had."""
    added = []
    while sys.getsizeof(table) < size:
        added.append(f"tally {len(added)}")
        table[added[-1]] = None
    for name in added:
        del table[name]


def spare_variables():
    """Names that make the C library's environment one of a multiple of 64 variables, however many there are."""
    return [f"TALLY_SPARE_{number}" for number in range(len(os.environ) % 64, 64)]


def arenas():
    """How many this CPython has taken."""
    kept, file = os.dup(2), os.memfd_create("arenas")
    os.dup2(file, 2)
    sys._debugmallocstats()
    os.dup2(kept, 2)
    os.close(kept)
    figures = os.pread(file, 1 << 16, 0).decode().partition("# arenas allocated current")[2]
    os.close(file)
    return int(figures.split()[1].replace(",", "")) if figures else 0  # another allocator has none


def fill_tags():
    """Types are known by numbers to the cache of attributes, and so are collisions in it: the next number is the
    same one, up to a multiple of its size."""

    def left():
        return (FIRST_TAG - 1 - _tally_host.type_tag()) % CACHED_ATTRIBUTES

    def take(tags, kind, name="x"):
        for _ in range(tags):
            setattr(kind, name, 1)
            getattr(kind, name)

    class Last:
        pass

    # From 3.13 on a type is given a thousand numbers at the most.
    while sys.version_info >= (3, 13) and left() > 600:
        take(500, type("Some", (), {}))
    take(left(), Last)


def fill_arenas():
    """The table of arenas grows at the same block, however many there have been."""
    for _ in range(400):  # more than eight arenas hold
        if arenas() % 8 == 0:
            return
        _tally_host.take_blocks(100)


def seal(stage):
    """What an import or a case allocates from here on does not depend on what was allocated before."""
    if UNDER_VALGRIND:
        gc.collect()
        fill_tags()
        fill_arenas()
    elif stage < LAST_STAGE:
        return
    gc.collect()  # empties the lists of free objects, too
    gc.freeze()
    _tally_host.seal(16384 if sys.version_info >= (3, 10) else 4096, stage)


class MoreModules:
    """The last finder until the first stage begins: this Python's own start imports more than is known of it, as that
    of a newer one may."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        sys.meta_path.remove(cls)
        _tally_host.list_whole_folders()
        list_folders_anew()
        return importlib.machinery.PathFinder.find_spec(name, path, target)


class ByName:
    """Setuptools' finder of distutils, which looks itself for a method by the name of each module that is imported, is
    called for those that it has a method for."""

    MODULE = "_distutils_hack"
    PREFIX = "spec_for_"

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, target=None):
        return self.finder.find_spec(name, None, target)


def name_of_package(text):
    """As importlib.metadata compares names."""
    parts = text.lower().replace("-", "_").replace(".", "_").split("_")
    return "_".join(filter(None, parts))


class DirectFinder(importlib.machinery.PathFinder):
    """Finds what lies in the folders of `sys.path` as PathFinder does, but asks those folders alone that have it: how
    many others there are makes no difference to what an import allocates."""

    path = ()
    finders = None  # by the name of a module: of each folder that may have it
    packages = None  # by name: folder and name of what describes an installed package
    set_aside = ()  # finders that are asked by name meanwhile, and their places among all

    @classmethod
    def take_over(cls):
        if importlib.machinery.PathFinder not in sys.meta_path:
            return
        place = sys.meta_path.index(importlib.machinery.PathFinder)
        suffixes = tuple(importlib.machinery.all_suffixes())
        cls.path = sys.path[:]
        cls.finders, cls.packages = {}, {}
        for entry in sys.path:
            finder = sys.path_importer_cache.get(entry or os.getcwd())
            if finder is None:
                continue
            if not isinstance(finder, importlib.machinery.FileFinder):
                return  # an archive, of whose content nothing is known
            for file in sorted(finder._path_cache):
                if file.lower().endswith((".dist-info", ".egg-info")):
                    name = name_of_package(file.rpartition(".")[0].partition("-")[0])
                    cls.packages.setdefault(name, []).append((entry, file))
                name, dot, _ = file.partition(".")
                if not dot or file.endswith(suffixes):
                    found = cls.finders.setdefault(name, [])
                    if finder not in found:
                        found.append(finder)
        sys.meta_path[place] = cls
        cls.set_aside = [
            (place, finder)
            for place, finder in enumerate(sys.meta_path)
            if type(finder).__module__ == ByName.MODULE
        ]
        for _, finder in cls.set_aside:
            sys.meta_path.remove(finder)
            for name in dir(finder):
                if name.startswith(ByName.PREFIX):
                    found = cls.finders.setdefault(name[len(ByName.PREFIX) :], [])
                    found.insert(0, ByName(finder))

    @classmethod
    def hand_back(cls):
        if cls in sys.meta_path:
            sys.meta_path[sys.meta_path.index(cls)] = importlib.machinery.PathFinder
        for place, finder in cls.set_aside:
            sys.meta_path.insert(place, finder)
        KEPT.append((cls.finders, cls.packages))
        cls.finders, cls.packages, cls.set_aside = None, None, ()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if path is None and sys.path == cls.path:
            is_portion = False  # of a package without a file of its own
            for finder in cls.finders.get(name, ()):
                spec = finder.find_spec(name, target)
                if spec is not None and spec.loader is not None:
                    return spec
                is_portion = is_portion or spec is not None
            if not is_portion:
                return None
        return super().find_spec(name, path, target)

    @classmethod
    def find_distributions(cls, context):
        """Called by importlib.metadata, which would list all packages to find one: PyTorch 2 asks for the version of
        one in the midst of its import, and each name that it uses first later lay behind that list."""
        has_eggs = any(entry.endswith(".egg") for entry in cls.path)
        if context.name is None or context.path != cls.path or has_eggs:
            return super().find_distributions(context)
        from importlib.metadata import PathDistribution
        from pathlib import Path

        found = cls.packages.get(name_of_package(context.name), ())
        return (PathDistribution(Path(entry, file)) for entry, file in found)


def stat_alike(on):
    """While this is on, an import sees nothing of a file that its disk and its owner decide."""
    importing = sys.modules["importlib._bootstrap_external"]
    if on and hasattr(importing, "_path_stat"):
        ORDINARY.append(importing._path_stat)
        importing._path_stat = _tally_host.path_stat
    elif ORDINARY:
        importing._path_stat = ORDINARY.pop()


class StandIn:
    """Takes the place of a function of C while modules are imported, one of which may keep it."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *asked, **named):
        if KnownUser.ordinary:
            found = self.known(asked, **named)
            if found is not None:
                return found
        return self.function(*asked, **named)


class KnownAnswer(StandIn):
    def __init__(self, function, questions):
        super().__init__(function)
        self.answers = {asked: function(*asked) for asked in questions}

    def known(self, asked, **named):
        is_as_then = not named and os.environ._data.get(b"HOME") is KnownUser.home
        return self.answers.get(asked) if is_as_then else None


class KnownOwner(StandIn):
    def known(self, asked, follow_symlinks=True, **named):
        is_simple = len(asked) == 1 and not named
        follows = follow_symlinks and self.function.__name__ == "stat"
        return _tally_host.stat(os.stat_result, asked[0], follows) if is_simple else None


class KnownUser:
    """While this is in place, what an import asks about its user and the owners of files is answered with objects that
    there are already. CPython keeps the number 0, which is root's, and makes an object of any other; a longer home
    makes longer paths, and sysconfig keeps one."""

    HOMES = ("~", "~/.local", "~/.cache", "~/.config")
    home = None  # as the environment has it
    ordinary = ()  # modules, names and functions

    @classmethod
    def take_over(cls):
        cls.home = os.environ._data.get(b"HOME")
        numbers = ("getuid", "geteuid", "getgid", "getegid")
        parts = [(os, name, KnownAnswer(getattr(os, name), [()])) for name in numbers]
        parts.append(
            (
                os.path,
                "expanduser",
                KnownAnswer(os.path.expanduser, [(path,) for path in cls.HOMES]),
            )
        )
        try:
            import pwd

            parts.append((pwd, "getpwuid", KnownAnswer(pwd.getpwuid, [(os.getuid(),)])))
        except (ImportError, KeyError):
            pass  # not every user has an entry
        if os.stat_result.n_fields == 19:
            parts.append((os, "stat", KnownOwner(os.stat)))
            parts.append((os, "lstat", KnownOwner(os.lstat)))
            for path in ("/", "/proc/self", *sys.path):
                _tally_host.stat(os.stat_result, path, True)  # whose numbers are kept from here on
        for module, name, part in parts:
            setattr(module, name, part)
        cls.ordinary = [(module, name, part.function) for module, name, part in parts]

    @classmethod
    def hand_back(cls):
        for module, name, function in cls.ordinary:
            setattr(module, name, function)
        KEPT.append(cls.ordinary)
        cls.ordinary = ()


def fill_instances():
    """CPython 3.11 and 3.12 give an instance room for as many attributes as its class may still be given, and each
    instance leaves it one fewer: of every class of these modules there are so many that none is left, however many
    folders, modules and files there have been."""
    for module in FILLED:
        for kind in list(vars(sys.modules[module]).values()):
            if isinstance(kind, type) and kind.__new__ is object.__new__:
                fill_class(kind)


def fill_class(kind):
    try:
        for _ in range(40):  # no class shares more than 30
            object.__new__(kind)
    except TypeError:
        return  # C makes its instances, or it is abstract


def begin_tables_anew():
    """What grows after so many imports, or has had more entries than it has now."""
    for entries in (sys.meta_path, sys.path_hooks):
        kept = entries[:]
        entries.clear()
        entries.extend(kept)
    importing = sys.modules["importlib._bootstrap"]
    for table in (importing._module_locks, importing._blocking_on):
        if isinstance(table, dict):
            table.clear()


def table_of_subclasses():
    """That of object: weak references, by the addresses of classes. It grows at the same class, however many there have
    been, and what an import makes leaves no hole of its size in an older heap."""
    gc.unfreeze()  # get_referrers() does not look into what is now frozen
    for table in gc.get_referrers(*weakref.getweakrefs(ByName)):
        if isinstance(table, dict) and id(ByName) in table:
            return table
    return {}


def fresh(code):
    inner = (fresh(one) if isinstance(one, type(code)) else one for one in code.co_consts)
    return code.replace(co_consts=tuple(inner))


def functions_of(names, owner):
    """Those of a module, of its names and of each class among them, without what it has imported."""
    for value in list(owner.values()):
        parts = (value,)
        if isinstance(value, property):
            parts = (value.fget, value.fset, value.fdel)
        elif isinstance(value, (staticmethod, classmethod)):
            parts = (value.__func__,)
        elif isinstance(value, type) and owner is names:
            yield from functions_of(names, vars(value))
        for part in parts:
            if isinstance(part, type(fresh)) and part.__globals__ is names:
                yield part


def renew_code(modules):
    """From 3.11 on, CPython writes into a function's code what its executions have met, and takes other ways by it:
    some make an object that others do without. How often importlib's have run is a matter of how many folders there
    are. So the functions of these modules have never run."""
    functions = [part for part in sys.path_hooks if isinstance(part, type(fresh))]
    for module in modules:
        functions.extend(functions_of(vars(module), vars(module)))
    OLD_CODE[:] = [function.__code__ for function in functions]
    for function in functions:
        function.__code__ = fresh(function.__code__)


def list_folders_anew():
    """The counter has kept from the lists what this start did not need (protocol/first_modules.h)."""
    for finder in sys.path_importer_cache.values():
        if isinstance(finder, importlib.machinery.FileFinder):
            finder.invalidate_caches()


class StartupFiles:
    """The code of `.pth` files, sitecustomize and usercustomize, which site.main() finds and runs. Here it runs in a
    stage of its own, after all folders have been listed: the names that it uses first lie where the code decides, and
    not behind a list of files. Other modules find these names interned, and CPython's cache of attributes has its
    places by their addresses."""

    def __init__(self, site):
        self.site = site
        self.lines = []  # the text of each, and the variables of site.addpackage(), which a line may read
        self.modules = []  # site's own functions

    def find(self):
        """All that site.main() does but that code. Lines that are paths have extended `sys.path`."""
        kept = self.site.execsitecustomize, self.site.execusercustomize
        self.site.execsitecustomize = lambda: self.modules.append(kept[0])
        self.site.execusercustomize = lambda: self.modules.append(kept[1])
        self.site.exec = lambda line: self.lines.append((line, dict(sys._getframe(1).f_locals)))
        try:
            self.site.main()
        finally:
            del self.site.exec
            self.site.execsitecustomize, self.site.execusercustomize = kept

    def run(self):
        given_up = set()
        for line, variables in self.lines:
            file = variables["fullname"]
            if file not in given_up and not self.run_line(line, file, variables):
                given_up.add(file)
        for module in self.modules:
            module()

    def run_line(self, line, file, variables):
        """False: it failed, and site runs no further line of its file."""
        sitedir = variables["sitedir"]  # noqa: F841 (lines that setuptools writes look for it in this frame)
        try:
            exec(line, vars(self.site), variables)
        except Exception as error:
            print(f"Error processing a line of {file}: {line!r}: {error!r}", file=sys.stderr)
            print("Remainder of file ignored", file=sys.stderr)
            return False
        return True


def list_folders():
    """Each folder of `sys.path` has been listed, and none is again."""
    for entry in [*FIRST, *sys.path]:
        finder = importlib.machinery.PathFinder._path_importer_cache(entry)
        if finder is not None:
            finder.find_spec("tally_no_such_module")


def look_around():
    """All that looks at what this machine has beside what is measured: folders, users, zones, other packages."""
    list_folders_anew()
    startup = None
    if sys.flags.no_site:
        import site

        startup = StartupFiles(site)
        startup.find()
    _tally_host.ask_c_library()
    list_folders()
    DirectFinder.take_over()
    seal(STARTUP_FILES)
    if startup is not None:
        startup.run()
        end_of_site()
    DirectFinder.hand_back()
    for finder in sys.meta_path:  # an installed package may have added one
        try:
            finder.find_spec("tally_no_such_module", None, None)
        except Exception:
            continue  # as it will for what is imported
    DirectFinder.take_over()
    stat_alike(True)
    KnownUser.take_over()
    _tally_host.use_blocks(BLOCKS)
    fill_instances()
    _tally_host.fill_interned()
    fill_table(sys.modules, 100000)
    fill_table(table_of_subclasses(), 100000)
    fill_table(os.environ._data, 4000)
    fill_table(sys.path_importer_cache, 8000)
    SPARE.extend(spare_variables())
    for name in SPARE:
        os.putenv(name, "")
    begin_tables_anew()


def end_of_site():
    sys.path[:0] = FIRST
    _tally_host.set_flag(sys.flags, NO_SITE, 0)


def begin():
    """Before anything is imported that is measured."""
    gc.disable()  # when all generations are collected follows from how many objects there were before
    if sys.flags.no_site:
        import site  # its names are not to lie among what its main() finds
    if MoreModules in sys.meta_path:
        sys.meta_path.remove(MoreModules)
    first = [module for module in sys.modules.values() if isinstance(module, type(sys))]
    seal(SURROUNDINGS)
    if UNDER_VALGRIND:
        look_around()
    elif sys.flags.no_site:
        site.main()
        end_of_site()
    seal(IMPORTS)
    if UNDER_VALGRIND:
        renew_code(first)
        SPARE.append("TALLY_SPARE")
        _tally_host.renew_environment(SPARE[-1])


def end_of_imports():
    """The interpreter finds modules, files and variables as it would by itself."""
    stat_alike(False)
    KnownUser.hand_back()
    _tally_host.forget_user()
    DirectFinder.hand_back()
    for name in SPARE:
        os.unsetenv(name)


if UNDER_VALGRIND:
    sys.meta_path.append(MoreModules)
