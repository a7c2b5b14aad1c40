# expect: modules
import random as r
r.SystemRandom()
