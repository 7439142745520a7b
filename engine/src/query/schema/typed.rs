//! The types that a constraint may demand of a property.
//!
//! Next: `refusal.rs`.

use crate::value::ValueKind;

/// Their names: the first of a kind is the one that is shown.
const NAMES: &[(&str, ValueKind)] = &[
    ("BOOLEAN", ValueKind::Boolean),
    ("BOOL", ValueKind::Boolean),
    ("INTEGER", ValueKind::Integer),
    ("INT", ValueKind::Integer),
    ("SIGNED INTEGER", ValueKind::Integer),
    ("FLOAT", ValueKind::Float),
    ("STRING", ValueKind::String),
    ("VARCHAR", ValueKind::String),
    ("BYTES", ValueKind::Bytes),
    ("DATE", ValueKind::Date),
    ("ZONED TIME", ValueKind::Time),
    ("TIME WITH TIME ZONE", ValueKind::Time),
    ("TIME WITH TIMEZONE", ValueKind::Time),
    ("LOCAL TIME", ValueKind::LocalTime),
    ("TIME WITHOUT TIME ZONE", ValueKind::LocalTime),
    ("TIME WITHOUT TIMEZONE", ValueKind::LocalTime),
    ("ZONED DATETIME", ValueKind::DateTime),
    ("TIMESTAMP WITH TIME ZONE", ValueKind::DateTime),
    ("TIMESTAMP WITH TIMEZONE", ValueKind::DateTime),
    ("LOCAL DATETIME", ValueKind::LocalDateTime),
    ("TIMESTAMP WITHOUT TIME ZONE", ValueKind::LocalDateTime),
    ("TIMESTAMP WITHOUT TIMEZONE", ValueKind::LocalDateTime),
    ("DURATION", ValueKind::Duration),
    ("LIST", ValueKind::List),
    ("VECTOR", ValueKind::Vector),
];

/// The kind of a type's name, in capitals with single spaces; none if no constraint can demand it.
pub(super) fn kind_of(words: &str) -> Option<ValueKind> {
    let found = NAMES.iter().find(|(name, _)| *name == words);
    found.map(|(_, kind)| *kind)
}

/// The name of a kind.
pub(super) fn name_of(kind: ValueKind) -> &'static str {
    let found = NAMES.iter().find(|(_, known)| *known == kind);
    found.map_or("ANY", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_kind_and_every_kind_its_first_name() {
        for (name, kind) in NAMES {
            assert_eq!(kind_of(name), Some(*kind), "{name}");
            assert_eq!(kind_of(name_of(*kind)), Some(*kind), "{name}");
        }
        assert_eq!(name_of(ValueKind::Integer), "INTEGER");
        assert_eq!(
            kind_of("LIST<INTEGER>"),
            None,
            "what a list holds is not looked at"
        );
    }
}
