//! The static cost estimate: how many elements a tree makes, how long it takes and how much memory, by propagation through its graph,
//! before anything is evaluated.
//!
//! # What is counted
//! An *element* is a mesh vertex, a control point of a curve, a point of a cloud or an instance; ten voxels weigh as one. Instances count as
//! one each and what they show counts once, unless they are made real. The elements of a modifier are its *peak*: the largest that any node
//! on the way to the Group Output makes, so that a billion points which are deleted again are seen. Branches of a switch that are certainly
//! not taken cost nothing.
//!
//! *Time* is the sum over everything that Blender evaluates, as often as it does: the fixed cost of a node's type, its cost for each element
//! that flows in and comes out, and for each field that it uses the nodes that lead to it on every element. Zones multiply by their
//! iterations, groups count at each place where they are used. *Memory* is what the largest node holds, and what each evaluated node keeps
//! until the end. The costs of the types are data (`costs.json`), each measured by itself; a type that was not measured counts as a dear one.
//!
//! # How it is known
//! - Numbers are intervals: constants, modifier values and interface defaults are exact, Random Value lies between its bounds, arithmetic
//!   is interval arithmetic. A count takes the upper bound, a voxel or a distance the lower one.
//! - Geometry is figures: vertices, edges, faces, corners, area, splines, lengths, extent. Each node family says what it makes of them
//!   (`families/`); a node of no family hands its geometry on.
//! - Objects and collections bring the figures that Blender tells in constant time ([`geonode_graph::documents::Scene`]).
//! - Groups are evaluated once for each set of inputs. A repeat zone is followed until its growth is plain and then carried on; a for-each
//!   zone is evaluated for one average element; a simulation is played for the 250 frames of a fresh scene: its
//!   slowest frame is judged, and the states of all frames, which Blender keeps.
//!
//! # What is assumed
//! An input of which nothing is known counts as the value of a fresh node. A selection that is a field counts as everything, a deletion by
//! one as nothing, unless it keeps the first elements only. An object of which nothing is known is a mesh of 500 vertices, a text 20 characters. The area of an object's faces is
//! that of its bounding box. Modifiers other than Geometry Nodes, Subdivision Surface and Multiresolution change nothing. Grids, files that are imported, and attributes that carry counts are not followed.
//!
//! The work is linear in nodes and links for each evaluation of a tree, and bounded as a whole; an estimate that was given up says so.

mod acts_on;
mod blame;
mod components;
mod costs;
mod families;
mod field;
mod flow;
mod foreign;
mod frame;
mod geometry;
mod inputs;
mod kinds;
mod levers;
mod machine;
mod modifiers;
mod observations;
mod prepare;
mod range;
mod remedy;
mod risk;
mod scene;
mod stack;
mod subdivision;
mod work;
mod zones;

pub use self::acts_on::{Makes, RULES, Rule};
pub use self::components::{Components, Kinds};
pub use self::flow::{Culprit, Driver, Lever};
pub use self::modifiers::{Modifier, Multiplied, Stack, multiplied};
pub use self::observations::{MissingData, Observation, Observations, ReceivedGeometry};
pub use self::risk::{Risk, risk};
pub use self::stack::{Counts, Estimate, driver, estimate, observe};
pub use self::work::{Budget, Load, Work};
