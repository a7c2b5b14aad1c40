# expect: imports
import geonode_assistant
