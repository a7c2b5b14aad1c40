# expect: imports
import pty
