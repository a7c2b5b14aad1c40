# expect: modules
import statistics
statistics.sys
