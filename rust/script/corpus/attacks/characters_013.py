# expect: scan
s = '''⁧'''
