# expect: regexes
import re
re.compile('(.*a){20}')
