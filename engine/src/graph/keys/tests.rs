//! Golden bytes and order of the graph's keys.

use super::*;
use proptest::prelude::*;

#[test]
fn the_bytes_are_those_of_the_pictures() {
    let seen = AdjacencyKey {
        near: NodeId::new(0x0102),
        relationship_type: TypeId::from_number(3),
        far: NodeId::new(4),
        relationship: RelationshipId::new(5),
    };
    let bytes = seen.encode();
    assert_eq!(
        bytes,
        [
            0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5
        ]
    );
    assert_eq!(AdjacencyKey::decode(&bytes), Ok(seen));
    let degree = DegreeKey {
        near: seen.near,
        relationship_type: seen.relationship_type,
    };
    assert_eq!(degree.encode(), bytes[..12]);
    assert_eq!(DegreeKey::decode(&bytes[..12]), Ok(degree));
    let entity = Entity::Relationship(RelationshipId::new(7));
    let property = PropertyId::from_number(9);
    let text = TextKey { entity, property };
    assert_eq!(text.encode(), [1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 9]);
    assert_eq!(TextKey::decode(&text.encode()), Ok(text));
    let vector = VectorKey { property, entity };
    assert_eq!(vector.encode(), [0, 0, 0, 9, 1, 0, 0, 0, 0, 0, 0, 0, 7]);
    assert_eq!(VectorKey::decode(&vector.encode()), Ok(vector));
}

#[test]
fn the_range_of_a_type_leaves_the_degree_out_and_every_relationship_in() {
    for number in [0, 7, u32::MAX] {
        let (near, relationship_type) = (NodeId::new(u64::MAX), TypeId::from_number(number));
        let range = AdjacencyKey::of_type(near, relationship_type);
        let key = |far, relationship| {
            AdjacencyKey {
                near,
                relationship_type,
                far: NodeId::new(far),
                relationship: RelationshipId::new(relationship),
            }
            .encode()
        };
        assert!(range.contains(&key(0, 0)) && range.contains(&key(u64::MAX, u64::MAX)));
        let degree = DegreeKey {
            near,
            relationship_type,
        };
        assert!(!range.contains(&degree.encode()));
        assert!(AdjacencyKey::of_node(near).contains(&degree.encode()));
    }
}

proptest! {
    #[test]
    fn adjacency_keys_sort_as_their_fields(left: (u64, u32, u64, u64), right: (u64, u32, u64, u64)) {
        let key = |(near, of, far, relationship)| AdjacencyKey {
            near: NodeId::new(near),
            relationship_type: TypeId::from_number(of),
            far: NodeId::new(far),
            relationship: RelationshipId::new(relationship),
        };
        let (left, right) = (key(left), key(right));
        prop_assert_eq!(left.encode().cmp(&right.encode()), left.cmp(&right));
    }

    #[test]
    fn any_bytes_decode_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = DegreeKey::decode(&bytes);
        if let Ok(key) = AdjacencyKey::decode(&bytes) {
            prop_assert_eq!(&key.encode()[..], &bytes[..]);
        }
        if let Ok(key) = TextKey::decode(&bytes) {
            prop_assert_eq!(&key.encode()[..], &bytes[..]);
        }
        if let Ok(key) = VectorKey::decode(&bytes) {
            prop_assert_eq!(&key.encode()[..], &bytes[..]);
        }
    }
}
