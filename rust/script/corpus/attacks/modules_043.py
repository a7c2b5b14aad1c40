# expect: modules
import collections
collections._sys
