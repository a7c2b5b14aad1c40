# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the tokens of captured requests (o200k), for ``cargo xtask bench --tokens``.

Prints ``figure [name, value, unit, limit]`` lines, and for the guide's table ``row [case, dialect, all, instructions,
examples, schema, tools, prompt, reply]`` lines.
"""

import json
import sys

import bpe_openai

ENCODING = bpe_openai.get_encoding("o200k_base")
LIMITS = {
    "scripts off": 5000,
    "scripts on": 6000,
    "a window of 8192": 5500,
    "a window of 4096": 2800,
    "an edit in 30 nodes": 8000,
}
EXAMPLES = "\n# Examples\n"
IN_WORDS = "Answer with one JSON object and nothing else: no prose, no code fence. It must satisfy this JSON Schema:\n"


def count(part):
    """The tokens of a text, or of compact JSON; nothing has none."""
    if not part:
        return 0
    text = part if isinstance(part, str) else json.dumps(part, separators=(",", ":"), ensure_ascii=False)
    return len(ENCODING.encode_ordinary(text))


def texts(parts):
    return "".join(part.get("text", "") for part in parts)


def parts(dialect, body):
    """Instructions, schema, tools and conversation of a request."""
    if dialect == "openai":
        return (
            body.get("instructions", ""),
            body.get("text"),
            body.get("tools"),
            "".join(texts(item.get("content", [])) for item in body["input"]),
        )
    if dialect == "openai-compatible":
        said = body["messages"]
        system = "".join(one["content"] for one in said if one["role"] == "system")
        asked = "".join(one["content"] for one in said if one["role"] != "system")
        return system, body.get("response_format"), body.get("tools"), asked
    if dialect == "anthropic":
        asked = "".join(texts(one["content"]) for one in body["messages"])
        return body["system"], body.get("output_config"), body.get("tools"), asked
    system = texts(body["systemInstruction"]["parts"])
    return (
        system,
        body.get("generationConfig"),
        body.get("tools"),
        "".join(texts(one["parts"]) for one in body["contents"]),
    )


def counted(dialect, body):
    system, schema, tools, asked = parts(dialect, body)
    system, _, in_words = system.partition(IN_WORDS)
    before, _, examples = system.partition(EXAMPLES)
    return [count(before), count(examples), count(in_words) or count(schema), count(tools), count(asked)]


def main(path):
    sums = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("{"):
                continue
            one = json.loads(line)
            found = [*counted(one["dialect"], one["body"]), count(one["reply"])]
            before = sums.setdefault((one["case"], one["dialect"]), [0] * len(found))
            sums[one["case"], one["dialect"]] = [a + b for a, b in zip(before, found, strict=True)]
    if not sums:
        raise SystemExit("nothing was captured")
    for (case, dialect), found in sums.items():
        print("figure", json.dumps([f"{case}, {dialect}", sum(found), "tokens", LIMITS[case]]))
        print("row", json.dumps([case, dialect, sum(found), *found]))


main(sys.argv[1])
