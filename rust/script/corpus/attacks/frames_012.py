# expect: attributes
try:
    pass
except Exception as e:
    for t in [e]:
        t.tb_next
