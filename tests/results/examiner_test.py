"""The examiner, without a host: each statement runs in a function, as the host makes it, and what it sends is held."""

import ast
import pathlib
import unittest

EXAMINER = pathlib.Path(__file__).resolve().parents[2] / "host" / "python" / "examiner.py"


def left(stmt, setup="", names=()):
    """(text, refusal) that one execution of the statement sends."""
    module = {"__name__": "examiner"}
    exec(compile(EXAMINER.read_text(), str(EXAMINER), "exec"), module)
    sent = []
    namespace = {"__name__": "__main__"}
    body = module["examined"](
        ast.parse(stmt).body, list(names), namespace, lambda *parts: sent.append(parts)
    )
    function = ast.parse("def case():\n pass").body[0]
    function.body = ast.parse(setup).body + body
    tree = ast.fix_missing_locations(ast.Module([function], []))
    exec(compile(tree, "<case>", "exec"), namespace)
    namespace["case"]()
    (only,) = sent
    return only


def has(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


class WhatIsReported(unittest.TestCase):
    def test_the_signature_names_it(self):
        self.assertEqual(left("y = x * 2\nz = 1", "x = 3", ["y"]), ("y = 6\n", ""))

    def test_otherwise_the_last_value_and_what_changes(self):
        self.assertEqual(left("x + 1", "x = 3"), ("value = 4\n", ""))
        self.assertEqual(left("x += 1", "x = 3"), ("x = 4\n", ""))
        self.assertEqual(left("a, b = 1, 'two'"), ("a = 1\nb = 'two'\n", ""))
        self.assertEqual(left("x[0] = 5", "x = [1]"), ("x = [5, ]\n", ""))
        self.assertEqual(left("x.append(5)", "x = [1]"), ("value = None\nx = [1, 5, ]\n", ""))
        self.assertEqual(left("for i in range(3):\n  n += i", "n = 0"), ("i = 2\nn = 3\n", ""))

    def test_names_of_inner_functions_and_modules_are_none(self):
        self.assertEqual(left("math.floor(2.5)", "import math"), ("value = 2\n", ""))
        self.assertEqual(left("[i for i in range(2)]"), ("value = [0, 1, ]\n", ""))

    def test_nothing_to_see_is_refused(self):
        for stmt in ("pass", "f()", "None"):
            _, refusal = left(stmt, "def f(): pass")
            self.assertIn("leaves nothing that can be seen", refusal, stmt)

    def test_a_name_that_is_not_set_is_noted(self):
        self.assertEqual(
            left("if x:\n  y = 1\nelse:\n  z = 2", "x = 1"), ("y = 1\nz is not set\n", "")
        )


class HowValuesRead(unittest.TestCase):
    def test_equal_values_equal_texts(self):
        self.assertEqual(left("{'b', 'a'}")[0], "value = set{'a', 'b'}\n")
        self.assertEqual(left("{2: (1.5, b'x')}"), ("value = {2: (1.5, b'x', ), }\n", ""))
        self.assertEqual(left("10**40")[0], f"value = {hex(10**40)}\n")

    def test_objects_by_their_attributes(self):
        setup = "class P:\n  def __init__(self, x): self.x = x"
        self.assertEqual(left("P(1)", setup), ("value = P(x=1, )\n", ""))
        slots = "class P:\n  __slots__ = ('x',)\n  def __init__(self): self.x = 2"
        self.assertEqual(left("P()", slots), ("value = P(x=2, )\n", ""))

    def test_what_says_nothing_is_refused(self):
        for stmt in ("(i for i in x)", "lambda: 1", "object()", "len", "[object()]", "iter(x)"):
            _, refusal = left(stmt, "x = [1]")
            self.assertIn("says nothing of itself", refusal, stmt)
        self.assertIn("nested", left("x", "x = []\nx.append(x)")[1])

    def test_a_receiver_that_says_nothing_does_not_hide_the_value(self):
        self.assertEqual(left("r.random()", "import random; r = random.Random(3)")[1], "")

    def test_a_long_text_is_cut_and_distinguished(self):
        one = left("list(range(5000))")[0]
        other = left("list(range(4999)) + [0]")[0]
        self.assertNotEqual(one, other)
        self.assertLess(len(one), 4300)


@unittest.skipUnless(has("torch"), "no torch")
class Tensors(unittest.TestCase):
    setup = "import torch\nx = torch.ones((2, 2))"

    def test_type_shape_values_and_bytes(self):
        text, refusal = left("x * 2.5", self.setup)
        self.assertEqual(refusal, "")
        self.assertRegex(
            text,
            r"value = tensor torch.float32 \[2, 2\] \{2.5, 2.5, 2.5, 2.5\}, 16 bytes, sha256 [0-9a-f]{16}\n",
        )
        self.assertNotEqual(text, left("x * 2.5000002", self.setup)[0])
        self.assertNotEqual(text, left("(x * 2.5).double()", self.setup)[0])

    def test_gradients_count(self):
        setup = "import torch\nw = torch.ones(2, requires_grad=True)"
        text, refusal = left("y = (w * 3).sum()\ny.backward()", setup, ["y", "w"])
        self.assertEqual(refusal, "")
        self.assertRegex(text, r"w = tensor .* gradient tensor torch.float32 \[2\] \{3.0, 3.0\}")

    def test_every_kind_of_tensor(self):
        for stmt in (
            "x.bool()",
            "x.bfloat16()",
            "x.to(torch.complex64)",
            "x.to_sparse()",
            "torch.tensor(3)",
            "x[:0]",
            "x.t()",
            "[x, (x, {'k': x})]",
            "torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)",
        ):
            text, refusal = left(stmt, self.setup)
            self.assertEqual(refusal, "", stmt)
            self.assertIn("tensor torch.", text)


@unittest.skipUnless(has("numpy"), "no NumPy")
class Arrays(unittest.TestCase):
    def test_type_shape_values_and_bytes(self):
        text, refusal = left("numpy.arange(3)", "import numpy")
        self.assertEqual(refusal, "")
        self.assertIn("array int64 [3] {0, 1, 2}, 24 bytes", text)
        self.assertEqual(left("numpy.float32(1.5)", "import numpy"), ("value = float32 1.5\n", ""))


if __name__ == "__main__":
    unittest.main()
