//! Native module `geonode_core`.
