//! Kinds of machines, and which of them a process may take its kernels for.
//!
//! Every table of kernels is for one kind. A process takes the best that the processor can do,
//! unless [`VARIABLE`] asks for less: so that tests run every kernel on one machine, and so that
//! somebody with strange results can rule the instructions out. It never gives a process
//! instructions that its processor lacks.

use std::sync::OnceLock;

/// Names the most that kernels may use: `scalar`, `neon`, `avx2` or `avx512`. It is read once, when
/// the first table is chosen. Where a table has no kernels of just that kind, the next lower ones are
/// taken. Any other value counts as none: kernels have nobody to complain to.
pub const VARIABLE: &str = "STRATIGRAPH_KERNELS";

/// A kind of machine, the lower ones first. Those of different processors never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Machine {
    Scalar,
    Neon,
    Avx2,
    Avx512,
}

impl Machine {
    /// The most, if nobody asks for less.
    const BEST: Self = Self::Avx512;

    /// The machine of a name; a table's own name will do as well.
    fn named(name: &str) -> Option<Self> {
        match name {
            "scalar" => Some(Self::Scalar),
            "neon" => Some(Self::Neon),
            "avx2" => Some(Self::Avx2),
            "avx512" | "avx512vnni" => Some(Self::Avx512),
            _ => None,
        }
    }

    /// The most that this process may use.
    fn allowed() -> Self {
        static ALLOWED: OnceLock<Machine> = OnceLock::new();
        *ALLOWED.get_or_init(|| {
            let name = std::env::var(VARIABLE).unwrap_or_default();
            Self::named(&name).unwrap_or(Self::BEST)
        })
    }
}

/// Kernels for one kind of machine.
pub(crate) trait Table: 'static {
    /// Which one.
    fn machine(&self) -> Machine;
}

/// The best of the tables that run here, the slowest first, as far as this process may use them.
pub(crate) fn choose<T: Table>(available: &[&'static T], otherwise: &'static T) -> &'static T {
    best_up_to(Machine::allowed(), available, otherwise)
}

fn best_up_to<T: Table>(
    allowed: Machine,
    available: &[&'static T],
    otherwise: &'static T,
) -> &'static T {
    let mut tables = available.iter().rev();
    tables
        .find(|table| table.machine() <= allowed)
        .copied()
        .unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Table for Machine {
        fn machine(&self) -> Machine {
            *self
        }
    }

    const ALL: [&Machine; 3] = [&Machine::Scalar, &Machine::Avx2, &Machine::Avx512];

    #[test]
    fn the_best_that_is_not_above_the_wanted_one() {
        for wanted in ALL {
            assert_eq!(best_up_to(*wanted, &ALL, &Machine::Scalar), wanted);
        }
        let few = &ALL[..2];
        assert_eq!(best_up_to(Machine::Avx512, few, ALL[0]), &Machine::Avx2);
        let wide = [ALL[0], ALL[2]];
        assert_eq!(best_up_to(Machine::Avx2, &wide, ALL[0]), &Machine::Scalar);
        assert_eq!(best_up_to(Machine::Avx2, &[], ALL[0]), &Machine::Scalar);
    }

    #[test]
    fn names_are_those_of_the_tables() {
        for (name, machine) in [
            ("scalar", Some(Machine::Scalar)),
            ("neon", Some(Machine::Neon)),
            ("avx2", Some(Machine::Avx2)),
            ("avx512", Some(Machine::Avx512)),
            ("avx512vnni", Some(Machine::Avx512)),
            ("AVX2", None),
            ("sse", None),
            ("", None),
        ] {
            assert_eq!(Machine::named(name), machine, "{name}");
        }
    }
}
