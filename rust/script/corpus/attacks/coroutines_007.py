# expect: statements
type A = int
