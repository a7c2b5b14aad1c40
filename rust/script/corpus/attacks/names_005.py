# expect: names
globals()['x'] = 1
