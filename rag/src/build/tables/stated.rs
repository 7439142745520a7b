//! What the rows of a mapping state: nodes by label and key, relationships by the keys of their ends, each once.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stratigraph::Value;

use super::declare::check_node;
use super::progress::{TablesStep, Telling};
use super::{KEY, MOST_STATED, MOST_TOLD, TablesError, TablesLimits, TablesReport};
use crate::read::{
    Origin, Place, ReadError, SilentFile, TableMapping, Typed, TypedEdge, TypedKey, TypedNode,
};

/// Properties by name.
pub(super) type Properties = BTreeMap<String, Value>;

/// What a node or a relationship takes in memory beside what it says, about.
const PLACE: usize = 256;
/// What a property takes beside its name and value, about.
const ENTRY: usize = 64;

/// What a mapping states.
#[derive(Default)]
pub(super) struct Stated {
    pub(super) nodes: BTreeMap<TypedKey, StatedNode>,
    pub(super) edges: BTreeSet<StatedEdge>,
    /// The files of which no row could be read.
    pub(super) silent: Vec<SilentFile>,
    /// About how many bytes all of it takes. What is stated twice counts twice: it is bounded, not measured.
    bytes: usize,
}

/// A node that is stated.
pub(super) struct StatedNode {
    pub(super) properties: Properties,
    /// The properties that hold vectors, with the texts that are embedded.
    pub(super) embed: BTreeMap<Arc<str>, String>,
    pub(super) origin: Origin,
    /// Whether a row states it, and not only a relationship that ends at it.
    is_stated: bool,
}

/// A relationship that is stated. Its properties are written out, as values have an order of their own in which some are
/// equal that are not the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StatedEdge {
    pub(super) from: TypedKey,
    pub(super) kind: Arc<str>,
    pub(super) to: TypedKey,
    pub(super) written: String,
    pub(super) properties: Ignored<Properties>,
}

/// What does not tell two relationships apart, as its text does.
#[derive(Clone, Debug)]
pub(super) struct Ignored<T>(pub(super) T);

impl Stated {
    pub(super) fn read(
        mapping: &TableMapping,
        limits: &TablesLimits,
        report: &mut TablesReport,
        telling: &mut Telling<'_>,
    ) -> Result<Self, TablesError> {
        let mut stated = Self::default();
        telling.begin(TablesStep::Read, mapping.bytes())?;
        let mut rows = mapping.rows().cancel(&limits.cancel);
        while let Some(row) = rows.next() {
            telling.one(rows.bytes())?;
            let taken = match row {
                // What is not stated goes out of the graph, and what the rest of this file states is not known.
                Err(error) if rows.is_cut_short() => return Err(TablesError::CutShort(error)),
                Err(error) => Err(error),
                Ok(Typed::Node(node)) => {
                    check_node(&node)?;
                    stated.node(node)
                }
                Ok(Typed::Edge(edge)) => {
                    stated.edge(edge);
                    Ok(())
                }
            };
            if let Err(error) = taken {
                report.count_broken += 1;
                if report.broken.len() < MOST_TOLD {
                    report.broken.push(error);
                }
            }
            if stated.nodes.len() + stated.edges.len() > MOST_STATED {
                return Err(TablesError::TooMany);
            }
            if stated.bytes > limits.memory {
                let limit = limits.memory;
                return Err(TablesError::TooLarge { limit });
            }
        }
        // Rows end early if somebody cancels it, and that is seen here.
        telling.end()?;
        report.untaken = rows.untaken();
        stated.silent = rows.silent().to_vec();
        Ok(stated)
    }

    fn node(&mut self, node: TypedNode) -> Result<(), ReadError> {
        let mut properties = node.properties;
        // A number is its text as a key, so such a column says the same.
        let key = |said: &Value| match said {
            Value::Int(number) => node.key.key == number.to_string(),
            said => said.as_str() == Some(&*node.key.key),
        };
        if properties.get(KEY).is_some_and(|said| !key(said)) {
            let reason = "a property named `key` says something else than the key".to_owned();
            return Err(bad(
                &node.origin,
                reason,
                "give it another name in the mapping",
            ));
        }
        properties.remove(KEY);
        let embedded = node.embed.iter().map(|(_, text)| ENTRY + text.len());
        self.bytes += PLACE + node.key.key.len() + bytes(&properties) + embedded.sum::<usize>();
        let new = StatedNode {
            properties,
            embed: node.embed.into_iter().collect(),
            origin: node.origin,
            is_stated: true,
        };
        match self.nodes.entry(node.key) {
            Entry::Vacant(place) => {
                place.insert(new);
            }
            Entry::Occupied(mut place) if !place.get().is_stated => {
                place.insert(new);
            }
            Entry::Occupied(place) => {
                let before = place.get();
                let same = written(&before.properties) == written(&new.properties)
                    && before.embed == new.embed;
                if !same {
                    let TypedKey { label, key } = place.key();
                    let reason = format!(
                        "{label} {key:?} is stated a second time, and not as in line {}, which stands",
                        before.origin.line
                    );
                    return Err(bad(&new.origin, reason, "mend one of both"));
                }
            }
        }
        Ok(())
    }

    fn edge(&mut self, edge: TypedEdge) {
        for end in [&edge.from, &edge.to] {
            self.bytes += PLACE + 2 * end.key.len();
            // What is referred to is there, if only by its key.
            self.nodes.entry(end.clone()).or_insert_with(|| StatedNode {
                properties: Properties::new(),
                embed: BTreeMap::new(),
                origin: edge.origin.clone(),
                is_stated: false,
            });
        }
        let written = written(&edge.properties);
        self.bytes += PLACE + written.len() + bytes(&edge.properties);
        self.edges.insert(StatedEdge {
            written,
            from: edge.from,
            kind: edge.kind,
            to: edge.to,
            properties: Ignored(edge.properties),
        });
    }
}

fn bad(origin: &Origin, reason: String, hint: &str) -> ReadError {
    let line = usize::try_from(origin.line).unwrap_or(usize::MAX);
    ReadError::new(&origin.file, Place::Line(line), reason, hint)
}

/// About how many bytes properties take.
fn bytes(properties: &Properties) -> usize {
    let each = properties.iter();
    each.map(|(name, value)| ENTRY + name.len() + value.held_bytes())
        .sum()
}

/// Properties as a text that tells all values apart.
pub(super) fn written(properties: &Properties) -> String {
    format!("{properties:?}")
}

impl<T> PartialEq for Ignored<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Ignored<T> {}

impl<T> PartialOrd for Ignored<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Ignored<T> {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}
