//! Values: what properties hold, and the ids of what holds them.

mod ids;

pub use ids::{NodeId, RelationshipId};
