//! The mapping file: what the columns of CSV files and the keys of JSON objects are, in TOML.
//!
//! ```toml
//! [[nodes]]
//! file = "people.csv"
//! labels = ["Person"]
//! id = "person_id"
//! space = "Person"
//! [nodes.properties]
//! name = "string"
//! born = { from = "birthday", type = "date" }
//!
//! [[relationships]]
//! file = "knows.jsonl"
//! type = "KNOWS"
//! start = "who"
//! end = "whom"
//! start_space = "Person"
//! end_space = "Person"
//! ```
//! Files lie in the folder of the mapping or below it: a mapping that somebody else wrote must not bring in what
//! lies elsewhere.

use super::header::{Column, Part, split};
use super::place::TransferError;
use crate::failure::Failure;
use crate::statements::read_input;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stratigraph::storage::files::folder_of;
use stratigraph_tables::mapping::{PropertyFrom, within};
use stratigraph_tables::{Kind, Simple};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mapping {
    #[serde(default)]
    nodes: Vec<NodeSource>,
    #[serde(default)]
    relationships: Vec<RelationshipSource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeSource {
    file: PathBuf,
    #[serde(default)]
    labels: Vec<String>,
    /// A column with labels.
    label_column: Option<String>,
    id: Option<String>,
    #[serde(default)]
    space: String,
    properties: Option<BTreeMap<String, PropertyFrom>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RelationshipSource {
    file: PathBuf,
    #[serde(rename = "type")]
    of: Option<String>,
    /// A column with types.
    type_column: Option<String>,
    start: String,
    end: String,
    #[serde(default)]
    start_space: String,
    #[serde(default)]
    end_space: String,
    properties: Option<BTreeMap<String, PropertyFrom>>,
}

/// What a mapping says of one file.
#[derive(Debug, Clone)]
pub(crate) struct Mapped {
    pub(crate) file: PathBuf,
    pub(crate) part: Part,
    pub(crate) labels: Vec<String>,
    pub(crate) of: Option<String>,
    /// The role of a column, for each that has one.
    roles: BTreeMap<String, Column>,
    /// Whether columns that are not named are properties too.
    others: bool,
}

impl Mapped {
    /// What a column is that a header, or a JSON key, calls `cell`. `None` leaves it to the header.
    pub(crate) fn column(&self, cell: &str) -> Option<Column> {
        let name = split(cell.trim()).0;
        if let Some(role) = self.roles.get(name) {
            return Some(role.clone());
        }
        (!self.others).then_some(Column::Ignore)
    }

    /// Whether one of the columns is the id.
    pub(crate) fn has_id(&self) -> bool {
        self.roles
            .values()
            .any(|role| matches!(role, Column::Id { .. }))
    }

    /// The columns that must be there: those with a role.
    pub(crate) fn expected(&self) -> impl Iterator<Item = &str> {
        self.roles.keys().map(String::as_str)
    }
}

/// Reads a mapping.
///
/// # Errors
/// It cannot be read, makes no sense, or names a file outside of its folder.
pub(crate) fn read(path: &Path) -> Result<Vec<Mapped>, Failure> {
    let text = read_input(Some(path))?;
    let name = path.display().to_string();
    let bad = |reason: String| {
        Failure::from(TransferError::Mapping {
            file: name.clone(),
            reason,
        })
    };
    let mapping: Mapping = toml::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let folder = folder_of(path);
    let mut all = Vec::new();
    for source in mapping.nodes {
        let mut roles = properties(source.properties.as_ref()).map_err(&bad)?;
        if let Some(id) = source.id {
            let property = match roles.get(&id) {
                Some(Column::Property { name, kind }) => Some((name.clone(), *kind)),
                _ => None,
            };
            let kind = match property.as_ref().map(|(_, kind)| *kind) {
                None | Some(Kind::One(Simple::String)) => Simple::String,
                Some(Kind::One(Simple::Int)) => Simple::Int,
                Some(_) => return Err(bad(format!("the id {id:?} is a string or an int"))),
            };
            let column = Column::Id {
                space: source.space,
                property: property.map(|(name, _)| name),
                kind,
            };
            roles.insert(id, column);
        }
        if let Some(column) = source.label_column {
            roles.insert(column, Column::Labels);
        }
        all.push(Mapped {
            file: within(folder, &source.file).map_err(&bad)?,
            part: Part::Nodes,
            labels: source.labels,
            of: None,
            others: source.properties.is_none(),
            roles,
        });
    }
    for source in mapping.relationships {
        let mut roles = properties(source.properties.as_ref()).map_err(&bad)?;
        if source.of.is_none() && source.type_column.is_none() {
            let file = source.file.display();
            return Err(bad(format!(
                "{file}: say the `type` of its relationships, or the `type_column`"
            )));
        }
        let space = source.start_space;
        roles.insert(source.start, Column::Start { space });
        let space = source.end_space;
        roles.insert(source.end, Column::End { space });
        if let Some(column) = source.type_column {
            roles.insert(column, Column::Type);
        }
        all.push(Mapped {
            file: within(folder, &source.file).map_err(&bad)?,
            part: Part::Relationships,
            labels: Vec::new(),
            of: source.of,
            others: source.properties.is_none(),
            roles,
        });
    }
    if all.is_empty() {
        return Err(bad(
            "it maps no file: write [[nodes]] or [[relationships]]".to_owned()
        ));
    }
    Ok(all)
}

fn properties(
    said: Option<&BTreeMap<String, PropertyFrom>>,
) -> Result<BTreeMap<String, Column>, String> {
    let mut roles = BTreeMap::new();
    for (property, from) in said.into_iter().flatten() {
        let (column, kind) = from.column(property)?;
        let role = Column::Property {
            name: property.clone(),
            kind,
        };
        if roles.insert(column.to_owned(), role).is_some() {
            return Err(format!("the column {column:?} is two properties"));
        }
    }
    Ok(roles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn mapped(text: &str) -> Result<Vec<Mapped>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mapping.toml");
        fs::write(&path, text).unwrap();
        read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_get_their_roles() {
        let text = "[[nodes]]\nfile = 'p.csv'\nlabels = ['Person']\nid = 'key'\nspace = 'P'\n\
                    [nodes.properties]\nname = 'string'\nborn = { from = 'birthday', type = 'date' }\nnumber = { from = 'key', type = 'int' }\n\
                    [[relationships]]\nfile = 'k.jsonl'\ntype = 'KNOWS'\nstart = 'who'\nend = 'whom'\n";
        let all = mapped(text).unwrap();
        let people = &all[0];
        let id = Column::Id {
            space: "P".into(),
            property: Some("number".into()),
            kind: Simple::Int,
        };
        assert_eq!(people.column("key"), Some(id));
        assert_eq!(
            people.column("birthday:string"),
            Some(Column::Property {
                name: "born".into(),
                kind: Kind::One(Simple::Date)
            })
        );
        assert_eq!(people.column("other"), Some(Column::Ignore));
        assert_eq!(all[1].column("since:int"), None);
        assert_eq!(all[1].of.as_deref(), Some("KNOWS"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let cases = [
            ("", "maps no file"),
            (
                "[[nodes]]\nfile = '/etc/passwd'",
                "in the folder of the mapping",
            ),
            (
                "[[nodes]]\nfile = '../x.csv'",
                "in the folder of the mapping",
            ),
            ("[[nodes]]\nfile = 'x.csv'\nfiel = 1", "unknown field"),
            (
                "[[nodes]]\nfile = 'x.csv'\n[nodes.properties]\na = 'strang'",
                "no type",
            ),
            (
                "[[relationships]]\nfile = 'x.csv'\nstart = 'a'\nend = 'b'",
                "`type`",
            ),
            ("[[nodes", "the mapping"),
        ];
        for (text, said) in cases {
            let why = mapped(text).unwrap_err();
            assert!(why.contains(said), "{text}: {why}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_does_not_lead_outside() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("in");
        fs::create_dir(&inside).unwrap();
        fs::write(folder.path().join("secret.csv"), ":ID\n1\n").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret.csv"), inside.join("x.csv")).unwrap();
        fs::write(inside.join("m.toml"), "[[nodes]]\nfile = 'x.csv'\n").unwrap();
        assert!(
            read(&inside.join("m.toml"))
                .unwrap_err()
                .to_string()
                .contains("in the folder")
        );
    }
}
