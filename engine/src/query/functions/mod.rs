//! Functions and aggregates: what they take, what they give, what they do.
//!
//! Each is one entry of a table, with its documentation and an example that a test runs. [`function`] and
//! [`aggregate_function`] find them by name, whatever the case.
//!
//! | what | where |
//! |---|---|
//! | `+`, `<`, `IN` and their kin, which are no functions but work as these do | `operators/` |
//! | how the tables are written down | `table.rs` |
//! | finding an entry by its name, and the nearest name to one that is none | `names.rs` |
//! | arguments as Rust's types; how large a value may become | `arguments.rs`, `limits.rs` |
//! | nodes, relationships, paths, maps | `entities.rs` |
//! | levels, roots and ancestors in hierarchies | `hierarchies.rs` |
//! | vectors | `vectors.rs`, over `query/similarity.rs` |
//! | lists | `lists.rs` |
//! | text | `texts.rs`, `trimming.rs` |
//! | numbers | `numbers.rs`, `rounding.rs`, `trigonometry.rs` |
//! | conversions and names of types | `convert.rs`, `value_type.rs` |
//! | chance, and the clock as a number | `random.rs` |
//! | dates and times | `time/`, over `temporal/` |
//! | aggregates | `aggregate/` |
//! | those of the host | `host.rs` |

mod aggregate;
mod arguments;
mod convert;
mod entities;
mod hierarchies;
mod host;
pub(crate) mod limits;
mod lists;
mod names;
mod numbers;
pub(crate) mod operators;
mod random;
mod rounding;
mod table;
mod texts;
pub(crate) mod time;
mod trigonometry;
mod trimming;
mod value_type;
mod vectors;

#[cfg(test)]
mod tests;

pub use host::HostFunction;
pub(crate) use host::HostRun;
pub(crate) use names::{aggregate_function, aggregate_functions, function, functions, suggestions};

use super::error::Fault;
use super::graph_face::GraphFace;
use super::types::Types;
use crate::error::Error;
use crate::value::Value;
use std::cell::RefCell;

/// A function.
pub(crate) struct Function {
    /// Its name as it is documented: `toInteger`, `date.truncate`.
    pub(crate) name: &'static str,
    /// What it takes, in order.
    pub(crate) takes: &'static [Argument],
    /// How many of these must be given.
    pub(crate) required: usize,
    /// Whether the last of these may be given any number of times.
    pub(crate) variadic: bool,
    /// What it gives.
    pub(crate) gives: Types,
    /// What null arguments come to.
    pub(crate) nulls: Nulls,
    /// How long a result holds.
    pub(crate) lasts: Lasts,
    /// What it does. It gets as many arguments as were given, of the types that it takes, or null; see [`Nulls`]
    /// for when it gets fewer, or is not asked.
    pub(crate) run: fn(&Call<'_>, &[Value]) -> Result<Value, Fault>,
    /// What it is for, in a sentence.
    pub(crate) about: &'static str,
    /// An expression, and its value as it is printed. Empty where no value can be foretold.
    pub(crate) example: (&'static str, &'static str),
}

/// What a function takes.
pub(crate) struct Argument {
    /// Its name in the documentation.
    pub(crate) name: &'static str,
    /// Its types.
    pub(crate) types: Types,
}

/// What becomes of a call with null arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// One of them gives null, and the function is not asked.
    GiveNull,
    /// The function is asked, and knows what to make of them.
    Taken,
    /// The function only wants the first argument that is not null: it gets what comes before that one and it, and
    /// those after it are not computed.
    FirstKnown,
}

/// How long the result of a function holds for the same arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lasts {
    /// For ever.
    Always,
    /// As long as the query runs and nothing is written: it depends on the graph or the query's clock.
    Query,
    /// Not at all: `rand()`.
    Never,
}

/// What a function may ask beside its arguments.
pub(crate) struct Call<'a> {
    /// The graph.
    pub(crate) graph: &'a dyn GraphFace,
    /// Time.
    pub(crate) moments: &'a Moments,
    /// Randomness, repeatable with a seed.
    pub(crate) random: &'a RefCell<Random>,
}

/// When a query runs.
pub(crate) struct Moments {
    /// When its transaction began.
    pub(crate) transaction: Moment,
    /// When it began itself.
    pub(crate) statement: Moment,
    /// Right now.
    pub(crate) real: Box<dyn Fn() -> Moment + Send + Sync>,
}

/// A point in time: seconds since 1970 in UTC, and nanoseconds of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Whole seconds.
    pub(crate) second: i64,
    /// The rest.
    pub(crate) nanosecond: u32,
}

/// Randomness from a seed (SplitMix64). Without one the operating system is asked for it, but not before a number is
/// needed: most queries need none.
#[derive(Clone, Debug)]
pub(crate) struct Random(Option<u64>);

impl Random {
    /// The numbers of a seed, or of one that nobody knows.
    pub(crate) fn new(seed: Option<u64>) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> Result<u64, Fault> {
        let state = match self.0 {
            Some(state) => state,
            None => unknown_seed()?,
        };
        let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0 = Some(state);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Ok(bits ^ (bits >> 31))
    }
}

fn unknown_seed() -> Result<u64, Fault> {
    let mut seed = [0; 8];
    getrandom::fill(&mut seed)
        .map_err(|_| Error::bug("the operating system gives no random numbers"))?;
    Ok(u64::from_le_bytes(seed))
}

/// An aggregate.
pub(crate) struct AggregateFunction {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it takes; all of it must be given.
    pub(crate) takes: &'static [Argument],
    /// What it gives.
    pub(crate) gives: Types,
    /// A new, empty one.
    pub(crate) start: fn() -> Box<dyn Accumulator>,
    /// What it is for, in a sentence.
    pub(crate) about: &'static str,
    /// An expression over `x` in `UNWIND [1, 2, 3] AS x`, and its value as it is printed.
    pub(crate) example: (&'static str, &'static str),
}

/// An aggregate that is being computed. It gets nulls too and leaves them out itself.
pub(crate) trait Accumulator: Send {
    /// Takes one row's arguments.
    fn add(&mut self, arguments: &[Value]) -> Result<(), Fault>;

    /// Takes the only argument of so many rows at once, whichever rows come between them; false if that is not for
    /// certain the same, and then nothing was taken.
    fn add_times(&mut self, _value: &Value, _times: u64) -> bool {
        false
    }

    /// The result.
    fn finish(self: Box<Self>) -> Result<Value, Fault>;

    /// About how many bytes it holds, beside itself.
    fn bytes(&self) -> usize {
        0
    }
}
