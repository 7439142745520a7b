//! What is declared in a database of layers, once: keys, hierarchies, vector and full-text indexes; and the one node
//! that says how it was built.
//!
//! Every kind of node has an index `<kind>_key` that proves its keys, for example `chunk_key`.

use std::collections::BTreeMap;

use stratigraph::graph::Entity;
use stratigraph::{
    Constraint, Database, Declaration, HierarchyOptions, Index, NodeId, Read, TextIndex, Value,
    VectorIndex,
};
use stratigraph_models::Embedder;

use super::contribution::{Label, LinkKind};
use super::{BuildError, Profile};

/// The hierarchy of documents, sections and chunks.
pub const OUTLINE: &str = "outline";
/// The hierarchy of domains.
pub const DOMAINS: &str = "domains";
/// The relationship type that asserts that a domain lies in another.
pub(super) const ASSERTS: &str = "ASSERTS";
/// The relationship type of the hierarchy of domains: what is asserted and closes no cycle.
pub(super) const HAS_SUBDOMAIN: &str = "HAS_SUBDOMAIN";
/// The relationship type from the last domain of a chain to what it ends at.
pub(crate) const COVERS: &str = "COVERS";
/// The relationship type of facts.
pub(crate) const FACT: &str = "FACT";
/// The label that entities have as long as a chain ends at them.
pub(crate) const OBJECT_TAG: &str = "ObjectTag";
/// The index of facts by their keys.
pub(crate) const FACT_KEY: &str = "fact_key";
/// The index of what chunks state by the keys of facts.
pub(crate) const STATED: &str = "stated";
/// The full-text index of chunks.
pub(crate) const CHUNK_TEXTS: &str = "chunk_texts";
/// The full-text index of facts.
pub(crate) const FACT_TEXTS: &str = "fact_texts";
/// The full-text index of the names of entities.
pub(crate) const ENTITY_NAMES: &str = "entity_names";
/// The index of chunks by what they are called.
pub(crate) const CHUNK_CALLED: &str = "chunk_called";
/// The label of the node that says how the database was built.
const SETTINGS: &str = "LayerSettings";
/// Its property that says that everything is declared.
const DECLARED: &str = "declared";
/// The label of replies that models gave.
pub(super) const MODEL_CALL: &str = "ModelCall";
/// The index of replies.
pub(super) const MODEL_CALL_KEY: &str = "model_call_key";

/// The index that proves the keys of a kind of nodes.
pub(super) fn key_index(label: Label) -> &'static str {
    match label {
        Label::Document => "document_key",
        Label::Section => "section_key",
        Label::Chunk => "chunk_key",
        Label::Instance => "instance_key",
        Label::Entity => "entity_key",
        Label::DomainTag => "domain_tag_key",
    }
}

/// The index of stale summaries of a kind of nodes.
pub(super) fn stale_index(label: Label) -> Option<&'static str> {
    match label {
        Label::Entity => Some("entity_stale"),
        Label::DomainTag => Some("domain_tag_stale"),
        _ => None,
    }
}

/// The node of a label and key.
pub(crate) fn find<R: Read>(
    read: &R,
    label: Label,
    key: &str,
) -> Result<Option<NodeId>, stratigraph::Error> {
    let index = read.index(key_index(label))?;
    match index.equal(&[key.into()])?.next().transpose()? {
        Some(Entity::Node(node)) => Ok(Some(node)),
        _ => Ok(None),
    }
}

/// The node of a label with each of these keys, in their order.
pub(crate) fn find_all<R: Read>(
    read: &R,
    label: Label,
    keys: &[&str],
) -> Result<Vec<Option<NodeId>>, stratigraph::Error> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<Value> = keys.iter().map(|key| (*key).into()).collect();
    let found = read.index(key_index(label))?.equal_each(&keys, 1)?;
    let nodes = found.iter().map(|found| match found.first() {
        Some(Entity::Node(node)) => Some(*node),
        _ => None,
    });
    Ok(nodes.collect())
}

/// Declares what is not declared yet, of a new database in one commit. Whatever cuts it short, it goes on the next time.
fn declare(db: &Database, profile: &Profile, dimensions: usize) -> Result<(), stratigraph::Error> {
    let mut all: Vec<Declaration> = Vec::new();
    for label in Label::ALL {
        let key = Constraint::on_nodes(label.name()).key(["key"]);
        all.push(key.named(key_index(label)).if_missing().into());
    }
    for label in Label::ALL {
        if let Some(index) = stale_index(label) {
            let stale = Index::on_nodes(label.name(), ["stale"]);
            all.push(stale.named(index).if_missing().into());
        }
    }
    let fact = Constraint::on_relationships(FACT).key(["key"]);
    let stated = Index::on_relationships(LinkKind::States.name(), ["fact"]);
    let called = Index::on_nodes(Label::Chunk.name(), ["called"]);
    let call = Constraint::on_nodes(MODEL_CALL).key(["key"]);
    let outline = HierarchyOptions::new(OUTLINE, "HAS_CHILD").tree();
    let domains = HierarchyOptions::new(DOMAINS, HAS_SUBDOMAIN);
    all.extend([
        fact.named(FACT_KEY).if_missing().into(),
        stated.named(STATED).if_missing().into(),
        called.named(CHUNK_CALLED).if_missing().into(),
        call.named(MODEL_CALL_KEY).if_missing().into(),
        outline.if_missing().into(),
        domains.if_missing().into(),
    ]);
    let vectors = vector_indexes(profile, dimensions).into_iter();
    all.extend(vectors.map(|index| index.if_missing().into()));
    let texts = text_indexes(profile).into_iter();
    let texts = texts.map(|index| index.analysis(profile.analysis_of_texts()));
    all.extend(texts.map(|index| index.if_missing().into()));
    db.create_schema(all)
}

fn vector_indexes(profile: &Profile, dimensions: usize) -> Vec<VectorIndex> {
    let on = |label: &str, property: &str| VectorIndex::on_nodes(label, property, dimensions);
    let mut filters = profile.filters().to_vec();
    filters.push("document".to_owned());
    let chunks = on("Chunk", "embedding").filterable(filters);
    let mut indexes = vec![
        chunks.named("chunk_vectors"),
        on("Section", "embedding").named("section_vectors"),
    ];
    if profile.has_instances() {
        indexes.push(on("Instance", "embedding").named("instance_vectors"));
    }
    if profile.has_entities() {
        indexes.push(on("Entity", "embedding").named("entity_vectors"));
    }
    if profile.has_facts() {
        let facts = VectorIndex::on_relationships(FACT, "embedding", dimensions);
        indexes.push(facts.named("fact_vectors"));
        if profile.has_sources_in_vectors() {
            let facts = VectorIndex::on_relationships(FACT, "embedding_with_source", dimensions);
            indexes.push(facts.named("fact_vectors_with_source"));
        }
    }
    if profile.has_tags() {
        indexes.push(on("DomainTag", "summary_embedding").named("domain_summaries"));
    }
    indexes
}

fn text_indexes(profile: &Profile) -> Vec<TextIndex> {
    let chunks = TextIndex::on_nodes("Chunk", ["heading", "text"]).named(CHUNK_TEXTS);
    let mut indexes = vec![chunks];
    if profile.has_entities() {
        indexes.push(TextIndex::on_nodes("Entity", ["name"]).named(ENTITY_NAMES));
    }
    if profile.has_facts() {
        // Names of ends are properties of other things, so what a fact says is kept with it as a text.
        indexes.push(TextIndex::on_relationships(FACT, ["text", "source"]).named(FACT_TEXTS));
    }
    indexes
}

/// Sees to it that a database has its layers, or refuses to go on with it in another way. A database that has them is
/// only read.
pub(super) fn settle(
    db: &Database,
    profile: &Profile,
    embedder: &dyn Embedder,
) -> Result<(), BuildError> {
    let read = db.read()?;
    let known = stored_settings(&read)?;
    drop(read);
    let (node, stored) = match known {
        Some(known) => known,
        // First of all, so that what is cut short goes on in the same way.
        None => write_settings(db, profile, embedder)?,
    };
    same_embedder(&stored, embedder)?;
    same_profile(&stored, profile)?;
    if stored.contains_key(DECLARED) {
        return Ok(());
    }
    declare(db, profile, embedder.dimensions())?;
    let mut txn = db.write()?;
    txn.set_property(node, DECLARED, true)?;
    txn.commit()?;
    Ok(())
}

/// How a database of layers was built: what it has to be opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Which layers it has.
    pub profile: Profile,
    /// The name of the embedder whose vectors it has.
    pub embedder: String,
    /// How many numbers they have.
    pub dimensions: usize,
}

impl Built {
    /// How a database was built; nothing if it has no layers.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stratigraph::Database;
    /// use stratigraph_models::Lexical;
    /// use stratigraph_rag::build::{Built, Layers, Profile};
    ///
    /// let db = Database::in_memory()?;
    /// assert!(Built::of(&db)?.is_none());
    /// Layers::open(&db, Profile::tag().filterable(["year"]), Arc::new(Lexical::new()))?;
    /// let built = Built::of(&db)?.unwrap();
    /// assert_eq!(built.embedder, "lexical-1");
    /// Layers::open(&db, built.profile, Arc::new(Lexical::new()))?;
    /// # Ok::<(), stratigraph_rag::build::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError::NotAsBuilt`] if it says so in words that this version does not know; what the database says.
    pub fn of(db: &Database) -> Result<Option<Self>, BuildError> {
        let Some((_, stored)) = stored_settings(&db.read()?)? else {
            return Ok(None);
        };
        let words = stored.iter();
        let words =
            words.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        let dimensions = stored.get("dimensions").and_then(Value::as_int);
        let dimensions = dimensions.and_then(|number| usize::try_from(number).ok());
        let built = Profile::of_settings(&words.collect()).zip(dimensions);
        let embedder = stored.get("embedder").and_then(Value::as_str);
        match built.zip(embedder) {
            Some(((profile, dimensions), embedder)) => Ok(Some(Self {
                profile,
                embedder: embedder.to_owned(),
                dimensions,
            })),
            None => Err(BuildError::NotAsBuilt {
                what: "a setting",
                key: SETTINGS.to_owned(),
            }),
        }
    }
}

type Settings = BTreeMap<String, Value>;

/// What the database says of how it was built; nothing if it was not.
fn stored_settings<R: Read>(read: &R) -> Result<Option<(NodeId, Settings)>, stratigraph::Error> {
    let Some(node) = read.nodes_with_label(SETTINGS)?.min() else {
        return Ok(None);
    };
    let id = NodeId::new(node);
    let node = read.node(id)?;
    let properties = node.iter().flat_map(stratigraph::Node::properties);
    let properties = properties.map(|(name, value)| (name.to_owned(), value.clone()));
    Ok(Some((id, properties.collect())))
}

/// Says how the database is built, unless it says so by now. Returns what it says.
fn write_settings(
    db: &Database,
    profile: &Profile,
    embedder: &dyn Embedder,
) -> Result<(NodeId, Settings), stratigraph::Error> {
    let settings = profile.settings().into_iter();
    let settings = settings.map(|(name, value)| (name, Value::from(value)));
    let width = Value::Int(embedder.dimensions() as i64);
    let embedder = [
        ("embedder".to_owned(), embedder.name().into()),
        ("dimensions".to_owned(), width),
    ];
    let mut txn = db.write()?;
    // Somebody else may have been first since it was looked for.
    if let Some((node, stored)) = stored_settings(&txn)? {
        return Ok((node, stored));
    }
    let settings: Settings = settings.chain(embedder).collect();
    let stored = settings.iter();
    let stored = stored.map(|(name, value)| (name.clone(), value.clone()));
    let node = txn.create_node([SETTINGS], stored)?;
    txn.commit()?;
    Ok((node, settings))
}

fn same_embedder(stored: &Settings, embedder: &dyn Embedder) -> Result<(), BuildError> {
    let name = stored.get("embedder").and_then(Value::as_str);
    let dimensions = stored.get("dimensions").and_then(Value::as_int);
    let dimensions = dimensions.and_then(|number| usize::try_from(number).ok());
    if name == Some(embedder.name()) && dimensions == Some(embedder.dimensions()) {
        return Ok(());
    }
    Err(BuildError::OtherEmbedder {
        stored: name.unwrap_or("another embedder").to_owned(),
        stored_dimensions: dimensions.unwrap_or_default(),
        given: embedder.name().to_owned(),
        given_dimensions: embedder.dimensions(),
    })
}

fn same_profile(stored: &Settings, profile: &Profile) -> Result<(), BuildError> {
    let mut wanted = profile.settings();
    for name in stored.keys() {
        if !["embedder", "dimensions", DECLARED].contains(&name.as_str()) {
            wanted.entry(name.clone()).or_default();
        }
    }
    for (setting, given) in wanted {
        let known = stored.get(&setting).and_then(Value::as_str);
        let known = known.unwrap_or_default();
        if known != given {
            return Err(BuildError::OtherProfile {
                setting,
                stored: format!("{known:?}"),
                given: format!("{given:?}"),
            });
        }
    }
    Ok(())
}
