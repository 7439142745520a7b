//! The mapping as somebody writes it, in TOML.
//!
//! ```toml
//! [[nodes]]
//! file = "issues.csv"
//! label = "Issue"
//! key = "number"                 # or several columns: the first that says something
//! metadata = ["category"]        # properties that searches are narrowed by
//! [nodes.properties]             # without it, every column is a property
//! description = "string"
//! category = "string"
//! monetary = { from = "is_monetary", type = "boolean" }
//! [nodes.embed]                  # a vector each: the property that holds it, and what is embedded
//! description_vector = "description"
//! [[nodes.links]]                # a relationship for each key in a column
//! type = "QUALIFIED_BY"
//! column = "clauses"
//! split = ";"
//! to = "Clause"                  # or `from`, if it leads here
//!
//! [[nodes]]
//! file = "entities.jsonl"
//! label = { column = "table", of = { "公园" = "Park", "学校" = "School" } }
//! key = ["id", "name"]
//!
//! [[relationships]]
//! file = "contains.csv"
//! when = { column = "kind", is = "content" }
//! type = "CONTAINS"
//! from = { label = "Focus", column = "focus" }
//! to = { label = "Content", column = "content" }
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use stratigraph::storage::files::folder_of;
use stratigraph_tables::mapping::{PropertyFrom, inside, within};

use super::rule::{Chosen, EdgeRule, End, Link, NodeRule, Property, When};
use super::{Bytes, MappedFile, TableMapping};
use crate::read::{Place, ReadError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    nodes: Vec<WrittenNodes>,
    #[serde(default)]
    relationships: Vec<WrittenEdges>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenNodes {
    file: PathBuf,
    when: Option<WrittenWhen>,
    label: WrittenName,
    key: OneOrMore,
    #[serde(default)]
    metadata: Vec<String>,
    properties: Option<BTreeMap<String, PropertyFrom>>,
    #[serde(default)]
    embed: BTreeMap<String, OneOrMore>,
    #[serde(default)]
    links: Vec<WrittenLink>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEdges {
    file: PathBuf,
    when: Option<WrittenWhen>,
    #[serde(rename = "type")]
    kind: WrittenName,
    from: WrittenEnd,
    to: WrittenEnd,
    #[serde(default)]
    properties: BTreeMap<String, PropertyFrom>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenWhen {
    column: String,
    is: OneOrMore,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// A label or a type.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum WrittenName {
    Fixed(String),
    Chosen(WrittenChoice),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenChoice {
    column: String,
    of: Choices,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Choices {
    /// What cells say, and what that is called in the graph.
    Named(BTreeMap<String, String>),
    /// What cells say, under its own name.
    Same(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEnd {
    label: String,
    column: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLink {
    #[serde(rename = "type")]
    kind: String,
    column: String,
    to: Option<String>,
    from: Option<String>,
    split: Option<String>,
}

impl OneOrMore {
    fn all(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::More(more) => more,
        }
    }
}

/// The longest mapping: it is written by people.
const MOST_BYTES: usize = 1 << 20;
/// The longest name of a file.
const LONGEST_FILE: usize = 4096;
const UNREADABLE: &str = "the mapping cannot be read";
const TOO_LONG: &str = "it is no file, or too long for a mapping";
const MEND: &str = "mend the mapping";

/// Reads a mapping whose files lie in its folder.
pub(super) fn read(path: &Path) -> Result<TableMapping, ReadError> {
    let shown = path.display().to_string();
    let looked = fs::metadata(path).and_then(|metadata| {
        if metadata.len() > MOST_BYTES as u64 || !metadata.is_file() {
            return Err(std::io::Error::other(TOO_LONG));
        }
        fs::read_to_string(path)
    });
    let text = looked.map_err(|error| {
        let reason = format!("{UNREADABLE}: {error}");
        ReadError::new(&shown, Place::File, reason, MEND)
    })?;
    parse(&shown, &text, Some(folder_of(path)))
}

/// Makes a mapping of its text and puts the rules of each file together. Without a folder no path is ever looked at.
pub(super) fn parse(
    shown: &str,
    text: &str,
    folder: Option<&Path>,
) -> Result<TableMapping, ReadError> {
    let bad = |place, reason: String| ReadError::new(shown, place, reason, MEND);
    if text.len() > MOST_BYTES {
        return Err(bad(Place::File, format!("{UNREADABLE}: {TOO_LONG}")));
    }
    let written: Written = toml::from_str(text).map_err(|error: toml::de::Error| {
        let place = error
            .span()
            .map_or(Place::File, |span| Place::of_byte(text, span.start));
        bad(place, error.message().to_owned())
    })?;
    let mut files = Files {
        folder,
        all: Vec::new(),
    };
    for (at, nodes) in written.nodes.into_iter().enumerate() {
        let named = format!("[[nodes]] {} ({})", at + 1, nodes.file.display());
        let told = |why: String| bad(Place::File, format!("{named}: {why}"));
        let file = files.of(&nodes.file).map_err(told)?;
        let rule = node_rule(nodes).map_err(told)?;
        file.nodes.push(rule);
    }
    for (at, edges) in written.relationships.into_iter().enumerate() {
        let named = format!("[[relationships]] {} ({})", at + 1, edges.file.display());
        let told = |why: String| bad(Place::File, format!("{named}: {why}"));
        let file = files.of(&edges.file).map_err(told)?;
        let rule = edge_rule(edges).map_err(told)?;
        file.edges.push(rule);
    }
    if files.all.is_empty() {
        let why = "it maps no file: write [[nodes]] or [[relationships]]".to_owned();
        return Err(bad(Place::File, why));
    }
    Ok(TableMapping {
        name: shown.into(),
        text: text.into(),
        files: files.all,
    })
}

/// The files of a mapping, each once.
struct Files<'p> {
    folder: Option<&'p Path>,
    all: Vec<MappedFile>,
}

impl Files<'_> {
    fn of(&mut self, file: &Path) -> Result<&mut MappedFile, String> {
        if file.as_os_str().len() > LONGEST_FILE {
            return Err(format!("a file has a name of at most {LONGEST_FILE} bytes"));
        }
        let place = inside(file)?;
        let at = match self.all.iter().position(|known| known.place == place) {
            Some(at) => at,
            None => {
                let bytes = match self.folder {
                    Some(folder) => Bytes::OnDisk(within(folder, file)?),
                    None => Bytes::Sent(None),
                };
                self.all.push(MappedFile {
                    name: file.display().to_string().into(),
                    place,
                    bytes,
                    nodes: Vec::new(),
                    edges: Vec::new(),
                });
                self.all.len() - 1
            }
        };
        Ok(&mut self.all[at])
    }
}

fn node_rule(written: WrittenNodes) -> Result<NodeRule, String> {
    let properties = written.properties.as_ref().map(properties).transpose()?;
    let key = written.key.all();
    if key.is_empty() {
        return Err("say which column is the `key`".to_owned());
    }
    let known = |property: &str| {
        properties
            .as_ref()
            .is_none_or(|all: &Vec<Property>| all.iter().any(|one| one.name == property))
    };
    let mut embed = Vec::new();
    for (vector, of) in written.embed {
        let of = of.all();
        if let Some(unknown) = of.iter().find(|property| !known(property)) {
            return Err(format!(
                "`{vector}` embeds `{unknown}`, which is no property"
            ));
        }
        if of.is_empty() || (properties.is_some() && known(&vector)) {
            let why = "holds a vector: give it a name of its own, and say what is embedded";
            return Err(format!("`{vector}` {why}"));
        }
        embed.push((name(vector)?, of));
    }
    if let Some(unknown) = written.metadata.iter().find(|property| !known(property)) {
        return Err(format!("`{unknown}` is metadata, but no property"));
    }
    let links = written.links.into_iter().map(link);
    Ok(NodeRule {
        when: written.when.map(when),
        label: chosen(written.label)?,
        key,
        metadata: written.metadata.into_iter().collect(),
        embed,
        links: links.collect::<Result<_, _>>()?,
        properties,
    })
}

fn edge_rule(written: WrittenEdges) -> Result<EdgeRule, String> {
    let end = |end: WrittenEnd| -> Result<End, String> {
        Ok(End {
            label: name(end.label)?,
            column: end.column,
        })
    };
    Ok(EdgeRule {
        when: written.when.map(when),
        kind: chosen(written.kind)?,
        from: end(written.from)?,
        to: end(written.to)?,
        properties: properties(&written.properties)?,
    })
}

fn link(written: WrittenLink) -> Result<Link, String> {
    let (other, incoming) = match (written.to, written.from) {
        (Some(to), None) => (to, false),
        (None, Some(from)) => (from, true),
        _ => {
            return Err(format!(
                "the link {} says `to` or `from`: the label of the other end",
                written.kind
            ));
        }
    };
    if written.split.as_ref().is_some_and(String::is_empty) {
        return Err(format!("the link {} splits at nothing", written.kind));
    }
    Ok(Link {
        kind: name(written.kind)?,
        column: written.column,
        other: name(other)?,
        incoming,
        split: written.split,
    })
}

fn when(written: WrittenWhen) -> When {
    When {
        column: written.column,
        is: written.is.all().into_iter().collect(),
    }
}

fn chosen(written: WrittenName) -> Result<Chosen, String> {
    let WrittenChoice { column, of } = match written {
        WrittenName::Fixed(fixed) => return Ok(Chosen::Fixed(name(fixed)?)),
        WrittenName::Chosen(choice) => choice,
    };
    let all: Vec<(String, String)> = match of {
        Choices::Named(named) => named.into_iter().collect(),
        Choices::Same(same) => same.into_iter().map(|one| (one.clone(), one)).collect(),
    };
    let mut of = BTreeMap::new();
    for (cell, called) in all {
        of.insert(cell, name(called)?);
    }
    if of.is_empty() {
        return Err(format!("list what the column `{column}` may say, in `of`"));
    }
    Ok(Chosen::Column { column, of })
}

fn properties(said: &BTreeMap<String, PropertyFrom>) -> Result<Vec<Property>, String> {
    let all = said.iter().map(|(property, from)| {
        let (column, kind) = from.column(property)?;
        name(property.clone())?;
        Ok(Property {
            name: property.clone(),
            column: column.to_owned(),
            kind,
        })
    });
    all.collect()
}

/// A name of the graph: of a label, a type or a property.
fn name(text: String) -> Result<Arc<str>, String> {
    const LONGEST: usize = 200;
    let fits = !text.is_empty() && text.len() <= LONGEST && !text.contains(char::is_control);
    if fits {
        return Ok(text.into());
    }
    Err(format!(
        "{:?} is no name: write 1 to {LONGEST} bytes on one line",
        stratigraph_tables::excerpt(&text)
    ))
}
