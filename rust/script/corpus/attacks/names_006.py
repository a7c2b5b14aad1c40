# expect: names
locals()
