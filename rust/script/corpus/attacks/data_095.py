# expect: attributes
class A:
    filepath = 1
    def f(self):
        return self.filepath
