//! What can be declared, as its builders say it.

use crate::catalog::{Demand, Scope};
use crate::error::Result;
use crate::graph::WriteTxn;
use crate::value::ValueKind;

/// What a declaration is on.
#[derive(Clone, Debug)]
pub(super) enum On {
    Nodes(String),
    Relationships(String),
    AnyNode,
    AnyRelationship,
}

impl On {
    pub(super) fn scope(&self, txn: &mut WriteTxn) -> Result<Scope> {
        match self {
            Self::Nodes(label) => txn.scope_of_label(label),
            Self::Relationships(of) => txn.scope_of_type(of),
            Self::AnyNode => Ok(Scope::AnyNode),
            Self::AnyRelationship => Ok(Scope::AnyRelationship),
        }
    }

    pub(super) fn word(&self) -> &str {
        match self {
            Self::Nodes(word) | Self::Relationships(word) => word,
            Self::AnyNode => "node",
            Self::AnyRelationship => "relationship",
        }
    }
}

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
    pub(super) on: On,
    pub(super) properties: Vec<String>,
    pub(super) name: Option<String>,
    pub(super) if_missing: bool,
}

impl Index {
    /// On nodes with a label, by these properties in this order.
    pub fn on_nodes<P: Into<String>>(
        label: impl Into<String>,
        properties: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::on(On::Nodes(label.into()), properties)
    }

    /// On relationships of a type, by these properties in this order.
    pub fn on_relationships<P: Into<String>>(
        relationship_type: impl Into<String>,
        properties: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::on(On::Relationships(relationship_type.into()), properties)
    }

    fn on<P: Into<String>>(on: On, properties: impl IntoIterator<Item = P>) -> Self {
        Self {
            on,
            properties: properties.into_iter().map(Into::into).collect(),
            name: None,
            if_missing: false,
        }
    }

    /// Gives it a name. Otherwise it gets one made of what it is on.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Leaves everything as it is if there is one of that name, or on the same properties.
    pub fn if_missing(mut self) -> Self {
        self.if_missing = true;
        self
    }
}

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
    pub(super) on: On,
    pub(super) properties: Vec<String>,
    pub(super) demand: Demand,
    pub(super) name: Option<String>,
    pub(super) if_missing: bool,
}

/// What a constraint is on; the next call says what it demands.
#[derive(Clone, Debug)]
#[must_use = "say what the constraint demands"]
pub struct ConstraintOn(On);

impl Constraint {
    /// On nodes with a label.
    pub fn on_nodes(label: impl Into<String>) -> ConstraintOn {
        ConstraintOn(On::Nodes(label.into()))
    }

    /// On relationships of a type.
    pub fn on_relationships(relationship_type: impl Into<String>) -> ConstraintOn {
        ConstraintOn(On::Relationships(relationship_type.into()))
    }

    /// Gives it a name, which violations carry. Otherwise it gets one made of what it is on.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Leaves everything as it is if there is one of that name, or just the same.
    pub fn if_missing(mut self) -> Self {
        self.if_missing = true;
        self
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
            on: self.0,
            properties: properties.into_iter().map(Into::into).collect(),
            demand,
            name: None,
            if_missing: false,
        }
    }
}

/// A hierarchy to be created: a relationship type that leads from parent to child.
#[derive(Clone, Debug)]
#[must_use = "it is only described until `Database::create_hierarchy` creates it"]
pub struct HierarchyOptions {
    pub(super) name: String,
    pub(super) relationship_type: String,
    pub(super) tree: bool,
    pub(super) if_missing: bool,
}

impl HierarchyOptions {
    /// The hierarchy of that name, formed by relationships of that type.
    pub fn new(name: impl Into<String>, relationship_type: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            relationship_type: relationship_type.into(),
            tree: false,
            if_missing: false,
        }
    }

    /// Refuses a second parent. Otherwise a child may have several.
    pub fn tree(mut self) -> Self {
        self.tree = true;
        self
    }

    /// Leaves everything as it is if there is just this hierarchy already.
    pub fn if_missing(mut self) -> Self {
        self.if_missing = true;
        self
    }
}
