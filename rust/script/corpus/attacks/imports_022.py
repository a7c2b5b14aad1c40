# expect: imports
import io
