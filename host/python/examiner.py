"""Makes a Python statement report what it leaves, as text: for `tally ab --same-result`.

Sent to the Python host with the case, so that a measured host never reads it. What is reported: the
variables that the signature names; otherwise the value of the last expression statement, and every
name that the statement assigns, updates, stores into or calls a method of.

How a value becomes text: numbers, text and bytes by repr; lists, tuples, dictionaries (in their
order) and sets (sorted) by their elements; tensors and NumPy arrays by type, shape, first values
and a digest of their bytes, and the gradient of a leaf; other objects by their own repr, or by
their attributes where they have none. A value that says nothing of itself (a function, a generator,
an address in its repr) is refused: it cannot be compared.
"""

import ast
import hashlib
import re
import sys

LIMIT = 4096  # characters of text that are shown; a longer one is distinguished by its digest
DEPTH = 16
PLAIN = (
    bool,
    float,
    complex,
    str,
    bytes,
    bytearray,
    range,
    slice,
    type(None),
    type(Ellipsis),
    type(NotImplemented),
)
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


class Refused(Exception):
    """Why a value cannot be compared."""


class Names(ast.NodeVisitor):
    """Names of the measured function that a statement may change; not those of functions inside it."""

    def __init__(self):
        self.changed = []
        self.called = []  # only a method of theirs was called, which may have changed them

    def add(self, node, names):
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        if isinstance(node, ast.Name) and node.id not in names:
            names.append(node.id)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self.add(node, self.changed)

    def visit_Attribute(self, node):
        if isinstance(node.ctx, ast.Store):
            self.add(node, self.changed)
        self.generic_visit(node)

    visit_Subscript = visit_Attribute

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            self.add(node.func, self.called)
        self.generic_visit(node)

    def skip(self, node):
        pass

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_Import = (
        visit_ImportFrom
    ) = skip
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = skip


def sample(values):
    return "{" + ", ".join(repr(v) for v in values) + "}"


def digest(data):
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()[:16]}"


class Text:
    def __init__(self):
        self.pieces = []
        self.refusal = ""

    def put(self, text):
        self.pieces.append(text)

    def named(self, name, value, needed=True):
        """`needed`: if its value cannot be shown, nothing is compared."""
        self.put(f"{name} = ")
        why = None
        try:
            self.render(value, 0)
        except Refused as refused:
            why = str(refused)
        except RecursionError:
            why = "it is nested too deeply"
        if why is not None:
            self.put("?")
            if needed and not self.refusal:
                self.refusal = f"{name}: {why}"
        self.put("\n")

    def finish(self):
        text = "".join(self.pieces)
        if len(text) > LIMIT:
            data = text.encode("utf-8", "backslashreplace")
            text = f"{text[:LIMIT]}… ({len(text)} characters, sha256 {hashlib.sha256(data).hexdigest()[:16]})"
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def elements(self, opening, values, closing, depth):
        self.put(opening)
        for value in values:
            self.render(value, depth + 1)
            self.put(", ")
        self.put(closing)

    def attributes(self, value, depth):
        names = sorted(getattr(value, "__dict__", {}))
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            names += [slots] if isinstance(slots, str) else list(slots)
        names = [
            name
            for name in names
            if hasattr(value, name) and name not in ("__dict__", "__weakref__")
        ]
        if not names:
            raise Refused(f"a value of type {type(value).__name__} says nothing of itself")
        self.put(type(value).__name__ + "(")
        for name in names:
            self.put(name + "=")
            self.render(getattr(value, name), depth + 1)
            self.put(", ")
        self.put(")")

    def tensor(self, value, depth):
        torch = sys.modules["torch"]
        kind = str(value.dtype)
        if value.layout != torch.strided:
            kind += f" {value.layout}"
            plain = value.detach().to_dense()
        else:
            plain = value.detach()
        if plain.is_quantized:
            kind += " quantized"
            plain = plain.dequantize()
        flat = plain.cpu().contiguous().reshape(-1)
        shown = sample(flat[:6].tolist())
        if flat.is_complex():
            flat = torch.view_as_real(flat).reshape(-1)
        raw = flat.view(torch.uint8)
        try:
            data = raw.numpy().tobytes()
        except RuntimeError:  # no NumPy
            data = bytes(raw.tolist())
        self.put(f"tensor {kind} {list(value.shape)} {shown}, {digest(data)}")
        if value.is_leaf and value.grad is not None and depth <= DEPTH:
            self.put(", gradient ")
            self.tensor(value.grad, DEPTH + 1)

    def array(self, value, depth):
        if value.dtype.hasobject:
            self.elements(
                f"array {value.dtype} {list(value.shape)} [", value.ravel().tolist(), "]", depth
            )
            return
        self.put(
            f"array {value.dtype} {list(value.shape)} {sample(value.ravel()[:6].tolist())}, {digest(value.tobytes())}"
        )

    def render(self, value, depth):
        if depth > DEPTH:
            raise Refused(f"it is nested deeper than {DEPTH} levels")
        kind = type(value)
        torch = sys.modules.get("torch")
        numpy = sys.modules.get("numpy")
        if kind is int:
            # A long repr costs time and may be refused.
            self.put(repr(value) if abs(value) < 10**30 else hex(value))
        elif kind in PLAIN:
            self.put(repr(value))
        elif kind is list:
            self.elements("[", value, "]", depth)
        elif isinstance(value, tuple):
            self.elements("(" if kind is tuple else kind.__name__ + "(", value, ")", depth)
        elif kind is dict:
            self.put("{")
            for key, element in value.items():
                self.render(key, depth + 1)
                self.put(": ")
                self.render(element, depth + 1)
                self.put(", ")
            self.put("}")
        elif kind in (set, frozenset):
            texts = []
            for element in value:
                one = Text()
                one.render(element, depth + 1)
                texts.append("".join(one.pieces))
            self.put(f"{kind.__name__}{{{', '.join(sorted(texts))}}}")
        elif torch is not None and isinstance(value, torch.Tensor):
            self.tensor(value, depth)
        elif numpy is not None and isinstance(value, numpy.ndarray):
            self.array(value, depth)
        elif numpy is not None and isinstance(value, numpy.generic):
            self.put(f"{value.dtype} {value.item()!r}")
        elif kind.__repr__ is object.__repr__:
            self.attributes(value, depth)
        else:
            text = repr(value)
            if ADDRESS.search(text) or callable(value):
                raise Refused(f"a value of type {kind.__name__} says nothing of itself")
            self.put(text)


def examined(stmt, names, namespace, send):
    """The statement's nodes, followed by a call that sends what they left."""
    found = Names()
    if names:
        found.changed = list(names)
    else:
        for node in stmt:
            found.visit(node)
    has_value = not names and bool(stmt) and isinstance(stmt[-1], ast.Expr)

    def report(value=None):
        frame = sys._getframe(1)
        text = Text()
        shown = value is not None
        if has_value:
            text.named("value", value)
        for name in found.changed + [name for name in found.called if name not in found.changed]:
            values = frame.f_locals if name in frame.f_locals else frame.f_globals
            needed = name in found.changed or not shown
            # Not a module: math.sqrt(x) changes no math.
            if name in values and not isinstance(values[name], type(sys)):
                text.named(name, values[name], needed)
                shown = True
            elif name not in values:
                text.put(f"{name} is not set\n")
        if not shown:
            text.refusal = (
                "the statement leaves nothing that can be seen: it has no value and sets no name"
            )
        send(text.finish(), text.refusal)

    namespace["_tally_report"] = report
    body = stmt[:-1] if has_value else list(stmt)
    call = ast.Expr(
        ast.Call(ast.Name("_tally_report", ast.Load()), [stmt[-1].value] if has_value else [], [])
    )
    if has_value:
        ast.copy_location(call, stmt[-1])
        ast.copy_location(call.value, stmt[-1])
    return body + [call]
