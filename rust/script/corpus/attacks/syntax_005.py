# expect: parse
```python
x = 1
```
