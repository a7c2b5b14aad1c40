# expect: imports
import geonode_core
