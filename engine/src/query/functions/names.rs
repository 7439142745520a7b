//! Finding functions and aggregates by name, and the nearest name to one that is none.
//!
//! Next: `table.rs`.

use super::{
    AggregateFunction, Function, aggregate, convert, entities, lists, numbers, random, rounding,
    texts, trigonometry, trimming, value_type,
};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The tables of functions. Whoever adds a file adds it here.
static TABLES: &[&[Function]] = &[
    entities::FUNCTIONS,
    lists::FUNCTIONS,
    texts::FUNCTIONS,
    trimming::FUNCTIONS,
    numbers::FUNCTIONS,
    rounding::FUNCTIONS,
    trigonometry::FUNCTIONS,
    random::FUNCTIONS,
    convert::FUNCTIONS,
    value_type::FUNCTIONS,
];

/// Functions by their names in small letters.
static BY_NAME: LazyLock<HashMap<String, &'static Function>> = LazyLock::new(|| {
    let named = |one: &'static Function| (one.name.to_ascii_lowercase(), one);
    functions().map(named).collect()
});

/// A function of the engine by name, whatever the case.
pub(crate) fn function(name: &str) -> Option<&'static Function> {
    BY_NAME.get(&name.to_ascii_lowercase()).copied()
}

/// An aggregate by name, whatever the case.
pub(crate) fn aggregate_function(name: &str) -> Option<&'static AggregateFunction> {
    aggregate_functions().find(|function| function.name.eq_ignore_ascii_case(name))
}

/// All functions of the engine.
pub(crate) fn functions() -> impl Iterator<Item = &'static Function> {
    TABLES.iter().copied().flatten()
}

/// All aggregates.
pub(crate) fn aggregate_functions() -> impl Iterator<Item = &'static AggregateFunction> {
    aggregate::TABLES.iter().copied().flatten()
}

/// The name that somebody may have meant who wrote this one, which is none.
pub(crate) fn suggestions(name: &str) -> Option<&'static str> {
    /// Longer ones are no typing errors, and comparing takes the product of the lengths.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let meant = name.to_ascii_lowercase();
    let functions = functions().map(|one| one.name);
    let names = functions.chain(aggregate_functions().map(|one| one.name));
    let (distance, nearest) = names
        .map(|known| (distance(&meant, &known.to_ascii_lowercase()), known))
        .min_by_key(|(distance, _)| *distance)?;
    // A third of the letters may be wrong: more, and it is another word.
    (distance * 3 <= meant.chars().count()).then_some(nearest)
}

/// How many letters must be put in, taken out, changed or swapped with the next.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let changed = last[column] + usize::from(letter != other);
            let mut least = changed.min(last[column + 1] + 1).min(next[column] + 1);
            let swapped =
                row > 0 && column > 0 && left[row - 1] == *other && right[column - 1] == *letter;
            if swapped {
                least = least.min(before_last[column - 1] + 1);
            }
            next.push(least);
        }
        before_last = std::mem::replace(&mut last, next);
    }
    last.last().copied().unwrap_or(0)
}
