# expect: names
import math as eval
