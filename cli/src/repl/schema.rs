//! `:schema`: what there is of each label and type, and what is declared.
//!
//! It is asked by statements, so that it is the same wherever the database is.
//!
//! Next: `complete.rs`.

use crate::failure::Failure;
use crate::output::{Reply, SHOWN, Table, count};
use crate::statements::Place;
use std::collections::HashMap;
use stratigraph::Value;

const COUNTED: &str = "CALL db.stats() YIELD kind, name, count RETURN kind, name, count";
const CONSTRAINTS: &str = "SHOW CONSTRAINTS YIELD name, type, propertyType, entityType, labelsOrTypes, properties \
     RETURN name, type, propertyType, entityType, labelsOrTypes, properties";
const INDEXES: &str = "SHOW INDEXES YIELD name, type, state, options, entityType, labelsOrTypes, properties \
     RETURN name, type, state, options, entityType, labelsOrTypes, properties";
const HIERARCHIES: &str =
    "SHOW HIERARCHIES YIELD name, types, members, levels RETURN name, types, members, levels";

/// What a place holds, for people.
///
/// # Errors
/// What keeps it from answering.
pub(super) fn shown(place: &dyn Place) -> Result<String, Failure> {
    let mut reply = Reply::new("schema");
    let counts = Counts::of(place)?;
    counts.add(&mut reply, "label", ["label", "nodes"]);
    counts.add(&mut reply, "relationshipType", ["type", "relationships"]);
    let constraints = place.look(CONSTRAINTS)?;
    let rows = constraints.iter().map(|row| {
        let demand = demand(cell(row, 1), cell(row, 2));
        [text(cell(row, 0)), on(&row[3..]), demand]
    });
    add(&mut reply, ["constraint", "on", "demand"], rows);
    let indexes = place.look(INDEXES)?;
    let of = |kind: &'static str| {
        let rows = indexes.iter();
        rows.filter(move |row| cell(row, 1).as_str() == Some(kind))
    };
    let rows = of("RANGE").map(|row| {
        let name = text(cell(row, 0));
        let entries = counts.of_kind("index", &name);
        [name, on(&row[4..]), entries, state(row)]
    });
    add(&mut reply, ["index", "on", "entries", "readiness"], rows);
    let rows = of("VECTOR").map(|row| {
        let name = text(cell(row, 0));
        let vectors = counts.of_kind("vectorIndex", &name);
        let dimensions = setting(row, "vector.dimensions");
        let metric = setting(row, "vector.similarity_function").to_lowercase();
        [name, on(&row[4..]), vectors, dimensions, metric, state(row)]
    });
    let headings = [
        "vector index",
        "on",
        "vectors",
        "dimensions",
        "metric",
        "readiness",
    ];
    add(&mut reply, headings, rows);
    let rows = of("FULLTEXT").map(|row| {
        let analysis = setting(row, "fulltext.analyzer");
        [text(cell(row, 0)), on(&row[4..]), analysis, state(row)]
    });
    add(
        &mut reply,
        ["text index", "on", "analysis", "readiness"],
        rows,
    );
    let hierarchies = place.look(HIERARCHIES)?;
    let rows = hierarchies.iter().map(|row| {
        let types = names(cell(row, 1)).join(", ");
        let number = |at| cell(row, at).as_int().map_or_else(String::new, whole);
        [
            text(cell(row, 0)),
            format!("[:{types}]"),
            number(2),
            number(3),
        ]
    });
    add(&mut reply, ["hierarchy", "on", "members", "levels"], rows);
    Ok(reply.to_text(false).trim_start_matches('\n').to_owned())
}

/// How many there are of what, by kind and name.
struct Counts(HashMap<(String, String), i64>);

impl Counts {
    fn of(place: &dyn Place) -> Result<Self, Failure> {
        let rows = place.look(COUNTED)?;
        let counts = rows.iter().filter_map(|row| {
            let count = cell(row, 2).as_int()?;
            Some(((text(cell(row, 0)), text(cell(row, 1))), count))
        });
        Ok(Self(counts.collect()))
    }

    fn of_kind(&self, kind: &str, name: &str) -> String {
        let found = self.0.get(&(kind.to_owned(), name.to_owned()));
        found.copied().map_or_else(String::new, whole)
    }

    /// Adds the names of a kind with how many have each, most first.
    fn add(&self, reply: &mut Reply, kind: &str, headings: [&'static str; 2]) {
        let found = self.0.iter().filter(|((of, _), _)| of == kind);
        let mut found: Vec<(&str, i64)> =
            found.map(|((_, name), count)| (&**name, *count)).collect();
        found.sort_by(|(one, number), (other, than)| than.cmp(number).then_with(|| one.cmp(other)));
        let mut table = Table::of_numbers(headings);
        for (name, number) in found.iter().take(SHOWN) {
            table.row([(*name).to_owned(), whole(*number)]);
        }
        reply.first_rows(&table, found.len());
    }
}

fn add<const N: usize>(
    reply: &mut Reply,
    headings: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    let mut table = Table::of_facts();
    table.row(headings.map(str::to_owned));
    let mut number = 0;
    for row in rows {
        if number < SHOWN {
            table.row(row);
        }
        number += 1;
    }
    reply.first_rows(&table, number);
}

/// What a constraint demands: `UNIQUENESS`, `NODE_PROPERTY_TYPE` and `INTEGER` as people say it.
fn demand(kind: &Value, of: &Value) -> String {
    let kind = kind.as_str().unwrap_or_default();
    let said = [
        ("UNIQUENESS", "unique"),
        ("EXISTENCE", "exists"),
        ("KEY", "key"),
    ];
    let said = said.iter().find(|(ending, _)| kind.ends_with(ending));
    match (said, of.as_str()) {
        (Some((_, said)), _) => (*said).to_owned(),
        (None, Some(of)) => format!("type {of}"),
        (None, None) => kind.to_lowercase(),
    }
}

/// What a declaration is on: `:Book(title)`, `[:WROTE](year)`; from its kind of entity, its names and its properties.
fn on(row: &[Value]) -> String {
    let is_node = cell(row, 0).as_str() == Some("NODE");
    let name = names(cell(row, 1)).join("|");
    let on = match (is_node, name.is_empty()) {
        (true, true) => "any node".to_owned(),
        (false, true) => "any relationship".to_owned(),
        (true, false) => format!(":{name}"),
        (false, false) => format!("[:{name}]"),
    };
    let properties = names(cell(row, 2));
    if properties.is_empty() {
        return on;
    }
    format!("{on}({})", properties.join(", "))
}

/// Whether an index answers: `ONLINE` is `ready`, as `info` says it.
fn state(row: &[Value]) -> String {
    match cell(row, 2).as_str() {
        Some("ONLINE") => "ready".to_owned(),
        Some("POPULATING") => "building".to_owned(),
        other => other.unwrap_or_default().to_lowercase(),
    }
}

/// A setting of an index.
fn setting(row: &[Value], name: &str) -> String {
    let Value::Map(options) = cell(row, 3) else {
        return String::new();
    };
    match options.get("indexConfig") {
        Some(Value::Map(config)) => config.get(name).map_or_else(String::new, text),
        _ => String::new(),
    }
}

fn names(value: &Value) -> Vec<String> {
    match value {
        Value::List(names) => names.iter().map(text).collect(),
        _ => Vec::new(),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.to_string(),
        other => other.to_string(),
    }
}

fn whole(number: i64) -> String {
    count(u64::try_from(number).unwrap_or(0))
}

fn cell(row: &[Value], at: usize) -> &Value {
    row.get(at).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::Folder;
    use stratigraph::Database;

    #[test]
    fn everything_that_is_declared_is_shown() {
        let db = Database::in_memory().unwrap();
        for text in [
            "CREATE (:Book {title: 'Layers', fit: vector([1, 0])})-[:PART]->(:Page)",
            "CREATE INDEX by_title FOR (b:Book) ON (b.title)",
            "CREATE CONSTRAINT one FOR (b:Book) REQUIRE b.code IS UNIQUE",
            "CREATE CONSTRAINT typed FOR (b:Book) REQUIRE b.year IS :: INTEGER",
            "CREATE VECTOR INDEX meaning FOR (n:Book) ON n.fit OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
            "CREATE FULLTEXT INDEX words FOR (n:Book) ON EACH [n.title]",
            "CREATE HIERARCHY outline FOR ()-[:PART]->()",
        ] {
            db.query(text, ()).unwrap().finish().unwrap();
        }
        let shown = shown(&Folder::new(db)).unwrap();
        let expected = "\
label  nodes
Book       1
Page       1

type  relationships
PART              1

constraint  on           demand
one         :Book(code)  unique
typed       :Book(year)  type INTEGER

index     on            entries  readiness
by_title  :Book(title)  1        ready
one       :Book(code)   0        ready

vector index  on          vectors  dimensions  metric  readiness
meaning       :Book(fit)  1        2           cosine  ready

text index  on            analysis  readiness
words       :Book(title)  english   ready

hierarchy  on       members  levels
outline    [:PART]  2        2
";
        assert_eq!(shown, expected);
    }
}
