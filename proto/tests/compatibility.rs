//! What clients that are out there rely on: services, methods, messages, fields, their numbers and types, as
//! `listing.txt` has them.
//!
//! Something new is an addition: it is taken into the listing with `STRATIGRAPH_ACCEPT=1 cargo test -p
//! stratigraph-proto --test compatibility`. Something that was there and is not, or is something else, is refused,
//! also then: a removed field must leave its number and its name behind as `reserved`.

mod described;

use described::{described, sources};
use prost_reflect::{Cardinality, DescriptorPool, FieldDescriptor, Kind, MethodDescriptor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

#[test]
fn nothing_that_clients_rely_on_has_changed() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/listing.txt");
    let now = Listing::of(&described(&sources()));
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let broken = now.breaks(&Listing::read(&before));
    assert!(
        broken.is_empty(),
        "clients that are out there would break:\n{}",
        broken.join("\n")
    );
    let shown = now.show();
    if std::env::var_os("STRATIGRAPH_ACCEPT").is_some() {
        std::fs::write(&path, shown).unwrap();
    } else {
        assert!(
            before == shown,
            "there is something new: run with STRATIGRAPH_ACCEPT=1 to take it into tests/listing.txt"
        );
    }
}

#[test]
fn additions_are_told_from_what_breaks_clients() {
    let breaks = |changes: &[(&str, &str)]| {
        let before = Listing::of(&described(&sources()));
        let mut sources = sources();
        let query = sources.get_mut("stratigraph/v1/query.proto").unwrap();
        for (text, instead) in changes {
            assert!(query.contains(text), "{text}");
            *query = query.replacen(text, instead, 1);
        }
        let now = Listing::of(&described(&sources));
        assert_eq!(
            Listing::read(&now.show()),
            now,
            "the listing is read as it was written"
        );
        let broken = now.breaks(&before);
        (broken.join("\n"), now != before)
    };
    let removed = "  // Whether it was known.\n  bool known = 1;\n";
    let fine = [
        vec![("// One row.\n", "// A row.\n")],
        vec![(
            "message Row {\n",
            "message Row {\n  // New.\n  string note = 2;\n",
        )],
        vec![("// One row.\n", "// New.\nmessage Cell {}\n\n// One row.\n")],
        vec![(removed, "  reserved 1;\n  reserved \"known\";\n")],
        vec![("bool known = 1;", "optional bool known = 1;")],
        vec![(
            "  EXECUTION_MODE_PROFILE = 2;",
            "  EXECUTION_MODE_PROFILE = 2;\n  // New.\n  EXECUTION_MODE_DRY = 3;",
        )],
    ];
    for changes in fine {
        assert_eq!(breaks(&changes).0, "", "{changes:?}");
    }
    let breaking = [
        (vec![(removed, "")], "ForgetStatementResponse 1"),
        (
            vec![(removed, "  reserved 1;\n")],
            "ForgetStatementResponse 1",
        ),
        (
            vec![("bool known = 1;", "bool known = 2;")],
            "ForgetStatementResponse 1",
        ),
        (
            vec![("bool known = 1;", "bool was_known = 1;")],
            "ForgetStatementResponse 1",
        ),
        (
            vec![("bool known = 1;", "string known = 1;")],
            "ForgetStatementResponse 1",
        ),
        (vec![("repeated Row rows", "Row rows")], "RowBatch 1"),
        (
            vec![("optional uint64 seed", "uint64 seed")],
            "QueryOptions 5",
        ),
        (
            vec![("EXECUTION_MODE_PROFILE = 2", "EXECUTION_MODE_PROFILE = 3")],
            "ExecutionMode 2",
        ),
        (
            vec![("returns (stream QueryResponse)", "returns (QueryResponse)")],
            "QueryService Query",
        ),
        (vec![("rpc Query(", "rpc Ask(")], "QueryService Query"),
    ];
    for (changes, what) in breaking {
        let (broken, changed) = breaks(&changes);
        assert!(changed && broken.contains(what), "{changes:?}: {broken}");
    }
}

/// Facts by what they are about: `field stratigraph.v1.Row 1` is `values repeated stratigraph.v1.Value`.
#[derive(Default, Debug, PartialEq, Eq)]
struct Listing(BTreeMap<String, String>);

/// What was left behind by what was removed.
const RESERVED: &str = "reserved";

impl Listing {
    fn of(pool: &DescriptorPool) -> Self {
        let mut facts = BTreeMap::new();
        let ours = |package: &str| package == "stratigraph.v1";
        for service in pool.services().filter(|one| ours(one.package_name())) {
            for method in service.methods() {
                let about = format!("rpc {} {}", service.full_name(), method.name());
                facts.insert(about, signature(&method));
            }
        }
        let messages = pool.all_messages().filter(|one| !one.is_map_entry());
        for message in messages.filter(|one| ours(one.package_name())) {
            let name = message.full_name();
            facts.insert(format!("message {name}"), String::new());
            for field in message.fields() {
                let about = format!("field {name} {}", field.number());
                facts.insert(about, format!("{} {}", field.name(), field_type(&field)));
            }
            let (numbers, names) = (message.reserved_ranges(), message.reserved_names());
            reserve(&mut facts, name, numbers.flatten(), names);
        }
        for one in pool.all_enums().filter(|one| ours(one.package_name())) {
            let name = one.full_name();
            facts.insert(format!("enum {name}"), String::new());
            for value in one.values() {
                let about = format!("value {name} {}", value.number());
                facts.insert(about, value.name().to_owned());
            }
            let (numbers, names) = (one.reserved_ranges(), one.reserved_names());
            let numbers = numbers
                .flatten()
                .filter_map(|number| u32::try_from(number).ok());
            reserve(&mut facts, name, numbers, names);
        }
        Self(facts)
    }

    fn read(text: &str) -> Self {
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        let facts = lines.map(|line| {
            let (about, what) = line.split_once(':').unwrap();
            (about.to_owned(), what.trim().to_owned())
        });
        Self(facts.collect())
    }

    fn show(&self) -> String {
        let mut text =
            String::from("# Made by tests/compatibility.rs: what clients rely on. Do not edit.\n");
        for (about, what) in &self.0 {
            let _ = writeln!(text, "{}", format!("{about}: {what}").trim_end());
        }
        text
    }

    /// What was true before and is not now.
    fn breaks(&self, before: &Self) -> Vec<String> {
        let mut broken = Vec::new();
        for (about, was) in &before.0 {
            let is = self.0.get(about);
            if is == Some(was) {
                continue;
            }
            let left_behind = is.is_none() && self.is_reserved(about, was);
            if !left_behind && !is.is_some_and(|is| only_told_apart(was, is)) {
                let is = is.map_or("is gone", |is| is);
                broken.push(format!("{about}: was `{was}`, now `{is}`"));
            }
        }
        broken
    }

    /// Whether a field or value that is gone has left its number and its name behind.
    fn is_reserved(&self, about: &str, was: &str) -> bool {
        let parts: Vec<&str> = about.split(' ').collect();
        let ["field" | "value", of, number] = parts[..] else {
            return false;
        };
        let name = was.split(' ').next().unwrap_or("");
        let left = |what: &str| self.0.contains_key(&format!("{RESERVED} {of} {what}"));
        left(number) && left(name)
    }
}

/// Whether a field is the same but that what was not said is told from zero now: the bytes are the same, and who sent zero
/// sent nothing.
fn only_told_apart(was: &str, is: &str) -> bool {
    !was.contains(" optional ") && is.replacen(" optional ", " ", 1) == was
}

fn reserve<'a>(
    facts: &mut BTreeMap<String, String>,
    of: &str,
    numbers: impl Iterator<Item = u32>,
    names: impl Iterator<Item = &'a str>,
) {
    let numbers: BTreeSet<u32> = numbers.collect();
    for number in numbers {
        facts.insert(format!("{RESERVED} {of} {number}"), String::new());
    }
    for name in names {
        facts.insert(format!("{RESERVED} {of} {name}"), String::new());
    }
}

fn signature(method: &MethodDescriptor) -> String {
    let stream = |streams: bool| if streams { "stream " } else { "" };
    format!(
        "({}{}) returns ({}{})",
        stream(method.is_client_streaming()),
        method.input().full_name(),
        stream(method.is_server_streaming()),
        method.output().full_name(),
    )
}

fn field_type(field: &FieldDescriptor) -> String {
    let mut shown = String::new();
    match field.containing_oneof() {
        Some(oneof) if !oneof.is_synthetic() => {
            let _ = write!(shown, "oneof {} ", oneof.name());
        }
        Some(_) => shown.push_str("optional "),
        None => {}
    }
    if field.cardinality() == Cardinality::Repeated && !field.is_map() {
        shown.push_str("repeated ");
    }
    shown.push_str(&kind(&field.kind(), field.is_map()));
    shown
}

fn kind(of: &Kind, map: bool) -> String {
    match of {
        Kind::Message(entry) if map => {
            let key = kind(&entry.map_entry_key_field().kind(), false);
            let value = kind(&entry.map_entry_value_field().kind(), false);
            format!("map<{key}, {value}>")
        }
        Kind::Message(message) => message.full_name().to_owned(),
        Kind::Enum(one) => one.full_name().to_owned(),
        scalar => format!("{scalar:?}").to_lowercase(),
    }
}
