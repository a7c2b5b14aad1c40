# expect: imports
from pathlib import Path
