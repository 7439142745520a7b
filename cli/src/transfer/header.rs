//! The header of a CSV file: what each column is, as Neo4j's `admin import` writes it.
//!
//! | cell | what the column holds |
//! |---|---|
//! | `:ID`, `:ID(Space)`, `name:ID(Space)` | the id of a node; with a name also a property; `{id-type:int}` makes that a number |
//! | `:LABEL` | labels, with the array delimiter between them |
//! | `:START_ID(Space)`, `:END_ID(Space)`, `:TYPE` | the ends and the type of a relationship |
//! | `name`, `name:type`, `name:type[]` | a property; see `kind.rs` |
//! | `:IGNORE`, `name:IGNORE` | nothing that is wanted |

use stratigraph_tables::{Kind, Simple, excerpt};

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    Id {
        space: String,
        property: Option<String>,
        kind: Simple,
    },
    Labels,
    Start {
        space: String,
    },
    End {
        space: String,
    },
    Type,
    Property {
        name: String,
        kind: Kind,
    },
    Ignore,
}

/// What the records of a source are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Nodes,
    Relationships,
}

impl Column {
    /// Reads a cell.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(cell: &str) -> Result<Self, String> {
        let cell = cell.trim();
        let (name, of) = split(cell);
        let Some(of) = of else {
            return property(name, Kind::One(Simple::String));
        };
        let (of, options) = match of.find('{') {
            Some(at) if of.ends_with('}') => (&of[..at], Some(&of[at + 1..of.len() - 1])),
            _ => (of, None),
        };
        let (word, space) = match of.find('(') {
            Some(at) if of.ends_with(')') => (&of[..at], of[at + 1..of.len() - 1].trim()),
            _ => (of, ""),
        };
        let (word, space) = (word.trim(), space.to_owned());
        let spaced = ["ID", "START_ID", "END_ID"];
        if !space.is_empty() && !spaced.contains(&word) {
            return Err(format!(
                "only {} have a space in parentheses",
                spaced.join(", ")
            ));
        }
        let kind = id_kind(options)?;
        match word {
            "ID" => Ok(Self::Id {
                space,
                property: (!name.is_empty()).then(|| name.to_owned()),
                kind,
            }),
            "START_ID" => Ok(Self::Start { space }),
            "END_ID" => Ok(Self::End { space }),
            "LABEL" => Ok(Self::Labels),
            "TYPE" => Ok(Self::Type),
            "IGNORE" => Ok(Self::Ignore),
            "point" | "Point" => {
                Err("there are no points: import their parts as numbers".to_owned())
            }
            word => match Kind::named(word) {
                Some(kind) => property(name, kind),
                None => Err(format!(
                    "`{}` is no type of a column: string, int, float, boolean, date, time, localtime, datetime, \
                     localdatetime, duration, each also with [], and vector, bytes, any",
                    excerpt(word)
                )),
            },
        }
    }
}

fn property(name: &str, kind: Kind) -> Result<Column, String> {
    if name.is_empty() {
        return Err("a column needs a name; `:IGNORE` leaves it out".to_owned());
    }
    Ok(Column::Property {
        name: name.to_owned(),
        kind,
    })
}

/// The name and what follows the last colon that is not in brackets: spaces and options may hold some.
pub(crate) fn split(cell: &str) -> (&str, Option<&str>) {
    let mut depth = 0_usize;
    let mut found = None;
    for (at, sign) in cell.char_indices().rev() {
        match sign {
            ')' | '}' => depth += 1,
            '(' | '{' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                found = Some(at);
                break;
            }
            _ => {}
        }
    }
    match found {
        Some(at) => (cell[..at].trim(), Some(cell[at + 1..].trim())),
        None => (cell, None),
    }
}

/// `{id-type:int}`.
fn id_kind(options: Option<&str>) -> Result<Simple, String> {
    let Some(options) = options else {
        return Ok(Simple::String);
    };
    let mut kind = Simple::String;
    for option in options.split(',') {
        let (name, value) = option.split_once(':').unwrap_or((option, ""));
        kind = match (name.trim(), value.trim()) {
            ("id-type", "string") => Simple::String,
            ("id-type", "int" | "long" | "integer" | "short" | "byte") => Simple::Int,
            ("label", _) => kind,
            _ => {
                return Err(format!(
                    "`{}` is no option: id-type:string or id-type:int",
                    excerpt(option)
                ));
            }
        };
    }
    Ok(kind)
}

/// What the columns say about the records, if they say it.
///
/// # Errors
/// They contradict each other.
pub(crate) fn part_of(columns: &[Column]) -> Result<Option<Part>, String> {
    let count = |is: fn(&Column) -> bool| columns.iter().filter(|column| is(column)).count();
    let ids = count(|column| matches!(column, Column::Id { .. }));
    let labels = count(|column| matches!(column, Column::Labels));
    let starts = count(|column| matches!(column, Column::Start { .. }));
    let ends = count(|column| matches!(column, Column::End { .. }));
    let types = count(|column| matches!(column, Column::Type));
    for (word, number) in [
        (":ID", ids),
        (":LABEL", labels),
        (":START_ID", starts),
        (":END_ID", ends),
        (":TYPE", types),
    ] {
        if number > 1 {
            return Err(format!("{word} is there twice"));
        }
    }
    let (nodes, relationships) = (ids + labels, starts + ends + types);
    if nodes > 0 && relationships > 0 {
        return Err(
            "a file has nodes (:ID, :LABEL) or relationships (:START_ID, :END_ID, :TYPE)"
                .to_owned(),
        );
    }
    let mut names: Vec<&str> = columns
        .iter()
        .filter_map(|column| match column {
            Column::Property { name, .. } => Some(name.as_str()),
            Column::Id { property, .. } => property.as_deref(),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!(
            "two columns are the property {:?}",
            excerpt(twice[0])
        ));
    }
    Ok(if nodes > 0 {
        Some(Part::Nodes)
    } else if relationships > 0 {
        Some(Part::Relationships)
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_as_admin_import_writes_them() {
        let id = |space: &str, property: Option<&str>, kind| Column::Id {
            space: space.to_owned(),
            property: property.map(str::to_owned),
            kind,
        };
        let prop = |name: &str, kind: &str| Column::Property {
            name: name.to_owned(),
            kind: Kind::named(kind).unwrap(),
        };
        let cases = [
            (":ID", id("", None, Simple::String)),
            (":ID(Person-ID)", id("Person-ID", None, Simple::String)),
            (
                "personId:ID(a:b)",
                id("a:b", Some("personId"), Simple::String),
            ),
            ("n:ID(P){id-type:long}", id("P", Some("n"), Simple::Int)),
            (":LABEL", Column::Labels),
            (
                ":START_ID(Person)",
                Column::Start {
                    space: "Person".into(),
                },
            ),
            (
                ":END_ID",
                Column::End {
                    space: String::new(),
                },
            ),
            (":TYPE", Column::Type),
            ("x:IGNORE", Column::Ignore),
            ("name", prop("name", "string")),
            ("age:int", prop("age", "int")),
            ("tags:string[]", prop("tags", "string[]")),
            ("emb:float[]", prop("emb", "float[]")),
            ("emb:vector", prop("emb", "vector")),
            ("a:b:int", prop("a:b", "int")),
            ("since:DateTime", prop("since", "datetime")),
        ];
        for (cell, column) in cases {
            assert_eq!(Column::read(cell), Ok(column), "{cell}");
        }
        for bad in [
            "",
            ":int",
            "place:point",
            "x:strange",
            "x:int(Space)",
            ":ID{id-type:float}",
            "a:",
        ] {
            assert!(Column::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn columns_say_what_the_records_are() {
        let part = |cells: &[&str]| {
            let columns: Vec<_> = cells
                .iter()
                .map(|cell| Column::read(cell).unwrap())
                .collect();
            part_of(&columns)
        };
        assert_eq!(part(&[":ID", "name"]), Ok(Some(Part::Nodes)));
        assert_eq!(
            part(&[":START_ID", ":END_ID"]),
            Ok(Some(Part::Relationships))
        );
        assert_eq!(part(&["name"]), Ok(None));
        for cells in [
            &[":ID", ":ID"][..],
            &[":ID", ":TYPE"],
            &["a", "a:int"],
            &["a:ID", "a"],
        ] {
            assert!(part(cells).is_err(), "{cells:?}");
        }
    }

    #[test]
    fn any_cell_is_read_or_refused() {
        const AWKWARD: [&str; 12] = [
            ":", "(", ")", "{", "}", "ID", "id-type", "int", "[]", ",", " ", "地",
        ];
        let mut seed = 1_usize;
        for _ in 0..50_000 {
            let mut cell = String::new();
            for _ in 0..(seed >> 40) % 7 {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                cell.push_str(AWKWARD[(seed >> 33) % AWKWARD.len()]);
            }
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            // It does not panic, and says something of what it refuses.
            if let Err(why) = Column::read(&cell) {
                assert!(!why.is_empty(), "{cell}");
            }
        }
    }
}
