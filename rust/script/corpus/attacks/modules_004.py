# expect: modules
import numpy as np
f = lambda m: m.load
f(np)
