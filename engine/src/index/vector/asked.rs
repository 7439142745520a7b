//! What searches are limited to, as others may have asked for it: what is allowed is found once a commit.

use super::request::Allowed;
use crate::codec::KeyWriter;
use crate::graph::sets::SetId;
use crate::value::{Value, ordered};
use std::ops::Bound as End;

/// A label or type, and conditions on properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) set: Option<SetId>,
    /// The conditions, written so that equal bytes are the same conditions.
    conditions: Vec<u8>,
}

/// Longer conditions are not kept: whoever asks must not decide how much memory that takes.
const MOST_BYTES: usize = 1 << 10;

impl Asked {
    /// None for conditions that no index has, or that are long.
    pub(super) fn new(set: Option<SetId>, conditions: &[(&str, Allowed)]) -> Option<Self> {
        let mut key = KeyWriter::new();
        for (property, allowed) in conditions {
            key.push_str(property);
            match allowed {
                Allowed::Equal(value) => {
                    key.push_u8(0);
                    ordered::push_value(&mut key, value).ok()?;
                }
                Allowed::Range(start, end) => {
                    key.push_u8(1);
                    push_end(&mut key, start)?;
                    push_end(&mut key, end)?;
                }
            }
        }
        let conditions = key.finish();
        (conditions.len() <= MOST_BYTES).then_some(Self { set, conditions })
    }
}

fn push_end(key: &mut KeyWriter, end: &End<Value>) -> Option<()> {
    let (kind, value) = match end {
        End::Unbounded => (0, None),
        End::Included(value) => (1, Some(value)),
        End::Excluded(value) => (2, Some(value)),
    };
    key.push_u8(kind);
    match value {
        Some(value) => ordered::push_value(key, value).ok(),
        None => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_conditions_are_others() {
        let equal = |value: i64| ("a", Allowed::Equal(value.into()));
        let range = |start, end| ("a", Allowed::Range(start, end));
        let one = || End::Included(Value::from(1));
        let all = [
            vec![],
            vec![equal(1)],
            vec![equal(2)],
            vec![("b", Allowed::Equal(1.into()))],
            vec![equal(1), equal(1)],
            vec![range(one(), End::Unbounded)],
            vec![range(End::Unbounded, one())],
            vec![range(End::Excluded(1.into()), End::Unbounded)],
        ];
        for (number, some) in all.iter().enumerate() {
            let asked = Asked::new(None, some).unwrap();
            for (other, others) in all.iter().enumerate() {
                let same = Asked::new(None, others).unwrap() == asked;
                assert_eq!(same, number == other, "{number} {other}");
            }
        }
        assert_eq!(
            Asked::new(None, &[("a", Allowed::Equal("x".repeat(2000).into()))]),
            None
        );
    }
}
