# expect: regexes
import re
p = '(a' + '+)+'
re.match(p, 'a')
