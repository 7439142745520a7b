//! What a rule of the mapping makes of a row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stratigraph::Value;
use stratigraph_tables::{BadRecord, Kind, Problem, excerpt};

use super::row::Row;
use super::{Origin, Typed, TypedEdge, TypedKey, TypedNode, TypedSchema};

/// Which rows a rule is for.
#[derive(Clone, Debug)]
pub(super) struct When {
    pub(super) column: String,
    pub(super) is: BTreeSet<String>,
}

/// A label or a type: the mapping's own, or one of its list that a cell chooses.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    Fixed(Arc<str>),
    Column {
        column: String,
        of: BTreeMap<String, Arc<str>>,
    },
}

/// A property, and where it comes from.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) column: String,
    pub(super) kind: Kind,
}

/// A relationship for each key in a column.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) kind: Arc<str>,
    pub(super) column: String,
    /// The label of the other end.
    pub(super) other: Arc<str>,
    /// Whether it leads from the other end to this node.
    pub(super) incoming: bool,
    pub(super) split: Option<String>,
}

/// The end of a relationship.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) label: Arc<str>,
    pub(super) column: String,
}

/// A rule that makes a node of a row, with relationships.
#[derive(Clone, Debug)]
pub(super) struct NodeRule {
    pub(super) when: Option<When>,
    pub(super) label: Chosen,
    /// Columns: the first that says something is the key.
    pub(super) key: Vec<String>,
    /// All columns if none are said.
    pub(super) properties: Option<Vec<Property>>,
    pub(super) metadata: BTreeSet<String>,
    /// Properties that hold vectors, and those whose texts are embedded.
    pub(super) embed: Vec<(Arc<str>, Vec<String>)>,
    pub(super) links: Vec<Link>,
}

/// A rule that makes a relationship of a row.
#[derive(Clone, Debug)]
pub(super) struct EdgeRule {
    pub(super) when: Option<When>,
    pub(super) kind: Chosen,
    pub(super) from: End,
    pub(super) to: End,
    pub(super) properties: Vec<Property>,
}

impl When {
    /// Whether a row is one of those.
    fn fits(&self, row: &Row<'_>) -> Result<bool, BadRecord> {
        let said = row.text(&self.column)?;
        Ok(said.is_some_and(|said| self.is.contains(said.as_ref())))
    }
}

impl Chosen {
    fn of(&self, row: &Row<'_>) -> Result<Arc<str>, BadRecord> {
        let (column, of) = match self {
            Self::Fixed(name) => return Ok(Arc::clone(name)),
            Self::Column { column, of } => (column, of),
        };
        let said = row.text(column)?.unwrap_or_default();
        of.get(said.as_ref()).map(Arc::clone).ok_or_else(|| {
            let why = format!(
                "{}: {:?} is not among what the mapping lists",
                excerpt(column),
                excerpt(&said)
            );
            BadRecord::new(row.place(), Problem::Refused(why))
        })
    }

    pub(super) fn names(&self) -> Vec<&Arc<str>> {
        match self {
            Self::Fixed(name) => vec![name],
            Self::Column { of, .. } => of.values().collect(),
        }
    }

    fn column(&self) -> Option<&str> {
        match self {
            Self::Fixed(_) => None,
            Self::Column { column, .. } => Some(column),
        }
    }
}

impl NodeRule {
    /// What the row states; nothing if the rule is not for it.
    pub(super) fn apply(&self, row: &Row<'_>, origin: &Origin) -> Result<Vec<Typed>, BadRecord> {
        if !fits(self.when.as_ref(), row)? {
            return Ok(Vec::new());
        }
        let label = self.label.of(row)?;
        let mut key = None;
        for column in &self.key {
            key = row.text(column)?;
            if key.is_some() {
                break;
            }
        }
        let Some(key) = key else {
            return Err(BadRecord::new(row.place(), Problem::Missing("key")));
        };
        let key = TypedKey {
            label,
            key: key.into_owned(),
        };
        let properties = match &self.properties {
            Some(properties) => read(properties, row)?,
            None => self.all(row)?,
        };
        let mut embed = Vec::new();
        for (vector, of) in &self.embed {
            let texts = of.iter().filter_map(|name| properties.get(name));
            let texts: Vec<String> = texts.map(text_of).collect();
            let text = texts.join("\n");
            if !text.trim().is_empty() {
                embed.push((Arc::clone(vector), text));
            }
        }
        let mut links = Vec::new();
        for link in &self.links {
            for other in row.texts(&link.column, link.split.as_deref())? {
                let other = TypedKey {
                    label: Arc::clone(&link.other),
                    key: other,
                };
                let (from, to) = if link.incoming {
                    (other, key.clone())
                } else {
                    (key.clone(), other)
                };
                links.push(Typed::Edge(TypedEdge {
                    kind: Arc::clone(&link.kind),
                    from,
                    to,
                    properties: BTreeMap::new(),
                    origin: origin.clone(),
                }));
            }
        }
        let mut all = vec![Typed::Node(TypedNode {
            key,
            properties,
            embed,
            origin: origin.clone(),
        })];
        all.append(&mut links);
        Ok(all)
    }

    /// Every column as a property.
    fn all(&self, row: &Row<'_>) -> Result<BTreeMap<String, Value>, BadRecord> {
        let all: BTreeMap<String, Value> = row.all()?.into_iter().collect();
        let mut vectors = self.embed.iter().map(|(vector, _)| vector);
        if let Some(vector) = vectors.find(|vector| all.contains_key(&***vector)) {
            let why = format!(
                "{}: this column has the name of a property that holds a vector; give that another name in `embed`, or list the `properties`",
                excerpt(vector)
            );
            return Err(BadRecord::new(row.place(), Problem::Refused(why)));
        }
        Ok(all)
    }

    /// The columns that it reads.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        let when = self.when.as_ref().map(|when| when.column.as_str());
        // Without a list of properties these are columns under their own names.
        let unlisted = self.embed.iter().flat_map(|(_, of)| of);
        let unlisted = unlisted.chain(&self.metadata);
        let unlisted = unlisted.filter(|_| self.properties.is_none());
        let properties = self.properties.iter().flatten();
        let properties = properties.map(|property| property.column.as_str());
        let properties = properties.chain(unlisted.map(String::as_str));
        let links = self.links.iter().map(|link| link.column.as_str());
        let keys = self.key.iter().map(String::as_str);
        let all = when.into_iter().chain(self.label.column());
        all.chain(keys).chain(properties).chain(links)
    }

    /// Adds what it may bring.
    pub(super) fn declare(&self, schema: &mut TypedSchema) {
        for label in self.label.names() {
            let declared = schema.labels.entry(Arc::clone(label)).or_default();
            let vectors = self.embed.iter().map(|(vector, _)| Arc::clone(vector));
            declared.vectors.extend(vectors);
            declared.metadata.extend(self.metadata.iter().cloned());
            let listed = self.properties.iter().flatten();
            let listed = listed.map(|property| property.name.clone());
            declared.properties.extend(listed);
            for link in &self.links {
                let (from, to) = if link.incoming {
                    (&link.other, label)
                } else {
                    (label, &link.other)
                };
                let ends = (Arc::clone(&link.kind), Arc::clone(from), Arc::clone(to));
                schema.types.insert(ends);
            }
        }
        for link in &self.links {
            schema.labels.entry(Arc::clone(&link.other)).or_default();
        }
    }
}

impl EdgeRule {
    /// What the row states; nothing if the rule is not for it.
    pub(super) fn apply(&self, row: &Row<'_>, origin: &Origin) -> Result<Option<Typed>, BadRecord> {
        if !fits(self.when.as_ref(), row)? {
            return Ok(None);
        }
        let end = |end: &End, what| match row.text(&end.column)? {
            Some(key) => Ok(TypedKey {
                label: Arc::clone(&end.label),
                key: key.into_owned(),
            }),
            None => Err(BadRecord::new(row.place(), Problem::Missing(what))),
        };
        Ok(Some(Typed::Edge(TypedEdge {
            kind: self.kind.of(row)?,
            from: end(&self.from, "key in the column of its beginning")?,
            to: end(&self.to, "key in the column of its end")?,
            properties: read(&self.properties, row)?,
            origin: origin.clone(),
        })))
    }

    /// The columns that it reads.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        let when = self.when.as_ref().map(|when| when.column.as_str());
        let properties = self.properties.iter();
        let properties = properties.map(|property| property.column.as_str());
        let ends = [self.from.column.as_str(), self.to.column.as_str()];
        let all = when.into_iter().chain(self.kind.column());
        all.chain(ends).chain(properties)
    }

    /// Adds what it may bring.
    pub(super) fn declare(&self, schema: &mut TypedSchema) {
        for label in [&self.from.label, &self.to.label] {
            schema.labels.entry(Arc::clone(label)).or_default();
        }
        for kind in self.kind.names() {
            let (from, to) = (Arc::clone(&self.from.label), Arc::clone(&self.to.label));
            schema.types.insert((Arc::clone(kind), from, to));
        }
        let listed = self.properties.iter();
        let listed = listed.map(|property| property.name.clone());
        schema.relationship_properties.extend(listed);
    }
}

fn fits(when: Option<&When>, row: &Row<'_>) -> Result<bool, BadRecord> {
    when.map_or(Ok(true), |when| when.fits(row))
}

fn read(properties: &[Property], row: &Row<'_>) -> Result<BTreeMap<String, Value>, BadRecord> {
    let mut all = BTreeMap::new();
    for property in properties {
        if let Some(value) = row.value(&property.column, property.kind)? {
            all.insert(property.name.clone(), value);
        }
    }
    Ok(all)
}

/// What of a value is embedded.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        other => other.to_string(),
    }
}
