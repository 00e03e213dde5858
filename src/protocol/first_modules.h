/// The modules that a Python host imports before its first stage begins, of CPython 3.9 to 3.13: all are the standard
/// library's.
///
/// An import lists the folders that it looks through, and keeps each name. So one package of the distribution more in
/// the standard library (`distutils`, `tkinter`), or one file more in a folder of PYTHONPATH, moved all names that the
/// interpreter made afterwards, and with them collisions in its cache of attributes: 3 of 181 cases by up to 0.14 %.
/// Until the first stage, the counter therefore lists these modules alone, in every folder but their own. The host then
/// lets the interpreter list the folders again. So it does at once where the start of a newer CPython imports a module
/// that is not among these. Needs no C library.
#pragma once

namespace tally::host {

/// The counter's option that makes it so.
inline constexpr const char* kFirstModulesOption = "--first-modules-alone=yes";

/// Names of files and folders, without what follows a point.
inline constexpr const char* kFirstModules[] = {
    "__future__",
    "__pycache__",
    "_bootlocale",
    "_collections_abc",
    "_sitebuiltins",
    "site",
    "_colorize",
    "_weakrefset",
    "abc",
    "ast",
    "bisect",
    "codecs",
    "collections",
    "contextlib",
    "copyreg",
    "dis",
    "encodings",
    "enum",
    "functools",
    "genericpath",
    "hashlib",
    "heapq",
    "importlib",
    "inspect",
    "io",
    "keyword",
    "lib-dynload",
    "linecache",
    "opcode",
    "operator",
    "os",
    "posixpath",
    "random",
    "re",
    "reprlib",
    "sre_compile",
    "sre_parse",
    "sre_constants",
    "stat",
    "textwrap",
    "token",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "warnings",
    "weakref",
    "zipimport",
};

}  // namespace tally::host
