# expect: names
raise KeyboardInterrupt
