//! What an index finds, held against comparing every value.

use super::*;
use crate::Index;
use crate::database::Database;
use crate::graph::Read;
use crate::value::any_value::any_value;
use crate::value::check_storable;
use proptest::prelude::*;
use std::cmp::Ordering;

fn found(matches: Matches<'_>) -> Vec<u64> {
    let mut found: Vec<u64> = matches
        .map(|entity| match entity.unwrap() {
            Entity::Node(node) => node.get(),
            Entity::Relationship(_) => panic!("a node's index"),
        })
        .collect();
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_index_finds_what_comparing_finds(
        values in prop::collection::vec(any_value(), 2..40),
        more in prop::collection::vec(any::<prop::sample::Index>(), 12),
    ) {
        let db = Database::in_memory().unwrap();
        db.create_index(Index::on_nodes("V", ["x"]).named("by_x")).unwrap();
        let mut txn = db.write().unwrap();
        let mut kept = Vec::new();
        for value in values.into_iter().filter(|value| check_storable(value).is_ok()) {
            match txn.create_node(["V"], [("x", value.clone())]) {
                Ok(node) => kept.push((node.get(), value)),
                Err(error) => prop_assert!(matches!(error, Error::IndexedValueTooLong { .. }), "{error}"),
            }
        }
        let by_x = txn.index("by_x").unwrap();
        let want = |keep: &dyn Fn(&Value) -> bool| -> Vec<u64> {
            kept.iter().filter(|(_, value)| keep(value)).map(|(node, _)| *node).collect()
        };
        for bound in more.iter().filter(|_| !kept.is_empty()).map(|at| &at.get(&kept).1) {
            let equal = by_x.equal(std::slice::from_ref(bound)).unwrap();
            prop_assert_eq!(found(equal), want(&|value| value.equals(bound) == Some(true)), "= {}", bound);
            if let Value::List(_) = bound {
                let refused = by_x.range(bound.clone()..).err();
                prop_assert!(matches!(refused, Some(Error::NoRange { .. })), "{refused:?}");
                continue;
            }
            let above = by_x.range((Bound::Excluded(bound.clone()), Bound::Unbounded)).unwrap();
            prop_assert_eq!(found(above), want(&|value| value.compare(bound) == Some(Ordering::Greater)), "> {}", bound);
            let up_to = by_x.range(..=bound.clone()).unwrap();
            prop_assert_eq!(found(up_to), want(&|value| value.compare(bound).is_some_and(Ordering::is_le)), "<= {}", bound);
        }
    }
}
