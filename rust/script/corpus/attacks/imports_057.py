# expect: imports
from collections import abc
