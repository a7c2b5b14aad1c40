# expect: imports
from importlib import import_module
