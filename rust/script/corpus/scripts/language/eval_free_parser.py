# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
def parse(text):
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()
    def read(i):
        if tokens[i] == "(":
            node, i = [], i + 1
            while tokens[i] != ")":
                item, i = read(i)
                node.append(item)
            return node, i + 1
        try:
            return float(tokens[i]), i + 1
        except ValueError:
            return tokens[i], i + 1
    return read(0)[0]
OPS = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "max": max}
def run(n):
    if isinstance(n, list):
        op, *args = n
        return OPS[op](*map(run, args))
    return n
bpy.data.objects["Cube"].location.z = run(parse("(+ 1 (* 2 (max 3 1)))"))
print(bpy.data.objects["Cube"].location.z)
