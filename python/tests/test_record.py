"""The types of a record, which are written from its schema; TALLY_APPROVE=1 writes them anew."""

from __future__ import annotations

import json
import os
from typing import Any

from real_traces import ROOT

FILE = ROOT / "python" / "tallymark" / "_client" / "record.py"
SCHEMA = "schema/record-2.schema.json"
HEAD = f'''"""The form of a record (docs/reference/record.md).

Written by python/tests/test_record.py from {SCHEMA}: TALLY_APPROVE=1 writes it anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired
'''
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Schema = dict[str, Any]


class Writer:
    """The classes of a schema's objects, each before the one that has it."""

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self.definitions = definitions
        self.classes: dict[str, str] = {}

    def type_of(self, key: str, schema: Schema) -> str:
        if "$ref" in schema:
            key = schema["$ref"].rpartition("/")[2]
            return self.type_of(key, self.definitions[key])
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.type_of(key, one) for one in schema["anyOf"]))
        if "enum" in schema or "const" in schema:
            return type((schema.get("enum") or [schema.get("const")])[0]).__name__
        if schema["type"] == "array":
            return f"list[{self.type_of(key, schema['items'])}]"
        if schema["type"] != "object":
            return SIMPLE[schema["type"]]
        if "properties" not in schema:
            return f"dict[str, {self.type_of(key, schema['additionalProperties'])}]"
        return self.class_of(key, schema)

    def class_of(self, key: str, schema: Schema) -> str:
        name = "".join(word.capitalize() for word in key.split("_"))
        members = []
        for member, inner in schema["properties"].items():
            found = self.type_of(member, inner)
            needed = member in schema["required"]
            members.append(f"    {member}: {found if needed else f'NotRequired[{found}]'}\n")
        self.classes[name] = f"\n\nclass {name}(TypedDict):\n{''.join(members)}"
        return name


def test_the_types_of_a_record_are_those_of_its_schema() -> None:
    schema = json.loads((ROOT / SCHEMA).read_text(encoding="utf-8"))
    writer = Writer(schema["$defs"])
    writer.class_of("record", schema)
    text = HEAD + "".join(writer.classes.values())
    if os.environ.get("TALLY_APPROVE"):
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text, "TALLY_APPROVE=1 writes it anew"
