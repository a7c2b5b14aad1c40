# expect: imports
import multiprocessing
