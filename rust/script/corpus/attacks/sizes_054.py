# expect: regexes
import re
re.sub('x' * 1000, '', '')
