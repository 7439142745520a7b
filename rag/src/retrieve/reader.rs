//! Reading what things of the graph say, many at once: first everything that all of them need, kind by kind, and then
//! each is put together from what was read. One at a time would ask the store eight times for each.

use std::collections::{BTreeSet, HashMap};

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::{Direction, Node, NodeId, Read, Relationship, RelationshipId, Value};

use super::allowed::MOST_LOOKED_THROUGH;
use super::evidence::{headed, joined, kind_of, row, said_of_instance, text_of, texts_of};
use super::known::{Known, stating};
use super::{Desk, Evidence, Item, Name, Place, RetrieveError};
use crate::build::{FACT, Label, LinkKind};

/// The most places of one thing that are told: half of all documents may say it.
const MOST_PLACES: usize = 16;
/// So many things are read together at most.
pub(super) const TOGETHER: usize = 1000;
/// What a node of the layers says, and where; not its vectors, nor what they were made of.
const OF_NODE: [&str; 14] = [
    "key",
    "heading",
    "text",
    "title",
    "name",
    "summary",
    "descriptions",
    "sentences",
    "chunks",
    "document",
    "start",
    "end",
    "first_page",
    "last_page",
];
/// What a relationship says; not its vectors.
const OF_RELATIONSHIP: [&str; 5] = ["key", "predicate", "description", "source", "chunk"];

/// What each of these says to a question, as one text; nothing for what is not there any more.
pub(super) fn read_out<R: Read>(
    desk: &Desk<'_, R>,
    items: &[Item],
) -> Result<Vec<String>, RetrieveError> {
    let mut reader = Reader::new(desk.read()).among(desk.chosen()?);
    let mut texts = Vec::with_capacity(items.len());
    for items in items.chunks(TOGETHER) {
        let said = reader.evidence_of(items.iter().map(|item| item.entity))?;
        let read_out =
            |said: Option<Evidence>| said.map_or_else(String::new, |said| said.read_out());
        texts.extend(said.into_iter().map(read_out));
    }
    Ok(texts)
}

/// Reads what things say. What several of them lead to is read once.
pub(super) struct Reader<'a, R> {
    read: &'a R,
    known: Known<'a, R>,
    among: Option<&'a RoaringTreemap>,
}

/// A chunk, and its link to what it speaks of.
type LinkOf = (NodeId, RelationshipId);

/// What was read of some things, before anything is put together.
#[derive(Default)]
struct Drafts {
    nodes: HashMap<NodeId, Node>,
    relationships: HashMap<RelationshipId, Relationship>,
    /// The chunks that say it.
    chunks: HashMap<Entity, Vec<NodeId>>,
    /// What they say of it, where no summary tells.
    descriptions: HashMap<NodeId, BTreeSet<String>>,
}

impl<'a, R: Read> Reader<'a, R> {
    pub(super) fn new(read: &'a R) -> Self {
        Self {
            read,
            known: Known::new(read),
            among: None,
        }
    }

    /// Reads only what these chunks say, if any are chosen, and tells only their places. A summary is made of what all
    /// documents say, that of a domain also of those above it, so none is told then.
    pub(super) fn among(mut self, chunks: Option<&'a RoaringTreemap>) -> Self {
        self.among = chunks;
        self
    }

    /// How many chunks are looked at for the places of one thing.
    fn looked_at(&self) -> usize {
        match self.among {
            Some(_) => MOST_LOOKED_THROUGH,
            None => MOST_PLACES,
        }
    }

    fn is_chosen(&self, chunk: NodeId) -> bool {
        self.among.is_none_or(|among| among.contains(chunk.get()))
    }

    /// Of these chunks those whose places are told.
    fn told(&self, chunks: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
        let chosen = chunks.filter(|chunk| self.is_chosen(*chunk));
        chosen.take(MOST_PLACES).collect()
    }

    /// The links of a kind to each of these from the chunks whose places are told, each behind its chunk.
    fn links_to(&self, ids: &[NodeId], by: LinkKind) -> Result<Vec<Vec<LinkOf>>, RetrieveError> {
        if let Some(few) = self.among.filter(|among| among.len() <= MOST_PLACES as u64) {
            let links = ids.iter().map(|id| self.links_from(few, *id, by));
            return links.collect();
        }
        let (incoming, by) = (Direction::Incoming, Some(by.name()));
        let links = self
            .read
            .neighbours_of_each(ids, incoming, by, self.looked_at())?;
        let told = links.iter().map(|links| {
            let chosen = links.iter().filter(|link| self.is_chosen(link.node));
            let chosen = chosen.map(|link| (link.node, link.relationship));
            chosen.take(MOST_PLACES).collect()
        });
        Ok(told.collect())
    }

    /// The same of few chunks, which are asked themselves: they may be anywhere among all that speak of it.
    fn links_from(
        &self,
        chunks: &RoaringTreemap,
        id: NodeId,
        by: LinkKind,
    ) -> Result<Vec<LinkOf>, RetrieveError> {
        let mut links = Vec::new();
        for chunk in chunks {
            let chunk = NodeId::new(chunk);
            for link in self
                .read
                .relationships_between(chunk, id, Some(by.name()))?
            {
                links.push((chunk, link?.relationship));
            }
        }
        links.truncate(MOST_PLACES);
        Ok(links)
    }

    /// Whether it is its summary that tells what it is.
    fn is_summed_up(&self, node: &Node) -> bool {
        self.among.is_none() && !text_of(node, "summary").is_empty()
    }

    /// What this says; nothing if it is not there.
    pub(super) fn evidence(&mut self, entity: Entity) -> Result<Option<Evidence>, RetrieveError> {
        Ok(self.evidence_of([entity])?.pop().flatten())
    }

    /// What each of these says, in their order; nothing for what is not there.
    pub(super) fn evidence_of(
        &mut self,
        entities: impl IntoIterator<Item = Entity>,
    ) -> Result<Vec<Option<Evidence>>, RetrieveError> {
        let entities: Vec<Entity> = entities.into_iter().collect();
        let drafts = self.drafts(&entities)?;
        let said = entities.iter().map(|entity| match entity {
            Entity::Node(id) => {
                let node = drafts.nodes.get(id);
                Ok(node.map(|node| self.of_node(node, &drafts)))
            }
            Entity::Relationship(id) => {
                let found = drafts.relationships.get(id);
                found
                    .map(|found| self.of_relationship(found, &drafts))
                    .transpose()
            }
        });
        said.collect()
    }

    /// What these items say, those that are there; and reads the [names](Self::name) of what led to them.
    pub(super) fn items<'i>(
        &mut self,
        items: &'i [Item],
    ) -> Result<Vec<(&'i Item, Evidence)>, RetrieveError> {
        let said = self.evidence_of(items.iter().map(|item| item.entity))?;
        let found = items.iter().zip(said);
        let found = found.filter_map(|(item, said)| Some((item, said?)));
        let found: Vec<(&Item, Evidence)> = found.collect();
        let ways = found.iter().flat_map(|(item, _)| &item.way);
        self.known.read_names(ways.map(|step| step.from))?;
        Ok(found)
    }

    /// What something is called that led to an item.
    pub(super) fn name(&self, entity: Entity) -> Name {
        self.known.name(entity)
    }

    /// Reads all that is needed to say what these say.
    fn drafts(&mut self, entities: &[Entity]) -> Result<Drafts, RetrieveError> {
        let mut drafts = Drafts::default();
        let (mut nodes, mut relationships) = (Vec::new(), Vec::new());
        for entity in entities {
            match entity {
                Entity::Node(id) => nodes.push(*id),
                Entity::Relationship(id) => relationships.push(*id),
            }
        }
        for node in self
            .read
            .nodes_with(&nodes, &OF_NODE)?
            .into_iter()
            .flatten()
        {
            // A row of a table says all that it has.
            let node = match label_of(&node) {
                Some(_) => Some(node),
                None => self.read.node(node.id())?,
            };
            drafts.nodes.extend(node.map(|node| (node.id(), node)));
        }
        let found = self
            .read
            .relationships_with(&relationships, &OF_RELATIONSHIP)?;
        let found = found.into_iter().flatten();
        drafts
            .relationships
            .extend(found.map(|found| (found.id(), found)));
        self.read_stated(&mut drafts)?;
        self.read_shared(&mut drafts)?;
        self.read_listed(&mut drafts)?;
        let ends = drafts.relationships.values();
        let ends = ends.flat_map(|found| [found.source(), found.target()]);
        self.known.read_names(ends.map(Entity::from))?;
        let own = drafts.nodes.values().filter(|node| stands_itself(node));
        self.known
            .read_places(drafts.chunks.values().flatten().copied(), own)?;
        Ok(drafts)
    }

    /// Which chunks state the facts.
    fn read_stated(&mut self, drafts: &mut Drafts) -> Result<(), RetrieveError> {
        let facts = drafts.relationships.values();
        let facts: Vec<&Relationship> = facts
            .filter(|found| found.relationship_type() == FACT)
            .collect();
        let keys: Vec<&str> = facts.iter().map(|fact| said(fact, "key")).collect();
        let chunks = stating(self.read, &keys, self.looked_at())?.into_iter();
        let chunks = chunks.map(|chunks| self.told(chunks.into_iter()));
        let facts = facts.into_iter().map(|fact| Entity::from(fact.id()));
        drafts.chunks.extend(facts.zip(chunks));
        Ok(())
    }

    /// Which chunks speak of the entities and domains, and what they say of those that no summary tells of.
    fn read_shared(&mut self, drafts: &mut Drafts) -> Result<(), RetrieveError> {
        for (label, by) in [
            (Label::Entity, LinkKind::Mentions),
            (Label::DomainTag, LinkKind::Describes),
        ] {
            let nodes = drafts.nodes.values();
            let nodes = nodes.filter(|node| label_of(node) == Some(label));
            let (ids, summed_up): (Vec<NodeId>, Vec<bool>) = nodes
                .map(|node| (node.id(), self.is_summed_up(node)))
                .unzip();
            if ids.is_empty() {
                continue;
            }
            let mut telling = Vec::new();
            let links = self.links_to(&ids, by)?;
            for ((id, links), is_summed_up) in ids.into_iter().zip(links).zip(summed_up) {
                if !is_summed_up {
                    drafts.descriptions.entry(id).or_default();
                    telling.extend(links.iter().map(|(_, link)| *link));
                }
                let chunks = links.into_iter().map(|(chunk, _)| chunk);
                drafts.chunks.insert(id.into(), chunks.collect());
            }
            let telling = self.read.relationships_with(&telling, &["description"])?;
            for link in telling.iter().flatten() {
                let of = drafts.descriptions.entry(link.target()).or_default();
                let description = link.get("description").and_then(Value::as_str);
                of.extend(description.map(str::to_owned));
            }
        }
        Ok(())
    }

    /// Which chunks instances, and relationships of tables, list by their keys.
    fn read_listed(&mut self, drafts: &mut Drafts) -> Result<(), RetrieveError> {
        let Drafts {
            nodes,
            relationships,
            chunks,
            ..
        } = drafts;
        let instances = nodes
            .values()
            .filter(|node| label_of(node) == Some(Label::Instance));
        let most = self.looked_at();
        let mut listed: Vec<(Entity, Vec<&str>)> = instances
            .map(|node| {
                (
                    node.id().into(),
                    texts_of(node, "chunks").take(most).collect(),
                )
            })
            .collect();
        let found = relationships
            .values()
            .filter(|found| found.relationship_type() != FACT);
        listed.extend(found.filter_map(|found| {
            let chunk = found.get("chunk").and_then(Value::as_str)?;
            Some((found.id().into(), vec![chunk]))
        }));
        self.known
            .read_chunks(listed.iter().flat_map(|(_, keys)| keys).copied())?;
        for (entity, keys) in listed {
            let found = keys.into_iter().filter_map(|key| self.known.chunk(key));
            chunks.insert(entity, self.told(found));
        }
        Ok(())
    }

    fn of_node(&self, node: &Node, drafts: &Drafts) -> Evidence {
        let (text, places) = match label_of(node) {
            Some(Label::Chunk) => (text_of(node, "text"), self.own_place(node)),
            Some(Label::Document | Label::Section) => {
                (text_of(node, "title"), self.own_place(node))
            }
            Some(Label::Instance) => (said_of_instance(node), self.places(node.id(), drafts)),
            Some(Label::Entity | Label::DomainTag) => {
                (said_of_shared(node, drafts), self.places(node.id(), drafts))
            }
            None => (row(node), Vec::new()),
        };
        Evidence {
            name: Name {
                kind: kind_of(node),
                key: text_of(node, "key"),
            },
            heading: text_of(node, "heading"),
            text,
            places,
        }
    }

    fn of_relationship(
        &self,
        found: &Relationship,
        drafts: &Drafts,
    ) -> Result<Evidence, RetrieveError> {
        let kind = found.relationship_type();
        let (subject, object) = (
            self.known.end(found.source())?,
            self.known.end(found.target())?,
        );
        let predicate = match said(found, "predicate") {
            "" => kind,
            predicate => predicate,
        };
        let stated = format!("{subject} {predicate} {object}");
        let rest = [said(found, "description"), said(found, "source")];
        let key = match said(found, "key") {
            "" => format!("{}", found.id().get()),
            key => key.to_owned(),
        };
        Ok(Evidence {
            name: Name {
                kind: kind.to_owned(),
                key,
            },
            heading: String::new(),
            text: headed(&stated, &joined(rest.into_iter())),
            places: self.places(found.id(), drafts),
        })
    }

    fn places(&self, of: impl Into<Entity>, drafts: &Drafts) -> Vec<Place> {
        let chunks = drafts.chunks.get(&of.into());
        chunks.map_or_else(Vec::new, |chunks| self.known.places(chunks))
    }

    fn own_place(&self, node: &Node) -> Vec<Place> {
        self.known.own_place(node).into_iter().collect()
    }
}

/// Its label of the layers; none of a row of a table.
fn label_of(node: &Node) -> Option<Label> {
    let mut labels = Label::ALL.into_iter();
    labels.find(|label| node.has_label(label.name()))
}

/// Whether it stands in a document by itself.
fn stands_itself(node: &Node) -> bool {
    let label = label_of(node);
    matches!(label, Some(Label::Chunk | Label::Document | Label::Section))
}

fn said<'r>(found: &'r Relationship, name: &str) -> &'r str {
    found.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// An entity or a domain: its summary, or what chunks say of it.
fn said_of_shared(node: &Node, drafts: &Drafts) -> String {
    let name = match text_of(node, "name") {
        name if name.is_empty() => text_of(node, "key"),
        name => name,
    };
    let text = match drafts.descriptions.get(&node.id()) {
        Some(said) => joined(said.iter().map(String::as_str)),
        None => text_of(node, "summary"),
    };
    // Summaries by rules begin with what they are of.
    match text.starts_with(&name) {
        true => text,
        false => headed(&name, &text),
    }
}
