# expect: imports
import ctypes
