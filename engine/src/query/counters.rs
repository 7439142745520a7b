//! What a statement changed, counted.
//!
//! A property that is set again to the same value counts, one that is removed counts if it was there, and what
//! goes with a deleted node or relationship does not.
//!
//! Next: `exec/write/`, which counts.

use std::fmt;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident: $verb:literal $one:literal $many:literal,)+) => {
        /// What a statement changed.
        ///
        /// Its `Display` is one line: `Added 2 nodes, set 3 properties`.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $(pub(crate) $name: u64,)+
        }

        impl Counters {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(&self) -> u64 {
                    self.$name
                }
            )+

            /// Each count that there is, with its name, in one fixed order.
            pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name)),+].into_iter()
            }

            /// Counts as [`all`](Self::all) gives them, of a statement that ran elsewhere. A name that is not known
            /// counts nothing.
            #[must_use]
            pub fn of<'n>(counts: impl IntoIterator<Item = (&'n str, u64)>) -> Self {
                let mut counters = Self::default();
                for (name, count) in counts {
                    match name {
                        $(stringify!($name) => counters.$name = count,)+
                        _ => {}
                    }
                }
                counters
            }

            /// The counts with their words, in the order in which they are told.
            fn told(&self) -> impl Iterator<Item = (&'static str, u64, &'static str)> {
                let told = [$(
                    ($verb, self.$name, if self.$name == 1 { $one } else { $many }),
                )+];
                told.into_iter().filter(|(_, count, _)| *count > 0)
            }
        }
    };
}

counters! {
    /// How many nodes were created.
    nodes_created: "added" "node" "nodes",
    /// How many nodes were deleted.
    nodes_deleted: "deleted" "node" "nodes",
    /// How many relationships were created.
    relationships_created: "added" "relationship" "relationships",
    /// How many relationships were deleted, those of nodes that were detached included.
    relationships_deleted: "deleted" "relationship" "relationships",
    /// How many properties were set or removed.
    properties_set: "set" "property" "properties",
    /// How many labels were added to nodes.
    labels_added: "added" "label" "labels",
    /// How many labels were removed from nodes.
    labels_removed: "removed" "label" "labels",
    /// How many indexes were declared.
    indexes_added: "added" "index" "indexes",
    /// How many indexes were dropped.
    indexes_removed: "removed" "index" "indexes",
    /// How many constraints were declared.
    constraints_added: "added" "constraint" "constraints",
    /// How many constraints were dropped.
    constraints_removed: "removed" "constraint" "constraints",
    /// How many hierarchies were declared.
    hierarchies_added: "added" "hierarchy" "hierarchies",
    /// How many hierarchies were dropped.
    hierarchies_removed: "removed" "hierarchy" "hierarchies",
}

impl Counters {
    /// Whether anything was changed.
    #[must_use]
    pub fn contains_updates(&self) -> bool {
        *self != Self::default()
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (verb, count, what) in self.told() {
            if first {
                // The verbs are plain lower-case words, and the line begins with a capital.
                let (initial, rest) = verb.split_at(1);
                write!(f, "{}{rest} {count} {what}", initial.to_uppercase())?;
            } else {
                write!(f, ", {verb} {count} {what}")?;
            }
            first = false;
        }
        if first {
            f.write_str("No changes")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_in_one_line() {
        let mut counters = Counters::default();
        assert!(!counters.contains_updates());
        assert_eq!(counters.to_string(), "No changes");
        counters.nodes_created = 2;
        counters.properties_set = 1;
        assert_eq!(counters.to_string(), "Added 2 nodes, set 1 property");
        assert!(counters.contains_updates());
        let told: Vec<_> = counters.all().filter(|(_, count)| *count > 0).collect();
        assert_eq!(told, [("nodes_created", 2), ("properties_set", 1)]);
        assert_eq!(Counters::of(counters.all()), counters);
        assert!(!Counters::of([("moons_created", 7)]).contains_updates());
    }
}
