# expect: imports
import pathlib
