# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
class Builder:
    __count = 0
    def __init__(self, name):
        self.__name = name
        self.__verts = []
        self.__faces = []
        Builder.__count += 1
    def __add(self, co):
        self.__verts.append(co)
        return len(self.__verts) - 1
    def quad(self, a, b, c, d):
        self.__faces.append([self.__add(x) for x in (a, b, c, d)])
        return self
    @property
    def faces(self):
        return len(self.__faces)
    def build(self):
        me = bpy.data.meshes.new(self.__name)
        me.from_pydata(self.__verts, [], self.__faces)
        me.update()
        ob = bpy.data.objects.new(self.__name, me)
        bpy.context.scene.collection.objects.link(ob)
        return ob
    @classmethod
    def count(cls):
        return cls.__count
b = Builder("P")
b.quad((0,0,0),(1,0,0),(1,1,0),(0,1,0)).quad((0,0,1),(1,0,1),(1,1,1),(0,1,1))
print(b.build().name, b.faces, Builder.count())
