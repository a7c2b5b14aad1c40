# expect: names
import bpy as x
def f(x):
    return x
