//! Which variables are visible, and what is known of them.
//!
//! Next: `expr.rs`.

use crate::query::expr::Slot;
use crate::query::types::Types;
use std::sync::Arc;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Arc<str>,
    pub(super) slot: Slot,
    pub(super) types: Types,
    /// If it is a list, what its elements may be.
    pub(super) elements: Types,
}

/// The variables that can be seen. Later ones hide earlier ones of the same name.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    variables: Vec<Variable>,
    /// So many of the first come from around a subquery: a `WITH` in it does not end them.
    around: usize,
}

impl Scope {
    /// The scope at the beginning of a subquery that sees all of `outer`.
    pub(super) fn within(outer: &Self) -> Self {
        Self {
            variables: outer.variables.clone(),
            around: outer.variables.len(),
        }
    }

    /// The scope at the beginning of a subquery that always sees these.
    pub(super) fn around(variables: Vec<Variable>) -> Self {
        let around = variables.len();
        Self { variables, around }
    }

    /// The variable of that name.
    pub(super) fn find(&self, name: &str) -> Option<&Variable> {
        self.variables
            .iter()
            .rev()
            .find(|known| &*known.name == name)
    }

    /// Where the variable of that name stands among the others.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.variables
            .iter()
            .rposition(|known| &*known.name == name)
    }

    /// Adds one, which hides others of that name.
    pub(super) fn push(&mut self, variable: Variable) {
        self.variables.push(variable);
    }

    /// How many there are, to come back to with [`cut`](Self::cut).
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    /// Forgets what was added since there were so many.
    pub(super) fn cut(&mut self, len: usize) {
        self.variables.truncate(len);
    }

    /// After a `WITH`: what comes from around, and these.
    pub(super) fn renewed(&self, variables: Vec<Variable>) -> Self {
        let mut renewed = Self {
            variables: self.variables[..self.around].to_vec(),
            around: self.around,
        };
        renewed.variables.extend(variables);
        renewed
    }

    /// Those that `*` stands for, by name: not those from around, and not the nameless.
    pub(super) fn own(&self) -> Vec<Variable> {
        let mut own: Vec<Variable> = Vec::new();
        for variable in &self.variables[self.around..] {
            own.retain(|known| known.name != variable.name);
            own.push(variable.clone());
        }
        own.sort_by(|left, right| left.name.cmp(&right.name));
        own
    }

    /// All that can be seen, the hidden ones left out.
    pub(super) fn visible(&self) -> Vec<Variable> {
        let mut visible: Vec<Variable> = Vec::new();
        for variable in &self.variables {
            visible.retain(|known| known.name != variable.name);
            visible.push(variable.clone());
        }
        visible
    }

    /// Whether the variable at a place comes from around the subquery.
    pub(super) fn is_around(&self, place: usize) -> bool {
        place < self.around
    }

    /// The slots of what was added since there were so many.
    pub(super) fn slots_from(&self, len: usize) -> Vec<Slot> {
        let added = self.variables.get(len..).unwrap_or_default();
        added.iter().map(|variable| variable.slot).collect()
    }

    /// What was added since there were so many.
    pub(super) fn variables_from(&self, len: usize) -> Vec<Variable> {
        self.variables.get(len..).unwrap_or_default().to_vec()
    }

    /// The names of what was added since there were so many.
    pub(super) fn names_from(&self, len: usize) -> impl Iterator<Item = &str> {
        let added = self.variables.get(len..).unwrap_or_default();
        added.iter().map(|variable| &*variable.name)
    }

    /// The names that can be seen, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|variable| &*variable.name)
    }
}
