//! How the tables of functions and aggregates are written down.
//!
//! A line says what a function takes (after `;` what may be left out), what it gives, which Rust function does
//! it, what it is for, and an example with its value. What is unusual about it follows in brackets. These are
//! only spellings: what an entry means is in `mod.rs`.
//!
//! Next: `limits.rs`.

/// A table of functions, named `FUNCTIONS`.
macro_rules! functions {
    ($(
        $name:literal($($argument:ident: $($type:ident)|+),* $(; $($optional:ident: $($optional_type:ident)|+),+)?)
            -> $($gives:ident)|+ = $run:expr,
            $about:literal, $example:literal => $value:literal $([$($field:ident: $set:expr),+])?;
    )+) => {
        /// The functions of this file.
        pub(super) static FUNCTIONS: &[$crate::query::functions::Function] = &[$(
            $crate::query::functions::Function {
                $($($field: $set,)+)?
                ..$crate::query::functions::Function {
                    name: $name,
                    takes: const {
                        &[
                            $($crate::query::functions::Argument {
                                name: stringify!($argument),
                                types: $crate::query::functions::table::types!($($type)|+),
                            },)*
                            $($($crate::query::functions::Argument {
                                name: stringify!($optional),
                                types: $crate::query::functions::table::types!($($optional_type)|+),
                            },)+)?
                        ]
                    },
                    required: <[&str]>::len(&[$(stringify!($argument)),*]),
                    variadic: false,
                    gives: $crate::query::functions::table::types!($($gives)|+),
                    nulls: $crate::query::functions::Nulls::GiveNull,
                    lasts: $crate::query::functions::Lasts::Always,
                    run: $run,
                    about: $about,
                    example: ($example, $value),
                }
            },
        )+];
    };
}

/// A table of aggregates, named `AGGREGATES`.
macro_rules! aggregates {
    ($(
        $name:literal($($argument:ident: $($type:ident)|+),+) -> $($gives:ident)|+ = $start:expr,
            $about:literal, $example:literal => $value:literal;
    )+) => {
        /// The aggregates of this file.
        pub(super) static AGGREGATES: &[$crate::query::functions::AggregateFunction] = &[$(
            $crate::query::functions::AggregateFunction {
                name: $name,
                takes: const {
                    &[$($crate::query::functions::Argument {
                        name: stringify!($argument),
                        types: $crate::query::functions::table::types!($($type)|+),
                    },)+]
                },
                gives: $crate::query::functions::table::types!($($gives)|+),
                start: || Box::new($start),
                about: $about,
                example: ($example, $value),
            },
        )+];
    };
}

/// A set of types: `STRING | LIST`.
macro_rules! types {
    ($($type:ident)|+) => {
        $crate::query::types::Types::NULL$(.or($crate::query::types::Types::$type))+
    };
}

pub(super) use {aggregates, functions, types};
