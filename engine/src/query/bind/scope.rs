//! Which variables are visible, and what is known of them.
//!
//! Next: `expr.rs`.

use crate::query::expr::Slot;
use crate::query::types::Types;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The first of some variables that somebody has looked up by its name.
pub(super) type Touched = Rc<OnceCell<Arc<str>>>;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Arc<str>,
    pub(super) slot: Slot,
    pub(super) types: Types,
    /// If it is a list, what its elements may be.
    pub(super) elements: Types,
    /// Whom it tells when it is looked up.
    pub(super) tells: Option<Touched>,
}

/// The variables that can be seen. Later ones hide earlier ones of the same name.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    variables: Vec<Variable>,
    /// For each of them, where the one stands that it hides.
    hides: Vec<Option<usize>>,
    /// Where the variable of each name stands: a statement may have many thousands of them.
    places: HashMap<Arc<str>, usize>,
    /// So many of the first come from around a subquery: a `WITH` in it does not end them.
    around: usize,
}

impl Scope {
    /// The scope at the beginning of a subquery that sees all of `outer`.
    pub(super) fn within(outer: &Self) -> Self {
        Self {
            around: outer.len(),
            ..outer.clone()
        }
    }

    /// The scope at the beginning of a subquery that always sees these.
    pub(super) fn around(variables: Vec<Variable>) -> Self {
        let mut scope = Self::of(variables);
        scope.around = scope.len();
        scope
    }

    /// These variables and no others.
    pub(super) fn of(variables: impl IntoIterator<Item = Variable>) -> Self {
        let mut scope = Self::default();
        for variable in variables {
            scope.push(variable);
        }
        scope
    }

    /// The variable of that name.
    pub(super) fn find(&self, name: &str) -> Option<&Variable> {
        let variable = self.variables.get(self.place(name)?)?;
        if let Some(touched) = &variable.tells {
            touched.get_or_init(|| Arc::clone(&variable.name));
        }
        Some(variable)
    }

    /// Where the variable of that name stands among the others.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Adds one, which hides others of that name.
    pub(super) fn push(&mut self, variable: Variable) {
        let hides = self.places.insert(Arc::clone(&variable.name), self.len());
        self.hides.push(hides);
        self.variables.push(variable);
    }

    /// How many there are, to come back to with [`cut`](Self::cut).
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    /// Forgets what was added since there were so many.
    pub(super) fn cut(&mut self, len: usize) {
        while self.len() > len
            && let Some(gone) = self.variables.pop()
        {
            match self.hides.pop().flatten() {
                Some(hidden) => self.places.insert(gone.name, hidden),
                None => self.places.remove(&gone.name),
            };
        }
    }

    /// After a `WITH`: what comes from around, and these.
    pub(super) fn renewed(&self, variables: Vec<Variable>) -> Self {
        let around = self.variables.iter().take(self.around).cloned();
        let mut renewed = Self::of(around.chain(variables));
        renewed.around = self.around;
        renewed
    }

    /// Without those of which this is said, by place and slot.
    pub(super) fn without(&self, is_gone: impl Fn(usize, Slot) -> bool) -> Self {
        let variables = self.variables.iter().enumerate();
        let left = variables.filter(|(place, variable)| !is_gone(*place, variable.slot));
        Self::of(left.map(|(_, variable)| variable.clone()))
    }

    /// With those of which this is said telling when they are looked up.
    pub(super) fn telling(
        &self,
        is_watched: impl Fn(usize, Slot) -> bool,
        touched: &Touched,
    ) -> Self {
        let mut telling = self.clone();
        for (place, variable) in telling.variables.iter_mut().enumerate() {
            if is_watched(place, variable.slot) {
                variable.tells = Some(Rc::clone(touched));
            }
        }
        telling
    }

    /// The names from a place on that mean something else before it, or nothing.
    pub(super) fn changed_from(&self, from: usize) -> impl Iterator<Item = &str> {
        let hidden = |place: usize| self.hides.get(place).copied().flatten();
        let changed = self.variables.iter().enumerate().skip(from);
        let changed = changed.filter(move |(place, variable)| {
            let mut before = hidden(*place);
            while let Some(place) = before.filter(|place| *place >= from) {
                before = hidden(place);
            }
            let before = before.and_then(|place| self.variables.get(place));
            before.is_none_or(|before| before.slot != variable.slot)
        });
        changed.map(|(_, variable)| &*variable.name)
    }

    /// Those that `*` stands for, by name: not those from around, and not the nameless.
    pub(super) fn own(&self) -> Vec<Variable> {
        let mut own = self.seen_from(self.around);
        own.sort_by(|left, right| left.name.cmp(&right.name));
        own
    }

    /// All that can be seen, the hidden ones left out.
    pub(super) fn visible(&self) -> Vec<Variable> {
        self.seen_from(0)
    }

    /// Those from a place on that no later one hides.
    fn seen_from(&self, from: usize) -> Vec<Variable> {
        let variables = self.variables.iter().enumerate().skip(from);
        variables
            .filter(|(at, variable)| self.place(&variable.name) == Some(*at))
            .map(|(_, variable)| variable.clone())
            .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, slot: u32) -> Variable {
        Variable {
            name: name.into(),
            slot: Slot(slot),
            types: Types::ANY,
            elements: Types::ANY,
            tells: None,
        }
    }

    fn shown(variables: &[Variable]) -> String {
        let shown = variables.iter();
        let shown = shown.map(|one| format!("{}{}", one.name, one.slot.at()));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn later_variables_hide_earlier_ones_until_they_are_cut_off() {
        let mut scope = Scope::of([variable("b", 0), variable("a", 1)]);
        scope.push(variable("b", 2));
        scope.push(variable("b", 3));
        assert_eq!(shown(&scope.visible()), "a1 b3");
        assert_eq!(scope.place("b"), Some(3));
        scope.cut(3);
        assert_eq!(scope.find("b").map(|one| one.slot), Some(Slot(2)));
        scope.cut(1);
        assert_eq!(shown(&scope.visible()), "b0");
        assert!(scope.find("a").is_none());
    }

    #[test]
    fn what_comes_from_around_survives_with_and_is_not_its_own() {
        let outer = Scope::of([variable("x", 0), variable("y", 1)]);
        let mut inner = Scope::within(&outer);
        inner.push(variable("z", 2));
        inner.push(variable("y", 3));
        assert_eq!(shown(&inner.own()), "y3 z2");
        let renewed = inner.renewed(vec![variable("w", 4)]);
        assert_eq!(shown(&renewed.visible()), "x0 y1 w4");
        assert_eq!(shown(&renewed.own()), "w4");
    }
}
