# expect: imports
import signal
