# expect: calls
format_it = format
