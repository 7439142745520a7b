//! The database's answers, through a read transaction.
//!
//! First every way is gone by which a node or a relationship of the writer can be come upon; questions
//! are asked about whatever turned up in any of them.

use super::content::{show, show_all};
use super::face::{Face, Nodes, Relationships, Wanted};
use super::names::{DIMENSIONS, KEY, Lookup, MEANING, Names, Searched, Tint, Type};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use stratigraph::value::{NodeId, RelationshipId};
use stratigraph::{
    Direction, Effort, Entity, Error, Read, ReadTxn, Result, TextSearch, Value, VectorSearch,
};

/// A database that is asked.
pub(super) struct StoredFace<'a> {
    read: &'a ReadTxn,
    names: Names,
    nodes: BTreeSet<NodeId>,
    relationships: BTreeSet<RelationshipId>,
    /// What was found in records, unless something stood in the way.
    stored_nodes: Option<Vec<NodeId>>,
    stored_relationships: BTreeMap<Type, Vec<RelationshipId>>,
    /// Names that were read already.
    known: RefCell<BTreeMap<(bool, u64), String>>,
    /// What stood in the way of finding nodes and relationships, and of their names.
    errors: RefCell<Vec<Error>>,
}

impl<'a> StoredFace<'a> {
    /// Goes every way.
    pub(super) fn explore(read: &'a ReadTxn, names: Names) -> Self {
        let mut face = Self {
            read,
            names,
            nodes: BTreeSet::new(),
            relationships: BTreeSet::new(),
            stored_nodes: None,
            stored_relationships: BTreeMap::new(),
            known: RefCell::default(),
            errors: RefCell::default(),
        };
        // One way that fails leaves the others.
        let by_label = read.nodes_with_label(&names.label());
        face.nodes
            .extend(face.listen(by_label).into_iter().flatten().map(NodeId::new));
        face.stored_nodes = face.listen(face.read_nodes());
        face.nodes.extend(face.stored_nodes.iter().flatten());
        let by_key = face.matches(Lookup::Key, &Wanted::All);
        face.note_entities(by_key);
        for of in Type::ALL {
            let by_type = read.relationships_of_type(&names.relationship_type(of));
            let by_type = face.listen(by_type).into_iter().flatten();
            face.relationships.extend(by_type.map(RelationshipId::new));
        }
        face.stored_relationships = face.listen(face.read_relationships()).unwrap_or_default();
        let by_record = face.stored_relationships.values().flatten();
        face.relationships.extend(by_record);
        let by_key = face.matches(Lookup::LinkKey, &Wanted::All);
        face.note_entities(by_key);
        for node in face.nodes.clone() {
            let seen = read.neighbours(node, Direction::Both, None);
            let seen = seen.and_then(Iterator::collect::<Result<Vec<_>>>);
            for neighbour in face.listen(seen).into_iter().flatten() {
                face.relationships.insert(neighbour.relationship);
            }
        }
        face
    }

    /// What stood in the way of finding out what there is.
    pub(super) fn into_errors(self) -> Vec<Error> {
        self.errors.into_inner()
    }

    fn listen<T>(&self, said: Result<T>) -> Option<T> {
        match said {
            Ok(said) => Some(said),
            // Not declared yet, which is an answer when it is asked for itself.
            Err(Error::UnknownName { .. } | Error::IndexNotReady { .. }) => None,
            Err(error) => {
                self.errors.borrow_mut().push(error);
                None
            }
        }
    }

    fn note_entities(&mut self, found: Result<Vec<Entity>>) {
        for entity in self.listen(found).into_iter().flatten() {
            match entity {
                Entity::Node(node) => drop(self.nodes.insert(node)),
                Entity::Relationship(found) => drop(self.relationships.insert(found)),
            }
        }
    }

    /// Every node whose record has the label.
    fn read_nodes(&self) -> Result<Vec<NodeId>> {
        let (mut found, label) = (Vec::new(), self.names.label());
        for node in self.read.node_ids()? {
            let record = self.read.node(node?)?;
            found.extend(
                record
                    .filter(|node| node.has_label(&label))
                    .map(|node| node.id()),
            );
        }
        Ok(found)
    }

    /// Every relationship whose record has one of the types.
    fn read_relationships(&self) -> Result<BTreeMap<Type, Vec<RelationshipId>>> {
        let mut found: BTreeMap<Type, Vec<RelationshipId>> =
            Type::ALL.map(|of| (of, Vec::new())).into();
        let names = Type::ALL.map(|of| (of, self.names.relationship_type(of)));
        for relationship in self.read.relationship_ids()? {
            let Some(record) = self.read.relationship(relationship?)? else {
                continue;
            };
            let mut names = names.iter();
            if let Some((of, _)) = names.find(|(_, name)| name == record.relationship_type()) {
                found.entry(*of).or_default().push(record.id());
            }
        }
        Ok(found)
    }

    /// The key, or what is the matter with it.
    fn name(&self, entity: impl Into<Entity>) -> Result<String> {
        let entity = entity.into();
        let place = match entity {
            Entity::Node(node) => (true, node.get()),
            Entity::Relationship(relationship) => (false, relationship.get()),
        };
        if let Some(name) = self.known.borrow().get(&place) {
            return Ok(name.clone());
        }
        let name = match self.read.property(entity, KEY) {
            Ok(Value::Int(key)) => key.to_string(),
            Ok(other) => format!("#{}-with-key-{}", place.1, show(&other)),
            Err(Error::NodeNotFound { .. } | Error::RelationshipNotFound { .. }) => {
                format!("#{}-which-is-gone", place.1)
            }
            Err(error) => return Err(error),
        };
        self.known.borrow_mut().insert(place, name.clone());
        Ok(name)
    }

    fn sorted<E: Into<Entity>>(&self, found: impl IntoIterator<Item = E>) -> Result<Vec<String>> {
        let names = found.into_iter().map(|entity| self.name(entity));
        let mut names = names.collect::<Result<Vec<String>>>()?;
        names.sort();
        Ok(names)
    }

    /// Names, with the ids that they are of. Two of one name show as two.
    fn known<E: Copy + Into<Entity>>(&self, of: &BTreeSet<E>) -> Vec<(String, E)> {
        let mut named = Vec::new();
        let mut seen = BTreeSet::new();
        for entity in of {
            let Some(mut name) = self.listen(self.name(*entity)) else {
                continue;
            };
            while !seen.insert(name.clone()) {
                name.push_str("-again");
            }
            named.push((name, *entity));
        }
        named
    }

    fn matches(&self, lookup: Lookup, wanted: &Wanted) -> Result<Vec<Entity>> {
        let index = self.read.index(&self.names.lookup(lookup))?;
        match wanted {
            Wanted::All => index
                .all(stratigraph::storage::range::Direction::Forward)?
                .collect(),
            Wanted::Equal(values) => index.equal(values)?.collect(),
            Wanted::Range(from, to) => {
                let value = |bound: &Bound<i64>| bound.map(Value::from);
                index.range((value(from), value(to)))?.collect()
            }
            Wanted::Beginning(prefix) => index.starts_with(prefix)?.collect(),
        }
    }

    /// What is nearest to a vector, every vector compared.
    fn search(&self, of: Searched, vector: &[f32], k: usize) -> Result<Vec<Entity>> {
        let search = VectorSearch::new(vector, k).effort(Effort::Exact);
        let found = self.read.search_vectors(&self.names.vectors(of), &search)?;
        Ok(found.hits.into_iter().map(|hit| hit.entity).collect())
    }

    fn of_type(&self, of: Option<Type>) -> Option<String> {
        of.map(|of| self.names.relationship_type(of))
    }
}

/// What is known of and has no record.
const NO_RECORD: &str = "no record";

impl Face for StoredFace<'_> {
    type Node = NodeId;
    type Relationship = RelationshipId;

    fn known_nodes(&self) -> Vec<(String, NodeId)> {
        self.known(&self.nodes)
    }

    fn known_relationships(&self) -> Vec<(String, RelationshipId)> {
        self.known(&self.relationships)
    }

    fn nodes(&self, of: Nodes) -> Result<Vec<String>> {
        let label = match of {
            Nodes::Labelled => self.names.label(),
            Nodes::Tinted(tint) => self.names.tint(tint),
            Nodes::Stored => {
                return match &self.stored_nodes {
                    Some(stored) => self.sorted(stored.iter().copied()),
                    // It fails again.
                    None => self.sorted(self.read_nodes()?),
                };
            }
            Nodes::Around(direction) => {
                let near = self.nodes.iter().map(|node| node.get()).collect();
                let far = self.read.neighbour_set(&near, direction, None)?;
                return self.sorted(far.into_iter().map(NodeId::new));
            }
        };
        let labelled = self.read.nodes_with_label(&label)?;
        self.sorted(labelled.into_iter().map(NodeId::new))
    }

    fn relationships(&self, of: Relationships) -> Result<Vec<String>> {
        match of {
            Relationships::Stored(of) => match self.stored_relationships.get(&of) {
                Some(stored) => self.sorted(stored.iter().copied()),
                // It fails again.
                None => self.sorted(self.read_relationships()?.into_values().flatten()),
            },
            Relationships::OfType(of) => {
                let of = self.names.relationship_type(of);
                let set = self.read.relationships_of_type(&of)?;
                self.sorted(set.into_iter().map(RelationshipId::new))
            }
        }
    }

    fn node_count(&self, tint: Option<Tint>) -> Result<u64> {
        let label = tint.map_or_else(|| self.names.label(), |tint| self.names.tint(tint));
        self.read.node_count(Some(&label))
    }

    fn relationship_count(&self, of: Type) -> Result<u64> {
        let of = self.names.relationship_type(of);
        self.read.relationship_count(Some(&of))
    }

    fn node(&self, node: NodeId) -> Result<String> {
        let Some(node) = self.read.node(node)? else {
            return Ok(NO_RECORD.into());
        };
        let mut labels: Vec<&str> = node.labels().collect();
        labels.sort_unstable();
        Ok(format!(
            "{}, {}",
            labels.join(" "),
            show_all(node.properties())
        ))
    }

    fn relationship(&self, relationship: RelationshipId) -> Result<String> {
        let Some(found) = self.read.relationship(relationship)? else {
            return Ok(NO_RECORD.into());
        };
        Ok(format!(
            "{} {} {}, {}",
            self.name(found.source())?,
            found.relationship_type(),
            self.name(found.target())?,
            show_all(found.properties())
        ))
    }

    fn property(&self, node: NodeId, property: &'static str) -> Result<String> {
        Ok(show(&self.read.property(node, property)?))
    }

    fn has_tint(&self, node: NodeId, tint: Tint) -> Result<bool> {
        self.read.has_label(node, &self.names.tint(tint))
    }

    fn neighbours(
        &self,
        node: NodeId,
        direction: Direction,
        of: Option<Type>,
    ) -> Result<Vec<String>> {
        let of = self.of_type(of);
        let mut words = Vec::new();
        for neighbour in self.read.neighbours(node, direction, of.as_deref())? {
            let neighbour = neighbour?;
            let way = match neighbour.way {
                stratigraph::graph::Way::Out => "to",
                stratigraph::graph::Way::In => "from",
            };
            let (far, by) = (
                self.name(neighbour.node)?,
                self.name(neighbour.relationship)?,
            );
            words.push(format!("{way} {far} by {by}"));
        }
        words.sort();
        Ok(words)
    }

    fn degree(&self, node: NodeId, direction: Direction, of: Option<Type>) -> Result<u64> {
        self.read
            .degree(node, direction, self.of_type(of).as_deref())
    }

    fn look_up(&self, lookup: Lookup, wanted: &Wanted) -> Result<Vec<String>> {
        self.sorted(self.matches(lookup, wanted)?)
    }

    fn entries(&self, lookup: Lookup) -> Result<u64> {
        self.read.index(&self.names.lookup(lookup))?.entries()
    }

    fn level(&self, of: Type, node: NodeId) -> Result<Option<u32>> {
        self.read.hierarchy(&self.names.hierarchy(of))?.level(node)
    }

    fn members(&self, of: Type, level: u32) -> Result<Vec<String>> {
        let members = self
            .read
            .hierarchy(&self.names.hierarchy(of))?
            .members(level)?;
        self.sorted(members.into_iter().map(NodeId::new))
    }

    fn roots(&self, of: Type) -> Result<Vec<String>> {
        let roots = self.read.hierarchy(&self.names.hierarchy(of))?.roots()?;
        self.sorted(roots.into_iter().map(NodeId::new))
    }

    fn depth(&self, of: Type) -> Result<u32> {
        self.read.hierarchy(&self.names.hierarchy(of))?.depth()
    }

    fn member_count(&self, of: Type) -> Result<u64> {
        self.read
            .hierarchy(&self.names.hierarchy(of))?
            .member_count()
    }

    fn with_vectors(&self, of: Searched) -> Result<Vec<String>> {
        let found = self.search(of, &[1.0; DIMENSIONS as usize], usize::from(u16::MAX))?;
        self.sorted(found)
    }

    fn nearest(&self, of: Searched) -> Result<Vec<String>> {
        let mut words = Vec::new();
        for entity in self.search(of, &[1.0; DIMENSIONS as usize], usize::from(u16::MAX))? {
            let Value::Vector(meaning) = self.read.property(entity, MEANING)? else {
                words.push(format!("{} without a vector", self.name(entity)?));
                continue;
            };
            let nearest = self.search(of, meaning.as_slice(), 1)?;
            let nearest = self.sorted(nearest)?.join(",");
            words.push(format!("{}:{nearest}", self.name(entity)?));
        }
        words.sort();
        Ok(words)
    }

    fn with_word(&self, of: Searched, word: &str) -> Result<Vec<String>> {
        let search = TextSearch::new(word, usize::from(u16::MAX));
        let found = self.read.search_text(&self.names.texts(of), &search)?;
        self.sorted(found.hits.into_iter().map(|hit| hit.entity))
    }
}
