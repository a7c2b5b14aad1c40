# expect: names
[eval][0]('1')
