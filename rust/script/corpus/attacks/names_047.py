# expect: names
raise SystemExit
