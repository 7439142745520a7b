//! The checks of a dump, line by line: checked nodes and relationships out, or what is wrong.
//!
//! Everything that can be known without a database is checked here: the order of lines and ids, that
//! ends are there, counts, and the checksum. What goes on to a [`Sink`] is whole and in order.

use super::decode::{self, BadLine, Line, NodeLine, RelationshipLine, Text};
use super::error::DumpError;
use super::lines::{EndLine, Header, NameLine, NextLine};
use super::names::SharedNames;
use super::output::checksum_text;
use super::read::{DumpContents, LoadOptions};
use super::sink::{Name, NodeItem, RelationshipItem, Rest, Sink};
use super::values::{Properties, find_large_integer, has_large_float, with_whole_zeros};
use crate::catalog::{MAX_ID, MAX_SCHEMA_ID};
use crate::error::{Error, Result};
use crate::value::json::BadJson;
use crate::value::{NodeId, RelationshipId, Value, check_storable};
use roaring::RoaringTreemap;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// The parts of a dump, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Header,
    Names,
    Declarations,
    Nodes,
    Relationships,
    Members,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Names => "name",
            Self::Declarations => "declaration",
            Self::Nodes => "node",
            Self::Relationships => "relationship",
            Self::Members => "member",
        }
    }
}

impl BadLine {
    pub(super) fn at(self, line: u64) -> DumpError {
        DumpError::Line {
            line,
            column: self.column,
            problem: self.problem,
        }
    }
}

/// Where reading is, and what was found so far.
pub(super) struct Reader<'o> {
    options: &'o LoadOptions,
    header: Header,
    next: NextLine,
    /// The line that is being read, from 1.
    pub(super) line: u64,
    part: Part,
    found: DumpContents,
    last_relationship: Option<u64>,
    /// All nodes so far: dense ids take next to nothing.
    nodes: RoaringTreemap,
    labels: SharedNames,
    types: SharedNames,
    properties: SharedNames,
    hash: Box<Xxh3>,
    /// What the sink learns of when all lines are proved.
    pub(super) rest: Rest,
}

impl<'o> Reader<'o> {
    pub(super) fn new(options: &'o LoadOptions, header: Header) -> Result<Self, DumpError> {
        if header.canonical {
            return Err(DumpError::Canonical);
        }
        let wrong = |problem: &str| DumpError::Line {
            line: 1,
            column: None,
            problem: problem.to_owned(),
        };
        let next = header.next.ok_or_else(|| wrong("missing field `next`"))?;
        if next.node > MAX_ID || next.relationship > MAX_ID || next.declaration > MAX_SCHEMA_ID {
            return Err(wrong("the next ids are higher than ids can be"));
        }
        Ok(Self {
            options,
            header,
            next,
            line: 1,
            part: Part::Header,
            found: DumpContents::default(),
            last_relationship: None,
            nodes: RoaringTreemap::new(),
            labels: SharedNames::new("label"),
            types: SharedNames::new("relationship type"),
            properties: SharedNames::new("property key"),
            hash: Box::default(),
            rest: Rest {
                next: next.into(),
                ..Rest::default()
            },
        })
    }

    /// Counts a line that is done.
    pub(super) fn pass(&mut self, line: &[u8], bytes: u64) {
        self.hash.update(line);
        if bytes > line.len() as u64 {
            self.hash.update(b"\n");
        }
        self.found.bytes += bytes;
    }

    /// What is being loaded, how much of it is done, and how much there is, as the header says.
    pub(super) fn progress(&self) -> (&'static str, u64, u64) {
        let what = match self.part {
            Part::Relationships | Part::Members => "load relationships",
            _ => "load nodes",
        };
        let done = self.found.nodes + self.found.relationships;
        let total = self.header.nodes.saturating_add(self.header.relationships);
        (what, done.min(total), total)
    }

    /// Takes a line; returns it if it is the end line.
    pub(super) fn take(&mut self, text: &str, sink: &mut impl Sink) -> Result<Option<EndLine>> {
        let line = self.line;
        let text = &*with_whole_zeros(text);
        match decode::decode(text).map_err(|bad| bad.at(line))? {
            Line::End(end) => return Ok(Some(end)),
            Line::Header(_) => return Err(self.misplaced("header")),
            Line::Name(name) => {
                self.enter(Part::Names)?;
                let name = match name {
                    NameLine::Label(name) => Name::Label(self.labels.share(&name, line)?),
                    NameLine::Type(name) => Name::Type(self.types.share(&name, line)?),
                    NameLine::Property(name) => Name::Property(self.properties.share(&name, line)?),
                };
                sink.name(line, name)?;
            }
            declared @ (Line::Index(_)
            | Line::VectorIndex(_)
            | Line::TextIndex(_)
            | Line::Constraint(_)
            | Line::Hierarchy(_)) => {
                self.enter(Part::Declarations)?;
                if let Line::Hierarchy(hierarchy) = &declared {
                    let name: Arc<str> = hierarchy.hierarchy.as_str().into();
                    self.rest.members.entry(name).or_default();
                }
                self.rest.declarations.add(line, declared)?;
            }
            Line::Node(node) => {
                self.enter(Part::Nodes)?;
                sink.node(self.node(text, node)?)?;
            }
            Line::Relationship(relationship) => {
                self.enter(Part::Relationships)?;
                sink.relationship(self.relationship(text, relationship)?)?;
            }
            Line::Member(member) => {
                self.enter(Part::Members)?;
                self.expect_node("member", member.member)?;
                let name: Arc<str> = member.hierarchy.as_str().into();
                let Some(members) = self.rest.members.get_mut(&name) else {
                    return Err(DumpError::UnknownHierarchy { line, name }.into());
                };
                self.found.members += u64::from(members.insert(member.member));
            }
        }
        Ok(None)
    }

    /// Parts come in one order; each may be missing.
    fn enter(&mut self, part: Part) -> Result<()> {
        if part < self.part {
            return Err(self.misplaced(part.name()));
        }
        self.part = part;
        Ok(())
    }

    fn misplaced(&self, found: &'static str) -> Error {
        DumpError::Misplaced {
            line: self.line,
            found,
            after: self.part.name(),
        }
        .into()
    }

    fn node(&mut self, text: &str, line: NodeLine<'_>) -> Result<NodeItem> {
        let last = self.nodes.max();
        self.check_id("node", line.node, last, self.next.node)?;
        self.nodes.insert(line.node);
        self.found.nodes += 1;
        let labels = line.labels.iter();
        let labels = labels.map(|label| self.labels.share(&label.0, self.line));
        Ok(NodeItem {
            line: self.line,
            node: NodeId::new(line.node),
            labels: labels.collect::<Result<_>>()?,
            properties: self.properties(text, line.properties)?,
        })
    }

    fn relationship(&mut self, text: &str, line: RelationshipLine<'_>) -> Result<RelationshipItem> {
        let id = line.relationship;
        self.check_id(
            "relationship",
            id,
            self.last_relationship,
            self.next.relationship,
        )?;
        self.last_relationship = Some(id);
        self.found.relationships += 1;
        self.expect_node("from", line.from)?;
        self.expect_node("to", line.to)?;
        Ok(RelationshipItem {
            line: self.line,
            relationship: RelationshipId::new(id),
            relationship_type: self.types.share(&line.relationship_type.0, self.line)?,
            source: NodeId::new(line.from),
            target: NodeId::new(line.to),
            properties: self.properties(text, line.properties)?,
        })
    }

    fn check_id(&self, what: &'static str, id: u64, last: Option<u64>, next: u64) -> Result<()> {
        let line = self.line;
        if let Some(last) = last
            && id <= last
        {
            return Err(DumpError::IdOrder {
                line,
                what,
                id,
                last,
            }
            .into());
        }
        let limit = if self.options.ignore_checksum {
            MAX_ID
        } else {
            next
        };
        if id >= limit {
            return Err(DumpError::IdRange {
                line,
                what,
                id,
                limit,
            }
            .into());
        }
        Ok(())
    }

    fn expect_node(&self, field: &'static str, node: u64) -> Result<()> {
        if self.nodes.contains(node) {
            return Ok(());
        }
        let line = self.line;
        Err(DumpError::Dangling { line, field, node }.into())
    }

    fn properties(
        &mut self,
        text: &str,
        properties: Properties<'_>,
    ) -> Result<Vec<(Arc<str>, Value)>> {
        let line = self.line;
        let mut values = Vec::with_capacity(properties.0.len());
        let mut suspicious = false;
        for (Text(name), parsed) in properties.0 {
            let property = self.properties.share(&name, line)?;
            let value = parsed.into_value().map_err(|source| DumpError::Value {
                line,
                property: Arc::clone(&property),
                source: Box::new(source),
            })?;
            check_storable(&value).map_err(|source| DumpError::Refused {
                line,
                source: Box::new(Error::NotStorable {
                    property: Arc::clone(&property),
                    source: Box::new(source),
                }),
            })?;
            suspicious |= has_large_float(&value);
            values.push((property, value));
        }
        if suspicious && let Some((at, problem)) = find_large_integer(text) {
            let path = "$".to_owned();
            return Err(DumpError::Line {
                line,
                column: Some(at as u64 + 1),
                problem: BadJson { path, problem }.problem.to_string(),
            }
            .into());
        }
        Ok(values)
    }

    /// Holds what was found against what the header and the end line say, which has so many bytes.
    pub(super) fn prove(&mut self, end: &EndLine, bytes: u64) -> Result<DumpContents> {
        self.found.bytes += bytes;
        let names = self.labels.len() + self.types.len() + self.properties.len();
        self.found.names = names as u64;
        self.found.declarations = self.rest.declarations.len() as u64;
        let found = self.found;
        if self.options.ignore_checksum {
            return Ok(found);
        }
        let (header, said) = (&self.header, &end.end);
        for (place, what, stated, found) in [
            ("end line", "nodes", said.nodes, found.nodes),
            (
                "end line",
                "relationships",
                said.relationships,
                found.relationships,
            ),
            ("header", "nodes", header.nodes, found.nodes),
            (
                "header",
                "relationships",
                header.relationships,
                found.relationships,
            ),
        ] {
            if stated != found {
                return Err(DumpError::Count {
                    place,
                    what,
                    stated,
                    found,
                }
                .into());
            }
        }
        let checksum = checksum_text(&self.hash);
        if checksum != said.checksum {
            let stated = said.checksum.chars().take(40).collect();
            return Err(DumpError::Checksum {
                stated,
                found: checksum,
            }
            .into());
        }
        Ok(found)
    }
}
