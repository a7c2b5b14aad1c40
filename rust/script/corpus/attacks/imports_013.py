# expect: imports
import pickle
