# expect: names
breakpoint()
