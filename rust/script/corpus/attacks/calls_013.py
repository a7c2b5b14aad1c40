# expect: calls
type(1).mro()
