# expect: formats
s = input_text = 'x'
s.upper().format(1)
