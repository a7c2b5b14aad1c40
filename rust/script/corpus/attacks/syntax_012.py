# expect: parse
\
