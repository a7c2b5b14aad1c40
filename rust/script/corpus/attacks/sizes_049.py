# expect: regexes
import re
re.match('(a+)+$', 'a' * 40)
