# expect: calls
from functools import partial
partial(getattr, 1)
