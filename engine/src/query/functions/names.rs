//! Finding functions and aggregates by name, and the nearest name to one that is none.
//!
//! Next: `table.rs`.

use super::{
    AggregateFunction, Function, aggregate, convert, entities, hierarchies, lists, numbers, random,
    rounding, texts, time, trigonometry, trimming, value_type, vectors,
};
use std::collections::HashMap;
use std::sync::LazyLock;
use stratigraph_query_lang::nearest;

/// The tables of functions. Whoever adds a file adds it here.
static TABLES: &[&[Function]] = &[
    entities::FUNCTIONS,
    hierarchies::FUNCTIONS,
    lists::FUNCTIONS,
    texts::FUNCTIONS,
    trimming::FUNCTIONS,
    numbers::FUNCTIONS,
    rounding::FUNCTIONS,
    trigonometry::FUNCTIONS,
    random::FUNCTIONS,
    convert::FUNCTIONS,
    value_type::FUNCTIONS,
    vectors::FUNCTIONS,
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
    let tables = TABLES.iter().chain(time::FUNCTIONS);
    tables.copied().flatten()
}

/// All aggregates.
pub(crate) fn aggregate_functions() -> impl Iterator<Item = &'static AggregateFunction> {
    aggregate::TABLES.iter().copied().flatten()
}

/// The name that somebody may have meant who wrote this one, which is none.
pub(crate) fn suggestions(name: &str) -> Option<&'static str> {
    let functions = functions().map(|one| one.name);
    nearest(
        name,
        functions.chain(aggregate_functions().map(|one| one.name)),
    )
}
