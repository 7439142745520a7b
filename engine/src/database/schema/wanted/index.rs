//! A property index to be created.

use super::Head;

/// A property index to be created.
///
/// ```
/// use stratigraph::{Database, Index};
///
/// let db = Database::in_memory()?;
/// db.create_index(Index::on_nodes("Person", ["last_name", "first_name"]).named("by_name"))?;
/// db.create_index(Index::on_relationships("KNOWS", ["since"]))?;
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it is only described until `Database::create_index` creates it"]
pub struct Index {
    pub(in crate::database::schema) head: Head,
    pub(in crate::database::schema) properties: Vec<String>,
}

impl Index {
    /// On nodes with a label, by these properties in this order.
    pub fn on_nodes<P: Into<String>>(
        label: impl Into<String>,
        properties: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::on(Head::nodes(label), properties)
    }

    /// On relationships of a type, by these properties in this order.
    pub fn on_relationships<P: Into<String>>(
        relationship_type: impl Into<String>,
        properties: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::on(Head::relationships(relationship_type), properties)
    }

    fn on<P: Into<String>>(head: Head, properties: impl IntoIterator<Item = P>) -> Self {
        Self {
            head,
            properties: properties.into_iter().map(Into::into).collect(),
        }
    }

    head! {
        /// Gives it a name. Otherwise it gets one made of what it is on.
        named
        /// Leaves everything as it is if there is one of that name, or on the same properties.
        if_missing
    }
}
