# expect: imports
import tempfile
