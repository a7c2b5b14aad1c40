# expect: imports
import shutil
