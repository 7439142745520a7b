//! A constraint to be created.

use super::Head;
use crate::catalog::Demand;
use crate::value::ValueKind;

/// A constraint to be created.
///
/// ```
/// use stratigraph::value::ValueKind;
/// use stratigraph::{Constraint, Database};
///
/// let db = Database::in_memory()?;
/// db.create_constraint(Constraint::on_nodes("Person").unique(["email"]))?;
/// db.create_constraint(Constraint::on_nodes("Person").exists("name").named("has_name"))?;
/// db.create_constraint(Constraint::on_relationships("KNOWS").kind("since", ValueKind::Integer))?;
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it is only described until `Database::create_constraint` creates it"]
pub struct Constraint {
    pub(in crate::database::schema) head: Head,
    pub(in crate::database::schema) properties: Vec<String>,
    pub(in crate::database::schema) demand: Demand,
}

/// What a constraint is on; the next call says what it demands.
#[derive(Clone, Debug)]
#[must_use = "say what the constraint demands"]
pub struct ConstraintOn(Head);

impl Constraint {
    /// On nodes with a label.
    pub fn on_nodes(label: impl Into<String>) -> ConstraintOn {
        ConstraintOn(Head::nodes(label))
    }

    /// On relationships of a type.
    pub fn on_relationships(relationship_type: impl Into<String>) -> ConstraintOn {
        ConstraintOn(Head::relationships(relationship_type))
    }

    head! {
        /// Gives it a name, which violations carry. Otherwise it gets one made of what it is on.
        named
        /// Leaves everything as it is if there is one of that name, or just the same.
        if_missing
    }
}

impl ConstraintOn {
    /// No two have the same values. What lacks one of the properties is no matter.
    ///
    /// Each change is looked at by itself, so two that are to swap their values have to do it by way of
    /// null, in one transaction:
    ///
    /// ```
    /// use stratigraph::{Constraint, Database, Value};
    ///
    /// let db = Database::in_memory()?;
    /// db.create_constraint(Constraint::on_nodes("Seat").unique(["guest"]))?;
    /// let mut txn = db.write()?;
    /// let one = txn.create_node(["Seat"], [("guest", "Ann")])?;
    /// let other = txn.create_node(["Seat"], [("guest", "Bob")])?;
    /// txn.set_property(one, "guest", Value::Null)?;
    /// txn.set_property(other, "guest", "Ann")?;
    /// txn.set_property(one, "guest", "Bob")?;
    /// txn.commit()?;
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    pub fn unique<P: Into<String>>(self, properties: impl IntoIterator<Item = P>) -> Constraint {
        self.demand(Demand::Unique, properties)
    }

    /// Every one has the property.
    pub fn exists(self, property: impl Into<String>) -> Constraint {
        self.demand(Demand::Exists, [property])
    }

    /// The property, where it is there, is of this kind.
    pub fn kind(self, property: impl Into<String>, kind: ValueKind) -> Constraint {
        self.demand(Demand::Type(kind), [property])
    }

    /// Every one has all the properties, and no two the same values.
    pub fn key<P: Into<String>>(self, properties: impl IntoIterator<Item = P>) -> Constraint {
        self.demand(Demand::Key, properties)
    }

    fn demand<P: Into<String>>(
        self,
        demand: Demand,
        properties: impl IntoIterator<Item = P>,
    ) -> Constraint {
        Constraint {
            head: self.0,
            properties: properties.into_iter().map(Into::into).collect(),
            demand,
        }
    }
}
