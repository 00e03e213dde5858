"""Statements and setups that timeit takes, of every kind: what the battery measures.

PLAIN and TORCH are lists of (statement, setup); the second ones import torch. GIVEN is of (statement, setup, globals):
values that the caller's process has. REFUSED is of (statement, setup, words): what timeit refuses as well, or what cannot
be measured, with the words that say so.
"""

# ruff: noqa: E501, RUF001 (texts as users write them)

import fractions

# Names that something of ours has, or had, and what a user may well call a variable.
OURS = [
    "text",
    "s",
    "f",
    "m",
    "u",
    "x",
    "i",
    "n",
    "r",
    "it",
    "loop",
    "seed",
    "run_case",
    "main",
    "describe",
    "hook",
    "names",
    "values",
    "case",
    "statement",
    "baseline",
    "setup",
    "stmt",
    "body",
    "prepare",
    "load",
    "prepared_case",
    "make_case",
    "compiled",
    "own",
    "taken",
    "REQUIRED",
    "DEVICE",
    "MODULES",
    "HOST",
    "CASE",
    "FILE_NAME",
    "PART_STRIDE",
    "case_globals",
    "case_locals",
    "stream",
    "file",
    "skipped",
    "Unpickler",
    "examined",
    "torch",
    "numpy",
    "random",
    "gc",
    "sys",
    "os",
    "ast",
    "traceback",
    "tally",
    "tallymark",
    "tally_warm_up",
    "tally_statement",
    "_tally_i",
    "_tally_case",
    "_tally_baseline",
    "_tally_statement",
    "_tally_runs",
    "_tally_report",
    "_tally_file",
    "_tally_stream",
    "_tally_host_",
    "_it",
    "_i",
    "_timer",
    "timer",
    "inner",
    "open",
    "range",
    "exec",
    "eval",
    "compile",
    "globals",
    "locals",
    "print",
    "len",
    "iter",
    "next",
    "zip",
    "type",
    "object",
    "super",
    "isinstance",
    "getattr",
    "str",
    "int",
    "list",
    "dict",
    "set",
    "__name__",
    "__doc__",
    "__file__",
    "__spec__",
    "__debug",
]
BINDINGS = (
    "{n} = 1",
    "import math as {n}",
    "from math import sqrt as {n}",
    "for {n} in (1, 2): pass",
    "with memoryview(b'') as {n}: pass",
    "def {n}(): return 1",
    "class {n}: pass",
    "({n} := 3)",
    "{n}: int = 3",
    "global {n}\n{n} = 1",
    "try:\n    1 / 0\nexcept Exception as {n}:\n    pass",
    "[{n} for {n} in (1, 2)]",
    "(lambda {n}: {n})(1)",
    "{n} = 1\ndel {n}",
    "{n}, other = 1, 2",
    "*{n}, other = 1, 2",
    "{n} = 0\n{n} += 1",
    "async def {n}(): pass",
    "def other({n}=1, *, k=2): return {n}\nother()",
    "def other():\n    {n} = 1\n    def within():\n        nonlocal {n}\n        {n} = 2\n    within()\nother()",
    "globals()['{n}'] = 1",
    "match 1:\n    case {n}: pass",
)


def bindings():
    """Each name bound in three ways: by the statement, by the setup, and by a setup whose name the statement reads."""
    reads = ("def {n}", "class", "import", "from", "{n} = 1", "{n}:", "({n}", "{n},", "*{n}")
    found = []
    for number, name in enumerate(OURS):
        forms = [BINDINGS[(number * 5 + k * 7) % len(BINDINGS)] for k in range(3)]
        if name in ("__name__", "__doc__", "__file__", "__spec__"):
            forms = [form for form in forms if "import" not in form]
        found += [(form.format(n=name), "pass") for form in forms[:1]]
        found += [("pass", form.format(n=name)) for form in forms[1:2]]
        found += [
            (name if form.startswith(reads) and "del" not in form else "1", form.format(n=name))
            for form in forms[2:]
        ]
    return found


SYNTAX = """
pass
None
...
1
'text'
1 + 2
-1
not None
1 if True else 2
1 < 2 < 3
1 in (1, 2)
1 is not None
x = 1
x = y = 1
x, y = 1, 2
(x, y), z = (1, 2), 3
[x, *y] = range(5)
x: int = 1
x: 'no such type'
x = 5; x -= 2; x *= 3; x //= 2; x **= 2; x %= 7; x <<= 1; x >>= 1; x |= 8; x &= 12; x ^= 5
x = [1, 2, 3]; x[1] += 4; x[0:2] = [7]; del x[0]
(y := 5) + y
[y := i for i in range(3)]; y
assert True
assert 1 == 1, 'never'
[i for i in range(5) if i % 2]
{i for i in range(5)}
{i: j for i, j in zip('ab', 'cd')}
sum(i for i in range(5))
[[i * j for j in range(3)] for i in range(3)]
[(lambda: i)() for i in range(3)]
list(map(lambda a, b=2, *c, d=4, **e: a + b + d, [1, 2]))
(lambda *a, **k: (a, k))(1, b=2)
print(end='')
f'{1 + 1!r:>{4}} {{}} {"q"}'
f'{1=}'
rb'\\x' + b'a'
'a' 'b'
u'a'
0xff + 0o17 + 0b11 + 1_000 + 1j + 1e3
(1,)
()
[]
{}
{1}
{**{'a': 1}, 'b': 2}
[*range(3), *'ab']
(*range(3),)
max(*[1, 2], key=lambda v: -v)
dict(a=1, **{'b': 2})
'abc'[::-1]
'abc'[1:]
(1).real
1 .real
x = 1; del x
import math
import math, os.path
import os.path as p; p.join('a', 'b')
from math import (sqrt, floor as f,); f(sqrt(2))
from collections import abc
global x; x = 1
global x, y; x = y = 2
lambda: (yield)
x = lambda: 0
if 1: pass
if 0: pass
while False: pass
for i in range(3): pass
for i, j in [(1, 2)]: i + j
for i in range(3): continue
for x in range(5): break
try: pass
with open('/dev/null') as f: pass
(1 if 0 else
2)
1; 2; 3;
"""

BLOCKS = [
    "if 1:\n    x = 1\nelif 2:\n    x = 2\nelse:\n    x = 3",
    "for i in range(5):\n    if i == 3:\n        break\nelse:\n    i = 9",
    "i = 0\nwhile True:\n    i += 1\n    if i < 3:\n        continue\n    break",
    "while i < 3:\n    i += 1\nelse:\n    i = 0",
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    str(e)\nelse:\n    pass\nfinally:\n    x = 1",
    "try:\n    raise ValueError('x') from KeyError('y')\nexcept (ValueError, KeyError):\n    pass",
    "try:\n    try:\n        raise ValueError\n    finally:\n        x = 1\nexcept ValueError:\n    pass",
    "try:\n    raise ExceptionGroup('g', [ValueError(1), KeyError(2)])\nexcept* ValueError:\n    pass\nexcept* KeyError:\n    pass",
    "with open('/dev/null') as a, open('/dev/null') as b:\n    pass",
    "with (\n    open('/dev/null') as a,\n    open('/dev/null') as b,\n):\n    pass",
    "def g():\n    yield 1\n    yield from (2, 3)\n    return 4\nlist(g())",
    "def g():\n    x = yield 1\n    return x\nit = g()\nnext(it)\ntry:\n    it.send(5)\nexcept StopIteration as e:\n    e.value",
    "def f(n):\n    return 1 if n < 2 else f(n - 1) + f(n - 2)\nf(5)",
    "def f(a, /, b, *, c=3, **d):\n    return a, b, c, d\nf(1, 2, e=5)",
    "def f():\n    x = 0\n    def g():\n        nonlocal x\n        x += 1\n        return x\n    return g()\nf()",
    "def f(x: int = 1) -> str:\n    '''doc'''\n    return str(x)\nf()",
    "def deco(f):\n    return f\n@deco\n@deco\ndef g(): pass\ng()",
    "class A:\n    x = 1\n    def m(self): return self.x\nA().m()",
    "class A:\n    @staticmethod\n    def m(): return __class__ is A\nA.m()",
    "class A:\n    @classmethod\n    def m(cls): return cls\n    @property\n    def p(self): return 1\nA.m()().p",
    "class A: pass\nclass B(A):\n    def __init__(self): super().__init__()\nB()",
    "class M(type): pass\nclass A(metaclass=M, ): pass\nA()",
    "class A:\n    __slots__ = ('a', 'b')\n    def __init__(self): self.a = 1\nA().a",
    "class A:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\nwith A():\n    raise ValueError",
    "class A:\n    def __getattr__(self, name): return name\nA().anything",
    "class A:\n    def __class_getitem__(cls, key): return key\nA[1, 2]",
    "async def f():\n    return 1\nimport asyncio\nasyncio.run(f())",
    "async def g():\n    yield 1\nasync def f():\n    return [i async for i in g()]\nimport asyncio\nasyncio.run(f())",
    "async def f():\n    async with A() as a: pass\nf().close()",
    "match [1, 2, 3]:\n    case []:\n        x = 0\n    case [1, *rest] if rest:\n        x = rest\n    case {'a': 1, **others}:\n        x = 1\n    case int() | str() as both:\n        x = 2\n    case _:\n        x = 3",
    "match = 1\ncase = 2\ntype = 3\nmatch + case",
    "x = 1\nif x: y = 2\nelse: y = 3\ny",
    "y = 1 + \\\n    2",
    "(1 +\n 2 +  # comment\n 3)",
    "x = '''a\n  b\n    c'''\nlen(x)",
    "s = '''\nkeeps\n    this margin\n'''\nassert s == '\\nkeeps\\n    this margin\\n'",
    "s = '''a\n   \nb\n\t\n'''\nassert s == 'a\\n   \\nb\\n\\t\\n'",
    "    x = 1\n    if x:\n        x += 1\n",
    "\n\n        y = 1\n        if y:\n            y += 1\n    ",
    "for i in range(3):\n\tx = i\n",
    "if 1:\n\tif 2:\n\t\tx = 1",
    "# comment\nx = 1\n# comment",
    "x = 1  # it's a 'quote\"",
    "'''nothing\n  else'''",
    "größe = 'ß\u2028\U0001f600'",
    "ａ = 1; a",
    "変数 = 1",
    "x = '\\N{GREEK SMALL LETTER ALPHA}'",
    "import math; math.sqrt(2); del math",
    "def f(): return locals()\nf()",
    "exec('y = 1')",
    "eval('1 + 1')",
    "eval(compile('1', '', 'eval'))",
    "exec('for k in range(3): pass')",
    "locals()",
    "globals()",
    "dir()",
    "vars()",
    "__name__",
    "__builtins__",
    "def f():\n    import sys\n    return sys._getframe().f_code.co_name\nf()",
    "f = lambda: f\nf()",
    "x = [1]\nx.append(x)\nrepr(x)",
    "raised = None\ntry:\n    [][0]\nexcept IndexError as raised_:\n    raised = raised_",
    "try:\n    undefined\nexcept NameError:\n    pass",
    "try:\n    import no_such_module\nexcept ImportError:\n    no_such_module = None",
    "x: list[int] = []\nx.append(1)",
    "T = type('T', (), {'a': 1})\nT.a",
    "int.__add__(1, 2)",
    "print('x', file=__import__('io').StringIO())",
    "a = b = []\na is b",
    "x = 0\ndef f():\n    global x\n    x = 1\nf()",
    "if True:\n    pass; x = 1; y = 2",
    "x = (yield_ := 1)",
    "import sys as s, os as o; s.path, o.sep",
    "@property\ndef p(self): pass",
    "for x in []: pass\nelse: x = 1",
    "del_ = 1; is_ = 2; del del_",
    "lambda x=1, /, y=2, *z, k=3, **w: (x, y, z, k, w)",
    "x = *range(3),",
    "[*'ab', *[1]]",
    "1_000.000_1",
    "not not 1",
    "~1 ^ 2 | 3 & 4 << 1 >> 1",
    "2 ** -1",
    "7 // 2 % 3 @ 1 if False else 0",
    "'%s %d' % ('a', 1)",
    "'{} {a}'.format(1, a=2)",
    "''",
    '""',
    "'\\''",
    '"\'"',
    "'a/b'",
    "'100%'",
    "'`'",
    "'$HOME'",
    "'\\\\'",
    "x = '\t'",
    "', '.join(['a'])",
    "'a' != \"b\"",
    "1 / 1",
    "5 % 3",
    "'%27'",
    "'[python]'",
    "'a [b]'",
    "'#'",
    "",
    "   \n\t\n",
    "# nothing",
    "\n# nothing\n",
    "pass\n" * 50,
    "x = 1\n" * 200,
    "x" * 300 + " = 1",
    "[" + "1, " * 500 + "]",
]

# (statement, setup)
PAIRS = [
    ("x", "x = 1"),
    ("x + y", "x = 1; y = 2"),
    ("x += 1", "x = 1"),
    ("x.append(1)", "x = []"),
    ("f(2)", "def f(n): return n * 2"),
    ("f(2)", "f = lambda n: n * 2"),
    ("f()", "x = 1\ndef f(): return x"),
    ("x = 2; f()", "x = 1\ndef f(): return x"),
    ("f(); x", "x = 1\ndef f():\n    nonlocal_ = x\n    return nonlocal_"),
    ("f(); x", "x = 0\ndef f():\n    global y\n    y = 1\nf()"),
    ("A().m()", "class A:\n    def m(self): return 1"),
    ("next(it)", "import itertools; it = itertools.count()"),
    ("x = x + 1", "global x\nx = 5"),
    ("x + 1", "global x\nx = 5"),
    ("a = 1 + b\nb = 1", "b = 0"),
    ("total += 1", "total = 0"),
    ("t = b\ndel t", "b = 1"),
    ("for b in range(2): pass", "b = 0"),
    ("[y := i for i in range(3)]; y", "y = 5"),
    ("del x[:]", "x = [1]"),
    ("", "x = 1"),
    ("# nothing", "x = 1"),
    ("pass", ""),
    ("pass", "# nothing"),
    ("pass", "'''doc'''"),
    ("pass", "\n\n"),
    ("pass", "import this_is_not\n" if False else "import math"),
    ("sqrt(2)", "from math import sqrt"),
    ("open('x')", "def open(name): return name"),
    ("len(d)", "from gzip import open\nd = [1]"),
    ("len(d)", "from io import open\nd = [1]"),
    ("compile('a')", "from re import compile"),
    ("exec(3)", "def exec(n): return n"),
    ("globals = 3", "pass"),
    ("len(d)", "d = {}; len = lambda v: 7"),
    ("list(range(3))", "range = lambda n: [n]"),
    ("sum([1])", "from functools import reduce as sum_\nimport builtins"),
    ("__import__('math').pi", ""),
    ("import __main__; __main__", "pass"),
    ("__main__.__name__", "import __main__"),
    ("__main__.kept", "import __main__\n__main__.kept = 1"),
    ("sys.modules['__main__'].__dict__ is globals()", "import sys"),
    ("sys.argv", "import sys\nassert sys.argv in ([''], sys.argv)"),
    ("x", "if True:\n    x = 1"),
    ("x", "try:\n    x = 1\nfinally:\n    pass"),
    ("x", "with open('/dev/null') as f:\n    x = 1"),
    ("x", "for x in range(3): pass"),
    ("x", "import random\nx = random.random()"),
    ("random.random()", "import random"),
    ("random.shuffle(x)", "import random; x = list(range(50))"),
    ("r.random()", "import random; r = random.Random(1)"),
    ("gc.collect()", "import gc"),
    ("x", "import gc; gc.disable(); x = 1"),
    ("f(*a, **k)", "def f(*a, **k): return a\na, k = (1, 2), {'c': 3}"),
    ("g.send(None)", "def f():\n    while True: yield\ng = f()"),
    ("d['a']", "d = dict(a=1)"),
    ("d.get('b', 0)", "d = dict(a=1)"),
    ("'a' in d", "d = dict(a=1)"),
    ("sorted(x)", "x = [3, 1, 2]"),
    ("x.sort()", "x = [3, 1, 2]"),
    ("copy.deepcopy(x)", "import copy; x = [[1], {2: 3}]"),
    (
        "P(1, 2)",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 0",
    ),
    (
        "P(1, 2)._replace(x=3)",
        "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int",
    ),
    ("P(x=1)", "from typing import TypedDict\nclass P(TypedDict):\n    x: int"),
    ("Color.RED.value", "import enum\nclass Color(enum.Enum):\n    RED = 1"),
    (
        "A.f()",
        "import abc\nclass B(abc.ABC):\n    @abc.abstractmethod\n    def g(self): pass\nclass A(B):\n    def g(self): pass\n    f = staticmethod(lambda: 1)",
    ),
    ("cached(3)", "import functools\n@functools.lru_cache\ndef cached(n): return n"),
    ("p(2)", "import functools; p = functools.partial(pow, 2)"),
    ("t.get_type_hints(f)", "import typing as t\ndef f(x: int) -> 'str': pass"),
    ("pickle.loads(pickle.dumps(x))", "import pickle; x = {'a': [1, 2.0, None]}"),
    ("pickle.dumps(A())", "import pickle\nglobal A\nclass A: pass"),
    ("asyncio.run(f())", "import asyncio\nasync def f(): await asyncio.sleep(0)"),
    (
        "loop.run_until_complete(f())",
        "import asyncio\nloop = asyncio.new_event_loop()\nasync def f(): pass",
    ),
    ("c.var.set(1)", "import contextvars\nclass c: var = contextvars.ContextVar('v')"),
    ("w()", "import weakref\nclass A: pass\na = A()\nw = weakref.ref(a)"),
    ("inspect.signature(f)", "import inspect\ndef f(a, b=1): pass"),
    ("inspect.currentframe().f_lineno", "import inspect"),
    ("warnings.warn('x')", "import warnings; warnings.simplefilter('ignore')"),
    ("logging.debug('x')", "import logging"),
    ("os.environ.get('PATH')", "import os"),
    ("os.environ['MINE'] = '1'", "import os"),
    ("os.stat('/')", "import os"),
    ("os.listdir('/')", "import os"),
    ("os.getcwd()", "import os; os.chdir('/')"),
    ("Path('/a') / 'b'", "from pathlib import Path"),
    ("tempfile.gettempdir()", "import tempfile"),
    ("f.write('x'); f.seek(0)", "import tempfile; f = tempfile.TemporaryFile('w+')"),
    ("subprocess.list2cmdline(['a b'])", "import subprocess"),
    ("time.perf_counter()", "import time"),
    ("time.strftime('%Y', time.gmtime(0))", "import time"),
    ("datetime(2020, 1, 1).isoformat()", "from datetime import datetime"),
    ("Decimal('1.1') + 1", "from decimal import Decimal"),
    ("Fraction(1, 3) * 3", "from fractions import Fraction"),
    ("statistics.mean(x)", "import statistics; x = [1, 2, 3]"),
    ("math.gcd(12, 18)", "import math"),
    ("cmath.sqrt(-1)", "import cmath"),
    ("re.sub('a', 'b', 'aaa')", "import re"),
    ("p.match('ab12')", "import re; p = re.compile(r'(\\w+?)(\\d+)')"),
    ("string.Template('$a').substitute(a=1)", "import string"),
    ("textwrap.fill('a b c ' * 20)", "import textwrap"),
    ("json.dumps(x)", "import json; x = {'a': [1, 2.5, None, True]}"),
    ("json.loads(x)", "import json; x = '{\"a\": [1, 2]}'"),
    ("struct.pack('<id', 1, 2.0)", "import struct"),
    ("array.array('d', [1, 2])", "import array"),
    ("hashlib.sha256(b'x').hexdigest()", "import hashlib"),
    ("zlib.compress(b'x' * 100)", "import zlib"),
    ("base64.b64encode(b'abc')", "import base64"),
    ("binascii.crc32(b'abc')", "import binascii"),
    ("csv.reader(['a,b']).__next__()", "import csv"),
    ("configparser.ConfigParser().read_string('[a]\\nb=1')", "import configparser"),
    ("ET.fromstring('<a><b/></a>')", "import xml.etree.ElementTree as ET"),
    ("html.escape('<a>')", "import html"),
    ("urlparse('http://a/b?c')", "from urllib.parse import urlparse"),
    ("ipaddress.ip_address('1.2.3.4')", "import ipaddress"),
    ("uuid.UUID(int=5)", "import uuid"),
    ("collections.Counter('abca')", "import collections"),
    ("collections.OrderedDict(a=1)", "import collections"),
    ("collections.deque([1], 3).append(2)", "import collections"),
    ("collections.defaultdict(list)['a'].append(1)", "import collections"),
    ("collections.ChainMap({}, {'a': 1})['a']", "import collections"),
    ("collections.namedtuple('P', 'x y')(1, 2)", "import collections"),
    ("heapq.heappush(h, 3)", "import heapq; h = []"),
    ("bisect.insort(x, 2)", "import bisect; x = [1, 3]"),
    ("list(itertools.product('ab', repeat=2))", "import itertools"),
    ("list(itertools.chain('ab', 'c'))", "import itertools"),
    ("functools.reduce(operator.add, range(5))", "import functools, operator"),
    ("operator.itemgetter(1)('ab')", "import operator"),
    ("io.StringIO('a').read()", "import io"),
    ("io.BytesIO(b'a').getvalue()", "import io"),
    ("contextlib.suppress(KeyError).__enter__()", "import contextlib"),
    ("with c(): pass", "import contextlib\n@contextlib.contextmanager\ndef c(): yield"),
    ("threading.Lock().acquire()", "import threading"),
    ("queue.Queue().put(1)", "import queue"),
    ("sched.scheduler()", "import sched"),
    ("secrets.compare_digest('a', 'a')", "import secrets"),
    ("difflib.SequenceMatcher(None, 'ab', 'ac').ratio()", "import difflib"),
    ("pprint.pformat({'a': 1})", "import pprint"),
    ("reprlib.repr('a' * 100)", "import reprlib"),
    ("types.SimpleNamespace(a=1).a", "import types"),
    ("ast.parse('1 + 1')", "import ast"),
    ("ast.literal_eval('[1]')", "import ast"),
    ("dis.Bytecode(f)", "import dis\ndef f(): pass"),
    ("tokenize.untokenize([])", "import tokenize"),
    ("traceback.format_exc()", "import traceback"),
    ("platform.python_version()", "import platform"),
    ("locale.getlocale()", "import locale"),
    ("calendar.monthrange(2020, 2)", "import calendar"),
    ("shlex.split('a \"b c\"')", "import shlex"),
    ("fnmatch.fnmatch('a.py', '*.py')", "import fnmatch"),
    ("glob.glob('/de*')", "import glob"),
    ("argparse.ArgumentParser().parse_args([])", "import argparse"),
    ("sqlite3.connect(':memory:').execute('select 1').fetchone()", "import sqlite3"),
    ("selectors.DefaultSelector().close()", "import selectors"),
    ("socket.socket().close()", "import socket"),
    ("signal.getsignal(signal.SIGINT)", "import signal"),
    ("resource.getrusage(resource.RUSAGE_SELF)", "import resource"),
    ("ctypes.c_int(3).value", "import ctypes"),
    ("mmap.mmap(-1, 10).close()", "import mmap"),
    ("codecs.encode('abc', 'rot13')", "import codecs"),
    ("unicodedata.name('a')", "import unicodedata"),
    ("sys.getsizeof([])", "import sys"),
    ("sys.intern('abc')", "import sys"),
    ("importlib.import_module('math')", "import importlib"),
    ("graphlib.TopologicalSorter({1: [2]}).static_order()", "import graphlib"),
    ("zoneinfo.available_timezones", "import zoneinfo"),
    ("numbers.Number", "import numbers"),
    ("timeit.default_timer()", "import timeit"),
    ("unittest.mock.Mock()", "import unittest.mock"),
    ("doctest.testmod", "import doctest"),
    ("concurrent.futures.Future().done()", "import concurrent.futures"),
    ("x @ y", "class M:\n    def __matmul__(self, o): return 1\nx = y = M()"),
    ("v.x = 1", "class V: pass\nv = V()"),
    ("del v.x; v.x = 1", "class V: x = 0\nv = V(); v.x = 1"),
    ("a, b = b, a", "a, b = 1, 2"),
    ("a[0], a[1] = a[1], a[0]", "a = [1, 2]"),
    ("a[1:3] = [0]", "a = list(range(9))"),
    ("a[..., 1:2]", "class A:\n    def __getitem__(self, k): return k\na = A()"),
    ("s.encode().decode()", "s = 'größe'"),
    ("b.find(b'c')", "b = bytearray(b'abc')"),
    ("str(x)", "x = 12345678901234567890"),
    ("x ** 20", "x = 3"),
    ("hash((1, 'a'))", ""),
    ("id(x)", "x = object()"),
    ("repr(x)", "x = object()"),
    ("isinstance(x, (int, str))", "x = 1"),
    ("getattr(x, 'real', None)", "x = 1"),
    ("x = input_", "input_ = 1"),
    ("k.__dict__", "class k: pass"),
    ("{}.setdefault('a', []).append(1)", ""),
    ("any(v > 2 for v in x)", "x = [1, 2, 3]"),
    ("x = [f() for f in fs]", "fs = [lambda i=i: i for i in range(3)]"),
    ("w.catch_warnings()", "import warnings as w"),
    ("é = é + 1", "é = 1"),
    ("x if x else y", "x, y = 0, 1"),
    ("f'{x:{w}}'", "x, w = 1, 5"),
    ("f\"{x!r:>{w}} {{}} {'q'}\"", "x, w = 'a', 10"),
    ("print", "from builtins import print"),
    ("_", "_ = 1"),
    ("__", "__ = 1"),
    ("__x", "__x = 1"),
    ("A()._A__x", "class A:\n    def __init__(self): self.__x = 1"),
    ("import_ = 1", "import_ = 2"),
    ("x", "x = 1 # tab\t"),
    ("x", "\tx = 1"),
    ("x\n", "x = 1\n"),
    ("x\r\n", "x = 1\r\ny = 2\r\n"),
]

TORCH = [
    ("x.sum()", "import torch; x = torch.ones(3)"),
    ("x.sum()", "import torch.nn as nn, torch; x = torch.ones(3)"),
    ("import torch; torch.ones(3)", ""),
    ("f(x)", "import torch\n@torch.no_grad()\ndef f(x): return x + 1\nx = torch.ones(3)"),
    ("H", "try:\n    import torch\n    H = 1\nexcept ImportError:\n    H = 0"),
    ("torch.ones(3)", "global torch\nimport torch"),
    ("pass", "import torch\ndel torch"),
    ("torch.zeros(3)", "import numpy as torch"),
    ("for torch in range(3): pass", ""),
    ("(torch := 3)", ""),
    ("torch()", "def torch(): return 1"),
    ("torch", "torch = [1, 2]"),
    ("pass", "globals()['torch'] = None"),
    ("pass", "globals().pop('torch', None)"),
    ("pass", "import torch\ntorch = None"),
    ("pass", "class torch: pass"),
    ("pass", "with memoryview(b'') as torch: pass"),
    ("[torch for torch in (1, 2)]", ""),
    ("try:\n    1 / 0\nexcept ZeroDivisionError as torch:\n    pass", ""),
    ("torch: int = 1", ""),
    ("from torch import nn", ""),
    ("ones(3)", "from torch import ones"),
    ("F.relu(x)", "import torch, torch.nn.functional as F; x = torch.ones(3)"),
    ("x + y", "import torch; x = torch.ones(3); y = torch.ones(3)"),
    ("x += 1", "import torch; x = torch.ones(3)"),
    ("torch.add(x, 1, out=y)", "import torch; x = torch.ones(3); y = torch.empty(3)"),
    ("x @ w", "import torch; x = torch.ones(4, 4); w = torch.ones(4, 4)"),
    ("x[1:, :2]", "import torch; x = torch.ones(4, 4)"),
    ("x[m]", "import torch; x = torch.arange(4); m = x > 1"),
    ("x.view(-1).tolist()", "import torch; x = torch.ones(2, 2)"),
    ("y = (x * 2).sum(); y.backward()", "import torch; x = torch.ones(3, requires_grad=True)"),
    (
        "torch.autograd.grad(f(x), x)",
        "import torch; f = lambda x: (x * x).sum(); x = torch.ones(3, requires_grad=True)",
    ),
    ("m(x)", "import torch; m = torch.nn.Linear(4, 2); x = torch.ones(1, 4)"),
    (
        "m(x)",
        "from torch import nn, ones; m = nn.Sequential(nn.Linear(4, 4), nn.ReLU()); x = ones(1, 4)",
    ),
    (
        "o.zero_grad(); m(x).sum().backward(); o.step()",
        "import torch; m = torch.nn.Linear(4, 2); x = torch.ones(1, 4); o = torch.optim.SGD(m.parameters(), 0.1)",
    ),
    ("with torch.no_grad(): x + 1", "import torch; x = torch.ones(3, requires_grad=True)"),
    ("with torch.inference_mode(): x + 1", "import torch; x = torch.ones(3)"),
    ("torch.rand(3)", "import torch; torch.manual_seed(5)"),
    ("torch.randperm(10)", "import torch"),
    ("s(x)", "import torch; s = torch.jit.script(torch.nn.Linear(4, 2)); x = torch.ones(1, 4)"),
    ("torch.cat([x, x])", "import torch; x = torch.ones(3)"),
    ("x.to(torch.float64)", "import torch; x = torch.ones(3)"),
    ("torch.from_numpy(a)", "import numpy, torch; a = numpy.ones(3)"),
    ("x.numpy()", "import torch; x = torch.ones(3)"),
    ("torch.save(x, io.BytesIO())", "import io, torch; x = torch.ones(3)"),
    (
        "M()(x)",
        "import torch\nclass M(torch.nn.Module):\n    def forward(self, x): return x + 1\nx = torch.ones(3)",
    ),
    ("torch.get_num_threads()", "import torch"),
    ("x", "import torch; torch.set_num_threads(1); x = torch.ones(3)"),
    ("x", "import torch; torch.set_default_dtype(torch.float64); x = torch.ones(3)"),
    ("torch.einsum('ij,jk->ik', x, x)", "import torch; x = torch.ones(3, 3)"),
    (
        "f(x)",
        "import torch\n@torch.jit.script\ndef f(x): return x + 1\nx = torch.ones(3)"
        if False
        else "import torch\nf = torch.relu\nx = torch.ones(3)",
    ),
    ("np.sort(x)", "import numpy as np; x = np.random.rand(50)"),
    ("x.sum()", "import numpy; x = numpy.ones(3)"),
    ("np.add(x, 1, out=x)", "import numpy as np; x = np.ones(3)"),
]

main_value = fractions.Fraction(1, 3)
GIVEN = [
    ("len(d)", "", {"d": [1, 2]}),
    ("len(d)", "from gzip import open", {"d": [1, 2]}),
    ("len(d)", "from io import open", {"d": [1, 2]}),
    ("open(); len(d)", "def open(): return 1", {"d": [1, 2]}),
    ("for open in d: pass", "", {"d": [1, 2]}),
    ("globals = d", "", {"d": [1, 2]}),
    ("exec(n)", "def exec(n): return n", {"n": 3}),
    ("compile('a'); n", "from re import compile", {"n": 3}),
    ("range = n", "", {"n": 3}),
    ("torch", "", {"torch": [1, 2]}),
    ("numpy", "", {"numpy": [1, 2]}),
    ("file + stream", "", {"file": 1, "stream": 2}),
    ("case_globals + case_locals", "", {"case_globals": 1, "case_locals": 2}),
    ("_tally_file + _tally_stream", "", {"_tally_file": 1, "_tally_stream": 2}),
    ("text.count('a')", "from __main__ import text", {"text": "abc"}),
    ("text.count('a')", "import __main__; text = __main__.text", {"text": "abc"}),
    ("global kept\nkept = 6", "", {"kept": 5}),
    ("grown.append(1)", "", {"grown": []}),
    ("a = 1 + b", "", {"b": 0}),
    ("t = b\ndel t", "", {"b": 1}),
    ("d['a']", "", {"d": {"a": 1}}),
    ("x + y", "y = 1", {"x": 1}),
    ("x", "global x", {"x": 1}),
    ("f(x)", "f = lambda v: v", {"x": main_value}),
    ("__name__", "", {"__name__": "other"}),
]

REFUSED = [
    ("return", "pass", "'return' outside function"),
    ("return 1", "x = 1", "'return' outside function"),
    ("pass", "return", "'return' outside function"),
    ("if 1: return", "pass", "'return' outside function"),
    ("break", "pass", "'break' outside loop"),
    ("pass", "break", "'break' outside loop"),
    ("continue", "pass", "'continue' not properly in loop"),
    ("if 1:\n    continue", "pass", "'continue' not properly in loop"),
    ("yield 1", "pass", "'yield' outside function"),
    ("x = yield", "pass", "'yield' outside function"),
    ("yield from []", "pass", "'yield'"),
    ("await f()", "pass", "asyncio.run"),
    ("async for x in y: pass", "pass", "asyncio.run"),
    ("async with y: pass", "pass", "asyncio.run"),
    ("[x async for x in y]", "pass", "asyncio.run"),
    ("nonlocal x", "pass", "nonlocal"),
    ("x =", "pass", "SyntaxError"),
    ("  x = 1\n y = 2", "pass", "IndentationError"),
    ("pass", "x = (", "SyntaxError"),
    ("from math import *", "pass", "can only begin the setup"),
    ("pass", "x = 1\nfrom math import *", "can only begin the setup"),
    ("x = 1\nglobal x", "pass", "SyntaxError"),
    ("1 / 0", "pass", "ZeroDivisionError"),
    ("no_such_name", "pass", "NameError"),
    ("pass", "import no_such_module", "ModuleNotFoundError"),
    ("pass", "from __main__ import no_such_name", "pass globals=globals()"),
    ("raise SystemExit(0)", "pass", "SystemExit"),
    ("b += 1", "pass", "makes it a variable of its own"),
]

PLAIN = [
    (line, "pass")
    for line in SYNTAX.replace("(1 if 0 else\n2)", "(1 if 0 else 2)").strip().split("\n")
]
PLAIN = [("try: pass\nfinally: pass", one[1]) if one[0] == "try: pass" else one for one in PLAIN]
PLAIN += [(block, "i = 0" if block.startswith("while i") else "pass") for block in BLOCKS]
PLAIN += PAIRS + bindings()
PLAIN = [(stmt, setup) for stmt, setup in dict.fromkeys(PLAIN)]
