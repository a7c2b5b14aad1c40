# expect: imports
import importlib
