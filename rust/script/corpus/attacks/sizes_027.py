# expect: bounds
'\t'.expandtabs(10**9)
