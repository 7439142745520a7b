//! The clauses that change the graph.
//!
//! Next: `pattern.rs`.

use super::{Clause, Expression, GraphPattern, Identifier, PathPattern};
use crate::span::Span;

/// `CREATE pattern`.
#[derive(Clone, Debug)]
pub struct Create {
    /// What is created.
    pub pattern: GraphPattern,
    /// Its place.
    pub span: Span,
}

/// `MERGE path [ON CREATE SET ...] [ON MATCH SET ...]`.
#[derive(Clone, Debug)]
pub struct Merge {
    /// What is matched or else created.
    pub path: PathPattern,
    /// What is set afterwards, in the order of the text.
    pub actions: Vec<MergeAction>,
    /// Its place.
    pub span: Span,
}

/// `ON CREATE SET ...` or `ON MATCH SET ...`.
#[derive(Clone, Debug)]
pub struct MergeAction {
    /// Whether it is for what was created, rather than for what was found.
    pub on_create: bool,
    /// What is set.
    pub items: Vec<SetItem>,
    /// Its place.
    pub span: Span,
}

/// `SET ...`.
#[derive(Clone, Debug)]
pub struct Set {
    /// What is set, in order.
    pub items: Vec<SetItem>,
    /// Its place.
    pub span: Span,
}

/// One thing that is set.
#[derive(Clone, Debug)]
pub enum SetItem {
    /// `of.key = value`.
    Property {
        /// Whose property.
        of: Expression,
        /// Which.
        key: Identifier,
        /// To what.
        value: Expression,
    },
    /// `of[key] = value`.
    DynamicProperty {
        /// Whose property.
        of: Expression,
        /// Which.
        key: Expression,
        /// To what.
        value: Expression,
    },
    /// `variable = value`: all its properties.
    Replace {
        /// Whose.
        variable: Identifier,
        /// To what.
        value: Expression,
    },
    /// `variable += value`.
    Add {
        /// Whose properties.
        variable: Identifier,
        /// What is added.
        value: Expression,
    },
    /// `variable:Label:Other`.
    Labels {
        /// Which node.
        variable: Identifier,
        /// The labels.
        labels: Vec<LabelName>,
        /// Their place.
        span: Span,
    },
}

/// A label that is written: by name, or given by an expression as `$(expression)`.
#[derive(Clone, Debug)]
pub enum LabelName {
    /// By name.
    Static(Identifier),
    /// A string or a list of strings.
    Dynamic(Expression),
}

/// `REMOVE ...`.
#[derive(Clone, Debug)]
pub struct Remove {
    /// What is removed, in order.
    pub items: Vec<RemoveItem>,
    /// Its place.
    pub span: Span,
}

/// One thing that is removed.
#[derive(Clone, Debug)]
pub enum RemoveItem {
    /// `of.key`.
    Property {
        /// Whose property.
        of: Expression,
        /// Which.
        key: Identifier,
    },
    /// `of[key]`.
    DynamicProperty {
        /// Whose property.
        of: Expression,
        /// Which.
        key: Expression,
    },
    /// `variable:Label:Other`.
    Labels {
        /// Which node.
        variable: Identifier,
        /// The labels.
        labels: Vec<LabelName>,
        /// Their place.
        span: Span,
    },
}

/// `[DETACH] DELETE ...`.
#[derive(Clone, Debug)]
pub struct Delete {
    /// Whether a node's relationships go with it.
    pub detach: bool,
    /// What is deleted.
    pub items: Vec<Expression>,
    /// Its place.
    pub span: Span,
}

/// `FOREACH (variable IN list | clauses)`.
#[derive(Clone, Debug)]
pub struct Foreach {
    /// What each element is called.
    pub variable: Identifier,
    /// The list.
    pub list: Expression,
    /// What is done for each: only clauses that write.
    pub body: Vec<Clause>,
    /// Its place.
    pub span: Span,
}
