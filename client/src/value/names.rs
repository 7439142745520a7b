//! The names by which our own types are known on their way through serde.

pub(super) const VALUE: &str = "$stratigraph.Value";
pub(super) const VECTOR: &str = "$stratigraph.Vector";
pub(super) const BYTES: &str = "$stratigraph.Bytes";
pub(super) const DATE: &str = "$stratigraph.Date";
pub(super) const TIME: &str = "$stratigraph.Time";
pub(super) const LOCAL_TIME: &str = "$stratigraph.LocalTime";
pub(super) const DATE_TIME: &str = "$stratigraph.DateTime";
pub(super) const LOCAL_DATE_TIME: &str = "$stratigraph.LocalDateTime";
pub(super) const DURATION: &str = "$stratigraph.Duration";
pub(super) const NODE: &str = "$stratigraph.Node";
pub(super) const RELATIONSHIP: &str = "$stratigraph.Relationship";
pub(super) const PATH: &str = "$stratigraph.Path";
