"""The Python host's other half (tally_host.py) without a process of its own: each case is compiled and run as in a
child, with plain iterators for its two loops."""

import contextlib
import gc
import io
import pathlib
import sys
import types
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "host" / "python" / "tally_host.py"
STRIDE = 1_000_000


class Host:
    """The script's names, as they are once it serves; its end of the extension is `native`."""

    def __init__(self, requires=(), late=b""):
        self.hooks = None
        native = types.ModuleType("_tally_host")
        native.PART_STRIDE = STRIDE
        native.make_room_for_late_variables = lambda data: None
        native.set_hooks = lambda before, sync: setattr(self, "hooks", (before, sync))
        native.start_instrumentation = lambda: False
        native.rehearse = lambda function, text, counted: True
        native.serve = lambda function, version: 0
        start = types.ModuleType("tally_start")
        start.begin = start.end_of_imports = lambda: None
        start.WARM_UP, start.LAST_STAGE, start.seal = 3, 4, lambda stage: None
        arguments = ["-c", *requires, "--"]
        kept = {
            name: sys.modules.get(name)
            for name in ("__main__", "_tally_host", "tally_start", "tally_warm_up")
        }
        argv = sys.argv[:]
        self.names = {"__name__": "__main__", "__builtins__": __builtins__}
        try:
            sys.modules["_tally_host"] = native
            sys.modules["tally_start"] = start
            sys.argv[:] = arguments
            with contextlib.suppress(SystemExit):
                exec(compile(SCRIPT.read_text(), "tally_host.py", "exec"), self.names)
            self.argv = sys.argv[:]
        finally:
            sys.argv[:] = argv
            for name, module in kept.items():
                if module is None:
                    sys.modules.pop(name, None)
                else:
                    sys.modules[name] = module

    def run(self, stmt, setup="", rounds=3, load=(), prepare=(), before=(), examine=()):
        """(message, detail), or None; and what the case printed."""
        kept = sys.modules["__main__"]
        texts = [setup] if isinstance(setup, str) else list(setup)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                failure = self.names["run_case"](
                    list(prepare),
                    list(load),
                    texts,
                    [stmt],
                    list(before),
                    [],
                    list(examine),
                    [],
                    self.turns(2),
                    self.turns(rounds),
                )
        finally:
            sys.modules["__main__"] = kept
            gc.unfreeze()
            gc.enable()
        return failure, printed.getvalue()

    def turns(self, count):
        for _ in range(count):
            if self.hooks and self.hooks[0]:
                self.hooks[0]()
            yield None


HOST = Host()


class ScopeTest(unittest.TestCase):
    def printed(self, stmt, setup="", **more):
        failure, printed = more.pop("host", HOST).run(stmt, setup, **more)
        self.assertIsNone(failure, failure and failure[1])
        return printed.split()

    def refused(self, stmt, setup="", **more):
        failure, _ = more.pop("host", HOST).run(stmt, setup, **more)
        self.assertIsNotNone(failure, stmt)
        return failure


class NamesTest(ScopeTest):
    def test_the_setups_variables_are_the_statements(self):
        self.assertEqual(self.printed("x += 1; print(x)", "x = 1"), ["2", "3", "4"])

    def test_no_name_of_ours_is_found(self):
        ours = "text, s, f, m, u, x, loop, seed, run_case, REQUIRED, sys, main, _tally_host"
        for name in ours.split(", "):
            message, _ = self.refused(name)
            self.assertTrue(message.startswith(f"NameError: name '{name}' is not defined"))
            self.assertIn("ImportError", self.refused("pass", f"from __main__ import {name}")[0])

    def test_names_that_look_like_ours_are_the_users(self):
        for name in (
            "_tally_i",
            "_tally_baseline",
            "_tally_statement",
            "_tally_case",
            "tally_round",
        ):
            self.assertEqual(self.printed(f"print({name})", f"{name} = 5", rounds=1), ["5"])
            self.assertEqual(self.printed(f"{name} = 6; print({name})", rounds=1), ["6"])

    def test_globals_have_what_is_required_and_nothing_of_ours(self):
        host = Host(["json", "xml.dom"])
        found = self.printed("print(*sorted(globals()))", host=host, rounds=1)
        self.assertEqual([name for name in found if not name.startswith("__")], ["json", "xml"])

    def test_the_builtins_may_be_bound(self):
        for name in ("range", "exec", "globals", "compile", "open", "print", "iter", "next"):
            self.printed(f"{name}(1)", f"def {name}(*a): return 1")
            self.printed(f"{name} = 1", "")
            self.printed(f"for {name} in (1, 2): pass", "")
            self.printed("pass", f"global {name}\n{name} = None")

    def test_argv_is_nobodys(self):
        self.assertEqual(HOST.argv, [""])


class MainTest(ScopeTest):
    def test_it_holds_what_the_case_brings(self):
        load = ["case_globals['text'] = 'abc'"]
        for setup in ("from __main__ import text", "import __main__\ntext = __main__.text"):
            self.assertEqual(self.printed("print(text)", setup, load=load, rounds=1), ["abc"])

    def test_what_the_statement_makes_global_is_there(self):
        self.assertEqual(
            self.printed(
                "import __main__; print(__main__.made)", "global made\nmade = 7", rounds=1
            ),
            ["7"],
        )

    def test_what_is_missing_says_what_to_write(self):
        for setup in ("from __main__ import text", "import __main__\n__main__.text"):
            message, detail = self.refused("pass", setup)
            self.assertIn("pass globals=globals(), or make it in the setup", message)
            self.assertIn(f'"<tally>", line {setup.count(chr(10)) + 1}', detail)

    def test_each_case_has_its_own(self):
        self.printed("pass", "global left\nleft = 1")
        self.assertIn("NameError", self.refused("left")[0])


class LoadTest(ScopeTest):
    def test_it_has_names_of_its_own(self):
        load = ["one = 1\ncase_globals['x'] = one"]
        self.assertEqual(self.printed("print(x)", load=load, rounds=1), ["1"])
        self.assertIn("NameError", self.refused("one", load=load)[0])

    def test_values_of_a_call_are_the_statements_alone(self):
        load = ["case_locals['f'] = lambda x: print(x)", "case_locals['x'] = 5"]
        self.assertEqual(self.printed("f(x)", "x = 6\ndef f(x): pass", load=load, rounds=1), ["5"])
        self.assertEqual(self.printed("f(x)", "global f, x", load=load, rounds=1), ["5"])

    def test_nothing_else_refers_to_a_value(self):
        count = "import sys; print(sys.getrefcount({}))"
        load = "class V: pass\n{}['v'] = V()"
        plain = self.printed(count.format("v"), "class V: pass\nv = V()", rounds=1)
        for where in ("case_locals", "case_globals"):
            got = self.printed(count.format("v"), load=[load.format(where)], rounds=1)
            self.assertEqual(got, plain, where)

    def test_it_runs_after_the_seed_and_before_the_setup(self):
        prepare = ["import sys; sys.order = ['seed']"]
        load = ["import sys; sys.order.append('load')"]
        self.assertEqual(
            self.printed("print(*sys.order)", "import sys", prepare=prepare, load=load, rounds=1),
            ["seed", "load"],
        )

    def test_what_it_raises_is_shown_without_our_lines(self):
        message, detail = self.refused("pass", load=["raise ValueError('of another process')"])
        self.assertEqual(message, "ValueError: of another process")
        self.assertNotIn("tally", detail)


class ToolchainTextTest(ScopeTest):
    HOST = Host(["json"])
    BINDINGS = (
        "import json",
        "import json.decoder as d, json",
        "import math as json",
        "def json(): return 1",
        "class json: pass",
        "global json\nimport json",
        "import json\ndel json",
        "for json in range(3): pass",
        "(json := 3)",
        "globals()['json'] = None",
        "globals().pop('json', None)",
        "try:\n    import json\nexcept ImportError:\n    H = 0",
        "with open('/dev/null') as json: pass",
        "[json for json in range(3)]",
        "json: int = 3",
        "async def json(): pass",
        "from json import loads as json",
        "match = 1\njson = match",
    )

    def test_the_users_names_do_not_reach_it(self):
        prepare = ["json.dumps(1)", "exec('json.loads(\"1\")')"]
        for text in self.BINDINGS:
            for stmt, setup in ((text, ""), ("pass", text)):
                self.printed(
                    stmt, setup, host=self.HOST, prepare=prepare, before=["json.dumps([1])"]
                )

    def test_its_names_do_not_reach_the_user(self):
        prepare = ["generator = 5\nimport math"]
        for name in ("generator", "math"):
            message, _ = self.refused(name, prepare=prepare)
            self.assertIn(f"NameError: name '{name}'", message)

    def test_it_survives_changed_builtins(self):
        setup = "import builtins\nbuiltins.exec = None"
        kept = exec
        try:
            self.printed("pass", setup, before=["len('x')"])
        finally:
            __import__("builtins").exec = kept


class RefusedTest(ScopeTest):
    WORK = "s = 0\nfor i in range(5): s += i\n"

    def test_what_would_end_the_measured_loop(self):
        for last, words in (
            ("return", "'return' outside function; leave it out"),
            ("return s", "'return' outside function; leave it out"),
            ("break", "'break' outside loop; leave it out"),
            ("continue", "'continue' not properly in loop; leave it out"),
            ("yield s", "'yield' outside function; run the generator"),
            ("yield from [s]", "'yield"),
            ("await f()", "outside function; run a coroutine to its end: asyncio.run(f())"),
            ("async for x in y: pass", "asyncio.run(f())"),
            ("async with x: pass", "asyncio.run(f())"),
            ("nonlocal other", "nonlocal declaration not allowed at module level"),
        ):
            for stmt, setup, part in (
                (self.WORK + last, "x = 1", 1),
                ("pass", self.WORK + last, 0),
            ):
                message, detail = self.refused(stmt, setup)
                self.assertIn(words, message)
                self.assertIn("SyntaxError", message)
                self.assertIn(f"line {part * STRIDE + 3}\n", detail)

    def test_within_a_function_or_loop_of_its_own_all_are_fine(self):
        self.printed("for i in range(3):\n    if i: break\n    continue\n")
        self.printed("def g():\n    yield 1\n    return\nlist(g())")
        self.printed("async def f():\n    await g()\nlambda: (yield)")

    def test_a_name_that_the_statement_makes_its_own(self):
        for stmt in ("a = 1 + b\nb = 1", "b += 1", "del b"):
            for text in self.refused(stmt, load=["case_globals['b'] = 0"]):
                self.assertIn("the statement assigns b, which makes it a variable of its own", text)
            self.printed(stmt, "b = 0", rounds=1)

    def test_an_error_that_cannot_be_shown(self):
        text = "class E(Exception):\n    def __str__(self): raise E\nraise E"
        self.assertIn("E", self.refused(text)[0])


class StarTest(ScopeTest):
    def test_it_brings_what_the_case_uses(self):
        for setup in (
            "from math import *",
            "import os\nfrom math import *",
            "'doc'\nfrom math import *\nx = sqrt(4)",
        ):
            self.assertEqual(self.printed("print(sqrt(4.0))", setup, rounds=1), ["2.0"])

    def test_it_is_the_same_code_as_the_plain_import(self):
        def instructions(setup):
            names = HOST.names
            kept, made = sys.modules["__main__"], []
            make = names["make_case"]
            names["make_case"] = lambda *given: made.append(make(*given)) or made[-1]
            try:
                self.printed("sqrt(2.0)", setup)
            finally:
                names["make_case"], sys.modules["__main__"] = make, kept
            code = made[-1].__code__
            return code.co_code, code.co_names, code.co_varnames

        self.assertEqual(instructions("from math import *"), instructions("from math import sqrt"))

    def test_functions_of_the_setup_see_it(self):
        setup = "from math import *\ndef f(): return floor(pi)"
        self.assertEqual(self.printed("print(f())", setup, rounds=1), ["3"])

    def test_what_looks_names_up_finds_all(self):
        self.assertEqual(
            self.printed("print(eval('sqrt(4)'))", "from math import *", rounds=1), ["2.0"]
        )

    def test_the_builtins_stay_where_it_brings_none(self):
        self.assertEqual(self.printed("print(len('ab'))", "from math import *", rounds=1), ["2"])
        self.printed("pass", "from math import *")

    def test_elsewhere_it_is_refused_by_name(self):
        for stmt, setup, line in (
            ("from math import *", "x = 1", STRIDE + 1),
            ("pass", "x = 1\nfrom math import *", 2),
            ("pass", "if True:\n    from math import *", 2),
        ):
            message, detail = self.refused(stmt, setup)
            self.assertIn("'from math import *' can only begin the setup", message)
            self.assertIn(f"line {line}\n", detail)
        self.assertIn("module level", self.refused("pass", "def f():\n    from math import *")[0])

    def test_what_cannot_be_imported_is_reported_with_its_line(self):
        message, detail = self.refused("pass", "import os\nfrom no_such import *")
        self.assertIn("ModuleNotFoundError: No module named 'no_such'", message)
        self.assertIn('"<tally>", line 2', detail)


class TextTest(ScopeTest):
    def test_whatever_a_program_may_be(self):
        for stmt in ("", "# nothing", "'''nothing\n  else'''", "x = 1\t# tab", "größe = 'ß\u2028'"):
            for setup in ("", "pass", "# nothing", "'text'"):
                self.printed(stmt, setup)

    def test_future_imports_hold_for_all_of_it(self):
        self.assertEqual(
            self.printed(
                "def f(x: no_such): pass\nprint(f.__annotations__['x'])",
                "from __future__ import annotations",
                rounds=1,
            ),
            ["no_such"],
        )

    def test_globals_of_the_setup(self):
        self.printed("x = x + 1", "global x\nx = 5")
        self.printed("global x\nx = 5")
        self.printed("def f():\n    global y\n    y = 1\nf()\ny")
        kept = self.printed("global kept\nkept += 1\nprint(kept)", "kept = 5", rounds=2)
        self.assertEqual(kept, ["6", "7"])
        self.printed("if True:\n    global x\nx = 1", "x = 0")
        self.printed("global x\nx = sqrt(4)", "from math import *\nx = 0")
        self.assertIn("global declaration", self.refused("x = 1\nglobal x")[0])

    def test_setups_in_parts_keep_their_lines(self):
        message, detail = self.refused("pass", ["x = 1", "\n\nx / 0"])
        self.assertIn("ZeroDivisionError", message)
        self.assertIn(f"line {STRIDE + 3}, in <case>", detail)


if __name__ == "__main__":
    unittest.main()
