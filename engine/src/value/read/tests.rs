//! Values as Rust's types, and what is said where they do not fit.

use super::*;
use crate::value::{Date, NodeId, NodeValue, PathValue, RelationshipId, RelationshipValue, Vector};
use std::collections::BTreeMap;

fn entry(key: &str, value: impl Into<Value>) -> (Arc<str>, Value) {
    (key.into(), value.into())
}

fn map<const COUNT: usize>(entries: [(Arc<str>, Value); COUNT]) -> Value {
    Value::map(BTreeMap::from(entries)).unwrap()
}

#[derive(Deserialize, Debug, PartialEq)]
struct Person {
    name: String,
    #[serde(default)]
    friends: Vec<Person>,
    age: Option<u8>,
}

#[test]
fn maps_nodes_and_relationships_are_structs() {
    let friend = map([entry("name", "Bo"), entry("age", 7), entry("more", 1)]);
    let ann = [
        entry("name", "Ann"),
        entry("friends", Value::from(vec![friend])),
    ];
    let expected = Person {
        name: "Ann".to_owned(),
        age: None,
        friends: vec![Person {
            name: "Bo".to_owned(),
            age: Some(7),
            friends: Vec::new(),
        }],
    };
    assert_eq!(map(ann).to::<Person>().unwrap(), expected);
    let properties = BTreeMap::from([entry("name", "Cleo"), entry("age", 9)]);
    let node = NodeValue::new(NodeId::new(1), vec!["P".into()], properties.clone());
    let person: Person = Value::from(node.clone()).to().unwrap();
    assert_eq!((person.name.as_str(), person.age), ("Cleo", Some(9)));
    let ends = (NodeId::new(1), NodeId::new(1));
    let one = RelationshipValue::new(RelationshipId::new(2), "T".into(), ends, properties);
    assert_eq!(Value::from(one.clone()).to::<Person>().unwrap(), person);
    let path = PathValue::new(vec![node.clone(), node], vec![one]).unwrap();
    let parts: Vec<Person> = Value::from(path.clone()).to().unwrap();
    assert_eq!(parts.len(), 3, "a node, a relationship, a node");
    assert!(Value::from(path).to::<(Person,)>().is_err());
}

#[test]
fn scalars_are_what_they_are() {
    assert_eq!(Value::from(7).to::<f64>().unwrap(), 7.0);
    assert_eq!(Value::from("x").to::<char>().unwrap(), 'x');
    assert_eq!(Value::from("abc").to::<&str>().unwrap(), "abc");
    assert_eq!(Value::Null.to::<Option<i64>>().unwrap(), None);
    assert_eq!(Value::bytes([1, 2]).to::<Vec<u8>>().unwrap(), [1, 2]);
    let vector = Value::from(Vector::new([0.5, -1.0]).unwrap());
    assert_eq!(vector.to::<Vec<f32>>().unwrap(), [0.5, -1.0]);
    let date = Value::from(Date::new(1984, 10, 11).unwrap());
    assert_eq!(date.to::<String>().unwrap(), "1984-10-11");
    let any: serde_json::Value = map([entry("a", vec![1, 2])]).to().unwrap();
    assert_eq!(any.to_string(), r#"{"a":[1,2]}"#);
}

#[test]
fn what_does_not_fit_is_named_with_its_place() {
    fn refused<T: for<'v> Deserialize<'v>>(value: &Value) -> String {
        match value.to::<T>() {
            Ok(_) => "it was read".to_owned(),
            Err(error) => error.to_string(),
        }
    }
    let nested = map([entry(
        "friends",
        Value::from(vec![map([entry("age", 300)])]),
    )]);
    let cases = [
        (
            refused::<u8>(&Value::from(-1)),
            "value is of kind integer and cannot be read: expected u8, not -1",
        ),
        (
            refused::<i64>(&Value::from("1")),
            "value is of kind string and cannot be read: expected i64",
        ),
        (
            refused::<i64>(&Value::from(1.0)),
            "value is of kind float and cannot be read: expected i64",
        ),
        (
            refused::<String>(&Value::Null),
            "value is of kind null and cannot be read: expected a string",
        ),
        (
            refused::<(i64,)>(&Value::from(vec![1, 2])),
            "value is of kind list and cannot be read: expected 1 elements, and there are 2",
        ),
        (
            refused::<Person>(&nested),
            "value.friends[0].age is of kind integer and cannot be read: expected u8, not 300",
        ),
        (
            refused::<Person>(&map([entry("age", 1)])),
            "value is of kind map and cannot be read: missing field `name`",
        ),
    ];
    for (said, expected) in cases {
        assert_eq!(said, expected);
    }
}
