//! Values there and back.

use super::*;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

fn round<T: Serialize + DeserializeOwned + PartialEq + Debug>(one: &T) -> Value {
    let value = Value::of(one).unwrap();
    let back: T = value.get().unwrap();
    assert_eq!(&back, one);
    // The same over the wire.
    assert_eq!(from_wire(to_wire(value.clone()).unwrap()).unwrap(), value);
    value
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Dot,
    Circle(f64),
    Line(i64, i64),
    Box { width: u8 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    yes: bool,
    small: i8,
    large: u64,
    float: f32,
    letter: char,
    text: String,
    none: Option<i64>,
    some: Option<i64>,
    unit: (),
    pair: (i64, String),
    names: BTreeMap<String, Vec<i64>>,
    shapes: Vec<Shape>,
    day: Date,
    vector: Vector,
    bytes: Bytes,
    any: Value,
}

#[test]
fn types_become_values_and_values_types() {
    let everything = Everything {
        yes: true,
        small: -3,
        large: 1 << 62,
        float: 0.1,
        letter: 'ß',
        text: "text".to_owned(),
        none: None,
        some: Some(4),
        unit: (),
        pair: (1, "b".to_owned()),
        names: BTreeMap::from([("a".to_owned(), vec![1, 2])]),
        shapes: vec![
            Shape::Dot,
            Shape::Circle(0.5),
            Shape::Line(1, 2),
            Shape::Box { width: 3 },
        ],
        day: Date { epoch_days: 5 },
        vector: Vector(vec![0.25, -1.0]),
        bytes: Bytes(vec![0, 255]),
        any: Value::List(vec![Value::Null, Value::Date(Date { epoch_days: -1 })]),
    };
    let Value::Map(map) = round(&everything) else {
        panic!("a structure is a map");
    };
    assert_eq!(map["vector"], Value::Vector(Vector(vec![0.25, -1.0])));
    assert_eq!(map["bytes"], Value::Bytes(Bytes(vec![0, 255])));
    assert_eq!(map["day"], Value::Date(Date { epoch_days: 5 }));
    assert_eq!(map["any"], everything.any);
    assert_eq!(map["none"], Value::Null);
    assert_eq!(Value::of(&vec![1u8, 2]).unwrap().kind(), "LIST");
    assert_eq!(Value::of(&vec![1f32]).unwrap().kind(), "LIST");
}

#[test]
fn every_kind_of_value_survives_serde_and_text_formats() {
    let temporal = [
        Value::Date(Date { epoch_days: 7 }),
        Value::Time(Time {
            nanos_of_day: 1,
            offset_seconds: -3600,
        }),
        Value::LocalTime(LocalTime { nanos_of_day: 9 }),
        Value::DateTime(DateTime {
            epoch_seconds: -1,
            nanoseconds: 5,
            offset_seconds: 3600,
            zone: "Europe/Rome".to_owned(),
        }),
        Value::LocalDateTime(LocalDateTime {
            epoch_seconds: 3,
            nanoseconds: 4,
        }),
        Value::Duration(Duration {
            months: 1,
            days: -2,
            seconds: 3,
            nanoseconds: 4,
        }),
    ];
    for value in temporal {
        assert_eq!(round(&value), value);
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&json).unwrap(),
            value,
            "{json}"
        );
    }
    let node = Node {
        id: u64::MAX,
        labels: vec!["A".to_owned()],
        properties: BTreeMap::from([("x".to_owned(), Value::Int(1))]),
    };
    let relationship = Relationship {
        relationship_type: "R".to_owned(),
        ..Relationship::default()
    };
    let path = Path {
        nodes: vec![node.clone(), node.clone()],
        relationships: vec![relationship.clone()],
    };
    for value in [
        Value::Node(node),
        Value::Relationship(relationship),
        Value::Path(path),
    ] {
        let back: Value = value.get().unwrap();
        assert_eq!(back, value);
        assert!(
            to_wire(value.clone()).is_err() && Value::of(&value).is_err(),
            "it went in"
        );
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&json).unwrap(),
            value,
            "{json}"
        );
    }
}

#[test]
fn a_path_is_read_into_types_of_the_user() {
    #[derive(Deserialize)]
    struct Stop {
        x: i64,
    }
    #[derive(Deserialize)]
    struct Way {
        nodes: Vec<Stop>,
        relationships: Vec<Relationship>,
    }
    let node = Node {
        properties: BTreeMap::from([("x".to_owned(), Value::Int(4))]),
        ..Node::default()
    };
    let path = Value::Path(Path {
        nodes: vec![node],
        relationships: vec![],
    });
    let way: Way = path.get().unwrap();
    assert_eq!((way.nodes[0].x, way.relationships.len()), (4, 0));
}

#[test]
fn what_the_language_has_not_is_refused() {
    assert!(Value::of(&u64::MAX).is_err());
    assert!(Value::of(&BTreeMap::from([(1, 2)])).is_err());
    let deep =
        |levels: usize| (0..levels).fold(Value::Int(1), |inside, _| Value::List(vec![inside]));
    Value::of(&deep(32)).unwrap();
    let error = Value::of(&deep(33)).unwrap_err();
    assert!(error.to_string().contains("32"), "{error}");
    assert!(Value::Int(300).get::<u8>().is_err());
    assert!(Value::Null.get::<i64>().is_err());
    assert!(Value::Float(0.5).get::<i64>().is_err());
    assert!(from_wire(stratigraph_proto::v1::Value { kind: None }).is_err());
}

#[test]
fn days_and_times_are_written_as_iso_8601() {
    let day = |epoch_days| Date { epoch_days }.to_string();
    assert_eq!(day(0), "1970-01-01");
    assert_eq!(day(19_782), "2024-02-29");
    assert_eq!(day(-1), "1969-12-31");
    assert_eq!(day(-719_529), "-0001-12-31");
    assert_eq!(day(-719_528), "0000-01-01");
    assert_eq!(day(2_932_897), "+10000-01-01");
    // Whatever comes from the wire.
    for days in [i64::MIN, i64::MAX] {
        day(days);
    }
    let moment = |epoch_seconds, nanoseconds, offset_seconds, zone: &str| {
        DateTime {
            epoch_seconds,
            nanoseconds,
            offset_seconds,
            zone: zone.to_owned(),
        }
        .to_string()
    };
    assert_eq!(moment(0, 0, 0, ""), "1970-01-01T00:00:00Z");
    assert_eq!(
        moment(-1, 500_000_000, 3600, "Europe/Rome"),
        "1970-01-01T00:59:59.5+01:00[Europe/Rome]"
    );
    assert_eq!(moment(0, 0, -12_645, ""), "1969-12-31T20:29:15-03:30:45");
    moment(i64::MIN, u32::MAX, i32::MIN, "");
    let time = LocalTime {
        nanos_of_day: 86_399_999_999_999,
    };
    assert_eq!(time.to_string(), "23:59:59.999999999");
    let length = |months, days, seconds, nanoseconds| {
        Duration {
            months,
            days,
            seconds,
            nanoseconds,
        }
        .to_string()
    };
    assert_eq!(length(0, 0, 0, 0), "PT0S");
    assert_eq!(length(14, -3, 3661, 5_000_000), "P1Y2M-3DT1H1M1.005S");
    assert_eq!(length(0, 0, -1, 900_000_000), "PT-0.1S");
    assert_eq!(length(0, 1, 0, 0), "P1D");
    length(i64::MIN, i64::MIN, i64::MIN, u32::MAX);
    let before = std::time::UNIX_EPOCH - std::time::Duration::from_millis(100);
    let before = DateTime::from(before);
    assert_eq!(
        (before.epoch_seconds, before.nanoseconds),
        (-1, 900_000_000)
    );
}
