# expect: imports
import threading
