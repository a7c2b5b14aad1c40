# expect: names
raise GeneratorExit
