# expect: regexes
import re
re.search('(a|aa)+$', 'a' * 40)
