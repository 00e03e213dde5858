"""Compiles and runs every statement of a suite, three times each, without any of our hosts.

    check_suite.py PRINT_PLAN SUITE[,SUITE…] WORK_FOLDER [CMAKE_SOURCE]

So a suite that we ship is known to be right before it is measured. Several suites of one toolchain are one program:
their headers are parsed once. With CMAKE_SOURCE, that folder is copied to the work folder and built there first, and
SUITE is taken from the copy.
"""

import json
import os
import shutil
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def works(command):
    try:
        return (
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
            == 0
        )
    except OSError:
        return False


def python_source(case, tools):
    threads = tools["set_threads_py"].replace("${threads}", str(case["threads"])) or "pass"
    body = "\n".join(
        [
            tools["seed_py"],
            threads,
            case["setup"],
            "for tally_i in range(3):",
            textwrap.indent(case["stmt"], "    "),
        ]
    )
    return "def case():\n" + textwrap.indent(body, "    ")


def run_python(cases, tools):
    interpreter = interpreter_of(tools)
    lines = ["import json, runpy, sys, traceback"] + [
        "import " + module for module in tools["requires"]
    ]
    # Where a warm-up keeps what it makes once, as the host has it.
    lines.append("sys.modules['tally_warm_up'] = type(sys)('tally_warm_up')")
    scripts = {
        case["artifact"]["name"]: case["artifact"]["script"] for case in cases if case["artifact"]
    }
    for name, script in scripts.items():
        with open(name + ".py", "w") as file:
            file.write(script)
        lines.append(f"runpy.run_path({name + '.py'!r})")
    sources = [
        (case["id"], python_source(case, tools)) for case in cases if case["language"] == "python"
    ]
    if tools["warm_up_py"]:
        sources.append(("warm_up", "def case():\n" + textwrap.indent(tools["warm_up_py"], "    ")))
    with open("python.json", "w") as file:
        json.dump(sources, file)
    lines.append(
        textwrap.dedent("""
        bad = 0
        for name, source in json.load(open("python.json")):
            space = dict(globals())
            try:
                exec(compile(source, name, "exec"), space)
                space["case"]()
            except Exception:
                bad += 1
                print(name, source, traceback.format_exc(), sep="\\n")
        sys.exit(bad > 0)
        """)
    )
    with open("run.py", "w") as file:
        file.write("\n".join(lines))
    return len(sources), subprocess.run([interpreter, "run.py"]).returncode


DISCOVER = """
import importlib, json, os, sys
scope = {name: importlib.import_module(name) for name in sys.argv[2:]}
with open("/proc/self/maps") as maps:
    mapped = sorted({line.split()[-1] for line in maps if "/" in line})
scope.update(found={}, mapped=[path for path in mapped if os.path.isfile(path)])
exec(sys.argv[1], scope)
print(json.dumps(scope["found"]))
"""


def interpreter_of(tools):
    return next(
        p
        for p in tools["python"]
        if works([p, "-c", "import " + ", ".join(["sys"] + tools["requires"])])
    )


def discover(tools):
    """What the modules' interpreter says that C++ needs, joined to the toolchain's own."""
    if not tools["discover"]:
        return
    command = [interpreter_of(tools), "-c", DISCOVER, tools["discover"], *tools["requires"]]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    tools["flags"] = found.get("flags", []) + tools["flags"]
    for key in ("include", "link"):
        tools[key] = tools[key] + found.get(key, [])


def run_cpp(cases, tools):
    discover(tools)
    compiler = next(c for c in tools["cxx"] if works([c, "--version"]))
    text = [f"#include <{header}>" for header in tools["prelude"]]
    text += ["#include <cstdio>", "#include <exception>", "#include <tally/snippet.h>"]
    calls = []
    for i, case in enumerate(cases):
        threads = tools["set_threads_cpp"].replace("${threads}", str(case["threads"]))
        text.append(f"""{case["global_setup"]}
namespace case_{i} {{ void go() {{
{tools["seed_cpp"]}
{threads}
{case["setup"]}
auto body = [&] {{ do {{
{case["stmt"]}
}} while (0); }};
for (int tally_i = 0; tally_i < 3; ++tally_i) body();
}} }}""")
        calls.append(
            f"try {{ case_{i}::go(); }} catch (const std::exception& e) {{ ++bad; "
            f'std::printf("%s: %s\\n", {json.dumps(case["id"])}, e.what()); }}'
        )
    text.append(
        "int main() { int bad = 0;\n"
        + f"{{ {tools['warm_up_cpp']} }}\n"
        + "\n".join(calls)
        + "\nreturn bad > 0; }"
    )
    with open("all.cc", "w") as file:
        file.write("\n".join(text))
    # What is asked is whether it compiles and runs: a quick compilation is enough.
    command = [compiler, *tools["flags"], "-O0", "-w", "-I" + os.path.join(ROOT, "include")]
    command += ["-I" + folder for folder in tools["include"]] + [
        "all.cc",
        "-o",
        "all",
        *tools["link"],
    ]
    if subprocess.run(command).returncode != 0:
        return 1
    folders = {os.path.dirname(path) for path in tools["link"] if path.startswith("/")}
    return subprocess.run(
        ["./all"], env={**os.environ, "LD_LIBRARY_PATH": ":".join(sorted(folders))}
    ).returncode


def plan_of(print_plan, suite):
    plan = json.loads(
        subprocess.run([print_plan, suite], check=True, capture_output=True, text=True).stdout
    )
    # Hash seed and locale change nothing.
    again = subprocess.run(
        [print_plan, suite],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "de_DE.UTF-8", "PYTHONHASHSEED": "7"},
    ).stdout
    if json.loads(again) != plan:
        sys.exit(f"{suite}: another plan with another hash seed and locale")
    return plan


def joined(plans):
    """The cases of all; what they say of a toolchain must be the same."""
    toolchains = {}
    for plan in plans:
        for name, tools in plan["toolchains"].items():
            if toolchains.setdefault(name, tools) != tools:
                sys.exit(f"the suites have different toolchains {name}")
    return {"toolchains": toolchains, "cases": [case for plan in plans for case in plan["cases"]]}


def main():
    print_plan, work = (os.path.abspath(argument) for argument in (sys.argv[1], sys.argv[3]))
    suites = [os.path.abspath(suite) for suite in sys.argv[2].split(",")]
    os.makedirs(work, exist_ok=True)
    if len(sys.argv) > 4:
        copy = os.path.join(work, "copy")
        shutil.copytree(
            sys.argv[4], copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build")
        )
        subprocess.run(
            ["cmake", "-S", copy, "-B", os.path.join(copy, "build")],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        subprocess.run(
            ["cmake", "--build", os.path.join(copy, "build")], check=True, stdout=subprocess.DEVNULL
        )
        suites = [os.path.join(copy, os.path.basename(suite)) for suite in suites]
    plan = joined([plan_of(print_plan, suite) for suite in suites])
    failed = False
    os.chdir(work)
    for name, tools in plan["toolchains"].items():
        cases = [case for case in plan["cases"] if case["toolchain"] == name]
        ran, bad = run_python(cases, tools)
        failed = failed or bad != 0
        cpp = [case for case in cases if case["language"] == "cpp"]
        if cpp:
            failed = run_cpp(cpp, tools) != 0 or failed
        print(f"{name}: {ran} in Python, {len(cpp)} in C++: {'FAILED' if failed else 'ok'}")
    return 1 if failed else 0


sys.exit(main())
