# expect: names
open('/etc/passwd').read()
