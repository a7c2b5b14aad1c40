# expect: modules
import copy
copy.dispatch_table
