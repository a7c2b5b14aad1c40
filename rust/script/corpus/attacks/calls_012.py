# expect: calls
type(1)(2)
