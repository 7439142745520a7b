//! A hierarchy to be created.

/// A hierarchy to be created: a relationship type that leads from parent to child.
#[derive(Clone, Debug)]
#[must_use = "it is only described until `Database::create_hierarchy` creates it"]
pub struct HierarchyOptions {
    pub(in crate::database::schema) name: String,
    pub(in crate::database::schema) relationship_type: String,
    pub(in crate::database::schema) tree: bool,
    pub(in crate::database::schema) if_missing: bool,
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
