# expect: regexes
from re import match
match('((a*)*)*b', 'aaa')
