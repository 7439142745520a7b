//! `import` and `export`: what goes out comes back, and nothing is half-written.
//!
//! Here are the graphs that go out and come back; the tests are by what they are about.

mod at_servers;
mod exports;
mod imports;
mod refusals;
mod round_trips;

use crate::world::{Said, World, ask, run};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use stratigraph::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
use stratigraph::{
    Constraint, Database, HierarchyOptions, Index, NO_PROPERTIES, TextIndex, Value, Vector,
    VectorIndex,
};

pub(super) fn list(elements: impl IntoIterator<Item = impl Into<Value>>) -> Value {
    let elements: Vec<Value> = elements.into_iter().map(Into::into).collect();
    Value::list(elements).unwrap()
}

/// Every kind of value that a property can hold, also the awkward ones.
pub(super) fn values() -> Vec<(&'static str, Value)> {
    let day = Value::Date("1984-10-11".parse::<Date>().unwrap());
    vec![
        ("yes", true.into()),
        ("least", i64::MIN.into()),
        ("tenth", 0.1.into()),
        ("whole", 2.0.into()),
        ("huge", 1e300.into()),
        ("minus zero", (-0.0).into()),
        ("nan", f64::NAN.into()),
        ("less", f64::NEG_INFINITY.into()),
        ("text", "plain".into()),
        ("empty", "".into()),
        ("blank", " a ".into()),
        ("quotes, \"and\" commas", "say \"so\", twice".into()),
        ("lines", "one\r\ntwo\nthree\r".into()),
        ("null", "null".into()),
        ("number", "12".into()),
        ("unseen", "\u{1b}[2J\u{7f}\t`'\\".into()),
        ("地层", "层;次".into()),
        ("a:int", "a name with a colon".into()),
        ("date", day.clone()),
        ("time", Value::Time("12:31+01:00".parse::<Time>().unwrap())),
        (
            "local",
            Value::LocalTime("12:31:14.500".parse::<LocalTime>().unwrap()),
        ),
        (
            "zoned",
            Value::DateTime(
                "1984-10-11T12:31+01:00[Europe/Stockholm]"
                    .parse::<DateTime>()
                    .unwrap(),
            ),
        ),
        (
            "then",
            Value::LocalDateTime("1984-10-11T12:31".parse::<LocalDateTime>().unwrap()),
        ),
        (
            "long",
            Value::Duration("P1M-2DT-3H".parse::<Duration>().unwrap()),
        ),
        ("vector", Vector::new([0.1, -2.0, 1e-20]).unwrap().into()),
        ("ints", list([1, -2])),
        ("floats", list([0.5, f64::INFINITY])),
        ("texts", list(["a", "", "c"])),
        ("one empty", list([""])),
        ("delimited", list(["a;b", "c"])),
        ("nothing", list(Vec::<i64>::new())),
        ("days", Value::list([day].to_vec()).unwrap()),
    ]
}

/// A closed database with everything that exports have to hold; bytes only if wanted.
pub(super) fn full(world: &World, name: &str, with_bytes: bool) -> PathBuf {
    let path = world.path(name);
    let db = Database::create(&path).unwrap();
    db.create_index(Index::on_nodes("Thing", ["text"]).named("by text"))
        .unwrap();
    db.create_constraint(
        Constraint::on_nodes("Part")
            .unique(["number"])
            .named("unique_number"),
    )
    .unwrap();
    let least = Constraint::on_nodes("Thing").unique(["least"]);
    db.create_constraint(least.named("unique_least")).unwrap();
    // Its filter is looked up in the index of the constraint.
    let near = VectorIndex::on_nodes("Thing", "vector", 3).filterable(["least"]);
    db.create_vector_index(near.named("near")).unwrap();
    if with_bytes {
        // Weights, and members by name: no statement says them.
        db.create_text_index(
            TextIndex::on_nodes("Thing", ["text"])
                .weighted("lines", 2.0)
                .named("words"),
        )
        .unwrap();
    }
    db.create_hierarchy(HierarchyOptions::new("parts", "HAS PART"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let gone = txn.create_node(["Gone"], NO_PROPERTIES).unwrap();
    let bare = txn.create_node::<&str, &str, Value>([], []).unwrap();
    let all = txn
        .create_node(["Thing", r"Two `words\`"], values())
        .unwrap();
    // A property that is of another kind elsewhere.
    let other = txn
        .create_node(["Thing"], [("text", Value::Int(7)), ("ints", list(["x"]))])
        .unwrap();
    let mut last = None;
    for number in 0..5_i64 {
        let part = txn.create_node(["Part"], [("number", number)]).unwrap();
        if let Some(last) = last {
            txn.create_relationship(last, "HAS PART", part, [("at", number)])
                .unwrap();
        }
        last = Some(part);
    }
    txn.create_relationship(all, "LIKES", all, values())
        .unwrap();
    txn.create_relationship(all, "LIKES", other, NO_PROPERTIES)
        .unwrap();
    txn.create_relationship(all, "LIKES", other, NO_PROPERTIES)
        .unwrap();
    if with_bytes {
        txn.add_member("parts", bare).unwrap();
        txn.set_property(bare, "raw", Value::bytes([0, 0xFF]))
            .unwrap();
        txn.set_property(all, "raw", Value::bytes([])).unwrap();
    }
    txn.delete_node(gone).unwrap();
    txn.commit().unwrap();
    db.close().unwrap();
    path
}

/// The canonical dump without its last line, which has a checksum of the rest.
pub(super) fn canonical(db: &Path) -> String {
    let said = run(&["dump".as_ref(), db.as_os_str(), "--canonical".as_ref()]);
    said.assert_code(0).stdout.clone()
}

pub(super) fn import(world: &World, name: &str, arguments: &[&str]) -> Said {
    let db = world.path(name);
    let mut all = vec!["import", "--json", db.to_str().unwrap()];
    all.extend(arguments);
    run(&all)
}

pub(super) fn export(db: &Path, arguments: &[&str]) -> Json {
    let said = ask("export", &[db], arguments);
    let fields = [
        "path",
        "output",
        "format",
        "commit",
        "nodes",
        "relationships",
        "left_out",
    ];
    said.assert_code(0).answer("export", &fields)
}

#[track_caller]
pub(super) fn same(one: &Path, other: &Path) {
    let (one, other) = (canonical(one), canonical(other));
    for (line, (one, other)) in one.lines().zip(other.lines()).enumerate() {
        assert_eq!(one, other, "line {}", line + 1);
    }
    assert_eq!(one, other);
}
