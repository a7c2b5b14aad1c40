# expect: names
sorted(['1'], key=eval)
