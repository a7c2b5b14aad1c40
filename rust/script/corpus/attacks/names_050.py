# expect: names
undefined_thing()
