//! The text that `elementId()` gives: `n2-17` for the node with the number 17, `r1-5` for a relationship.
//!
//! Between the kind and the number stands how many digits it has, in base 36. So texts sort as numbers do, and rows
//! that end in `ORDER BY score DESC, elementId(n)` come in the order in which searches give them.
//!
//! Next: `functions/entities.rs`.

use crate::graph::Entity;
use crate::value::{NodeId, RelationshipId};

/// The text for a node or a relationship.
pub(crate) fn element_id(entity: Entity) -> String {
    let kind = match entity {
        Entity::Node(_) => 'n',
        Entity::Relationship(_) => 'r',
    };
    let digits = entity.number().to_string();
    // A number of 64 bits has 20 digits at most.
    let length = u32::try_from(digits.len()).ok();
    let length = length.and_then(|length| char::from_digit(length, 36));
    format!("{kind}{}-{digits}", length.unwrap_or('z'))
}

/// What a text stands for: only as it is written, for `n2-07` and `n1-+7` are other texts.
pub(crate) fn entity_of(text: &str) -> Option<Entity> {
    let (kind, digits) = text.split_once('-')?;
    let number: u64 = digits.parse().ok()?;
    let entity = match kind.chars().next()? {
        'n' => Entity::Node(NodeId::new(number)),
        'r' => Entity::Relationship(RelationshipId::new(number)),
        _ => return None,
    };
    (element_id(entity) == text).then_some(entity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_sort_as_numbers_and_lead_back() {
        let numbers = [0, 9, 10, 99, 100, 999_999_999, 1_000_000_000, u64::MAX];
        let of = |number| Entity::Node(NodeId::new(number));
        let texts: Vec<String> = numbers.map(|number| element_id(of(number))).into();
        assert!(texts.is_sorted(), "{texts:?}");
        for (number, text) in numbers.into_iter().zip(&texts) {
            assert_eq!(entity_of(text), Some(of(number)));
        }
        let other = Entity::Relationship(RelationshipId::new(17));
        assert_eq!(element_id(other), "r2-17");
        assert_eq!(entity_of("r2-17"), Some(other));
    }

    #[test]
    fn other_texts_are_nobodys() {
        for text in [
            "", "17", "n", "n-", "n1-", "n2-7", "n2-07", "n1-+7", "x1-7", "n1-7 ", "N1-7", "n1-七",
        ] {
            assert_eq!(entity_of(text), None, "{text}");
        }
    }
}
