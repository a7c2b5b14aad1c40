# expect: imports
import aud
