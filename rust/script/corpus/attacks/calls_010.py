# expect: calls
type('A', (), {})
