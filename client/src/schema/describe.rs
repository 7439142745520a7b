//! What indexes, constraints and hierarchies are.

use std::collections::BTreeMap;

/// What a declaration is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Target {
    /// Nodes with this label.
    Label(String),
    /// Relationships of this type.
    RelationshipType(String),
    /// All nodes. Only for vector and full-text indexes.
    #[default]
    AnyNode,
    /// All relationships. Only for vector and full-text indexes.
    AnyRelationship,
}

impl Target {
    /// Nodes with this label.
    pub fn label(label: impl Into<String>) -> Self {
        Self::Label(label.into())
    }

    /// Relationships of this type.
    pub fn relationship_type(name: impl Into<String>) -> Self {
        Self::RelationshipType(name.into())
    }
}

/// An index.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Index {
    /// Its name; made from what it is on if it is empty.
    pub name: String,
    /// What it is on.
    pub target: Target,
    /// The properties, in order.
    pub properties: Vec<String>,
    /// Which kind of index it is.
    pub kind: IndexKind,
}

/// Which kind of index it is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum IndexKind {
    /// Of values.
    Values,
    /// Of words.
    #[non_exhaustive]
    Words {
        /// How texts become words: `standard`, `english`, ...; the standard way if it is empty.
        analysis: String,
        /// What the properties weigh, by name; 1 if nothing is said.
        weights: BTreeMap<String, f32>,
        /// BM25's k1.
        k1: Option<f32>,
        /// BM25's b.
        b: Option<f32>,
    },
    /// Of vectors.
    #[non_exhaustive]
    Vectors {
        /// How many numbers each vector has.
        dimensions: u32,
        /// How near vectors are.
        metric: VectorMetric,
        /// How vectors are kept in the index, such as `f32` or `i8`; the usual way if it is empty.
        coding: String,
        /// How many links each vector has.
        links: Option<u32>,
        /// How many candidates are kept while it is built.
        build_breadth: Option<u32>,
        /// The properties that searches may be filtered by.
        filterable: Vec<String>,
    },
}

/// How near vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum VectorMetric {
    /// The cosine.
    #[default]
    Cosine,
    /// The dot product.
    Dot,
    /// The square of the distance.
    Euclidean,
}

impl Index {
    fn new(target: Target, properties: Vec<String>, kind: IndexKind) -> Self {
        Self {
            name: String::new(),
            target,
            properties,
            kind,
        }
    }

    /// An index of values.
    pub fn values<P>(target: Target, properties: P) -> Self
    where
        P: IntoIterator,
        P::Item: Into<String>,
    {
        Self::new(target, strings(properties), IndexKind::Values)
    }

    /// An index of words.
    pub fn words<P>(target: Target, properties: P) -> Self
    where
        P: IntoIterator,
        P::Item: Into<String>,
    {
        let kind = IndexKind::Words {
            analysis: String::new(),
            weights: BTreeMap::new(),
            k1: None,
            b: None,
        };
        Self::new(target, strings(properties), kind)
    }

    /// An index of vectors.
    pub fn vectors(target: Target, property: impl Into<String>, dimensions: u32) -> Self {
        let kind = IndexKind::Vectors {
            dimensions,
            metric: VectorMetric::default(),
            coding: String::new(),
            links: None,
            build_breadth: None,
            filterable: Vec::new(),
        };
        Self::new(target, vec![property.into()], kind)
    }

    /// Gives it a name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// How texts become words. Only of an index of words.
    pub fn analysis(mut self, name: impl Into<String>) -> Self {
        if let IndexKind::Words { analysis, .. } = &mut self.kind {
            *analysis = name.into();
        }
        self
    }

    /// What a property weighs. Only of an index of words.
    pub fn weight(mut self, property: impl Into<String>, weight: f32) -> Self {
        if let IndexKind::Words { weights, .. } = &mut self.kind {
            weights.insert(property.into(), weight);
        }
        self
    }

    /// BM25's k1 and b. Only of an index of words.
    pub fn parameters(mut self, saturation: f32, length: f32) -> Self {
        if let IndexKind::Words { k1, b, .. } = &mut self.kind {
            (*k1, *b) = (Some(saturation), Some(length));
        }
        self
    }

    /// How many links each vector has. Only of an index of vectors.
    pub fn links(mut self, wanted: u32) -> Self {
        if let IndexKind::Vectors { links, .. } = &mut self.kind {
            *links = Some(wanted);
        }
        self
    }

    /// How many candidates are kept while it is built. Only of an index of vectors.
    pub fn build_breadth(mut self, wanted: u32) -> Self {
        if let IndexKind::Vectors { build_breadth, .. } = &mut self.kind {
            *build_breadth = Some(wanted);
        }
        self
    }

    /// How near vectors are. Only of an index of vectors.
    pub fn metric(mut self, wanted: VectorMetric) -> Self {
        if let IndexKind::Vectors { metric, .. } = &mut self.kind {
            *metric = wanted;
        }
        self
    }

    /// How vectors are kept in the index. Only of an index of vectors.
    pub fn coding(mut self, wanted: impl Into<String>) -> Self {
        if let IndexKind::Vectors { coding, .. } = &mut self.kind {
            *coding = wanted.into();
        }
        self
    }

    /// The properties that searches may be filtered by. Only of an index of vectors.
    pub fn filterable<P>(mut self, properties: P) -> Self
    where
        P: IntoIterator,
        P::Item: Into<String>,
    {
        if let IndexKind::Vectors { filterable, .. } = &mut self.kind {
            *filterable = strings(properties);
        }
        self
    }
}

fn strings<P>(texts: P) -> Vec<String>
where
    P: IntoIterator,
    P::Item: Into<String>,
{
    texts.into_iter().map(Into::into).collect()
}

/// A constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Constraint {
    /// Its name; made from what it is on if it is empty.
    pub name: String,
    /// What it is on.
    pub target: Target,
    /// The properties, in order.
    pub properties: Vec<String>,
    /// What it demands.
    pub kind: ConstraintKind,
}

/// What a constraint demands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConstraintKind {
    /// No two have the same values.
    Unique,
    /// Each has a value.
    Exists,
    /// Each has values, and no two the same.
    Key,
    /// A value is of one kind: `INTEGER`, `STRING`, ...
    Type(String),
    /// Something that is newer than this client.
    Unknown,
}

impl Constraint {
    /// A constraint without a name of its own.
    pub fn new<P>(target: Target, properties: P, kind: ConstraintKind) -> Self
    where
        P: IntoIterator,
        P::Item: Into<String>,
    {
        Self {
            name: String::new(),
            target,
            properties: strings(properties),
            kind,
        }
    }

    /// Gives it a name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

/// A hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use]
#[non_exhaustive]
pub struct Hierarchy {
    /// Its name.
    pub name: String,
    /// The relationship type that leads from parent to child.
    pub relationship_type: String,
    /// Whether each member has one parent at most.
    pub is_tree: bool,
}

impl Hierarchy {
    /// A hierarchy over a relationship type that leads from parent to child.
    pub fn new(name: impl Into<String>, relationship_type: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            relationship_type: relationship_type.into(),
            is_tree: false,
        }
    }

    /// Each member has one parent at most.
    pub fn tree(mut self) -> Self {
        self.is_tree = true;
        self
    }
}

/// Whether a declaration is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SchemaState {
    /// Not known to this client.
    #[default]
    Unknown,
    /// It is being built.
    Building,
    /// It is in use.
    Ready,
    /// It could not be built.
    Failed,
}

/// All that is declared.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SchemaDescription {
    /// The indexes, by name.
    pub indexes: Vec<IndexDescription>,
    /// The constraints, by name.
    pub constraints: Vec<ConstraintDescription>,
    /// The hierarchies, by name.
    pub hierarchies: Vec<HierarchyDescription>,
}

/// An index that is declared.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct IndexDescription {
    /// What it is.
    pub definition: Index,
    /// Whether it is in use.
    pub state: SchemaState,
    /// The statement that declares it.
    pub statement: String,
}

/// A constraint that is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConstraintDescription {
    /// What it is.
    pub definition: Constraint,
    /// The statement that declares it.
    pub statement: String,
}

/// A hierarchy that is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HierarchyDescription {
    /// What it is.
    pub definition: Hierarchy,
    /// How many levels it has.
    pub levels: u64,
    /// How many members it has.
    pub members: u64,
    /// The statement that declares it.
    pub statement: String,
}
