# expect: imports
import subprocess as s
