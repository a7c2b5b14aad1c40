# expect: names
quit()
