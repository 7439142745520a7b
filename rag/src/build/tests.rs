use std::sync::Arc;

use meddling::Meddling;
use stratigraph::storage::family::Family;
use stratigraph::{Database, Direction, Read, Value};
use stratigraph_models::{Embedder, Lexical};

use super::*;
use crate::chunk::{Chunker, Chunking, Words};
use crate::extract::{Chain, Domain, Entity, Extracted, Triple};
use crate::read::{Format, Source};

/// A document of one piece that says this.
fn contribution(id: &str, text: &str, said: Extracted, profile: &Profile) -> Contribution {
    let source = Source::new(id, text.as_bytes());
    let document = source.read(Format::Markdown).unwrap();
    let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
    Contribution::new(&document, &pieces, &[said], profile).unwrap()
}

fn names(names: &[&str]) -> Extracted {
    let entities = names.iter().map(|name| Entity {
        name: (*name).into(),
        ..Entity::default()
    });
    Extracted {
        entities: entities.collect(),
        ..Extracted::default()
    }
}

fn chain(domains: &[(&str, &str)], object: &str) -> Extracted {
    let domains = domains.iter().map(|(name, description)| Domain {
        name: (*name).into(),
        description: (*description).into(),
    });
    let chain = Chain {
        domains: domains.collect(),
        object: object.into(),
        description: String::new(),
    };
    Extracted {
        chains: vec![chain],
        ..Extracted::default()
    }
}

fn layers() -> Layers {
    let db = Database::in_memory().unwrap();
    Layers::open(&db, Profile::all(), Arc::new(Lexical::new())).unwrap()
}

fn put(layers: &Layers, id: &str, said: Extracted) -> Change {
    let text = format!("What {id} says.\n");
    let contribution = contribution(id, &text, said, layers.profile());
    layers.upsert(&contribution).unwrap()
}

fn property(layers: &Layers, node: &NodeKey, name: &str) -> Option<Value> {
    let read = layers.database().read().unwrap();
    let id = schema::find(&read, node.label, &node.key).unwrap()?;
    Some(read.property(id, name).unwrap())
}

fn entity_name(layers: &Layers, key: &str) -> Option<String> {
    let name = property(layers, &NodeKey::new(Label::Entity, key), "name")?;
    name.as_str().map(str::to_owned)
}

fn domain(key: &str) -> NodeKey {
    NodeKey::new(Label::DomainTag, key)
}

#[test]
fn another_embedder_or_profile_is_refused_by_name() {
    let layers = layers();
    let db = layers.database();
    let trained: Arc<dyn Embedder> = Arc::new(Lexical::trained(["rocks are old", "rocks"]));
    let refused = Layers::open(db, Profile::all(), trained).err().unwrap();
    let message = refused.to_string();
    assert!(
        message.contains("lexical-1 (384 numbers)") && message.contains("lexical-1-"),
        "{message}"
    );
    let embedder: Arc<dyn Embedder> = Arc::new(Lexical::new());
    let refused = Layers::open(db, Profile::bag(), embedder.clone()).err();
    assert!(matches!(refused, Some(BuildError::OtherProfile { .. })));
    let more = Profile::all().parameter("chunks", "text 1024/0");
    let refused = Layers::open(db, more, embedder.clone()).err().unwrap();
    assert!(
        refused.to_string().contains("parameter chunks"),
        "{refused}"
    );
    let taken = Profile::all().filterable(["text"]);
    let fresh = Database::in_memory().unwrap();
    let refused = Layers::open(&fresh, taken, embedder.clone()).err();
    assert!(matches!(refused, Some(BuildError::BadFilter { .. })));
    assert!(Layers::open(db, Profile::all(), embedder).is_ok());
}

#[test]
fn a_database_says_how_it_was_built() {
    let profile = Profile::bag()
        .filterable(["year", "a, b"])
        .parameter("chunks", "headings 128/2")
        .analysis(stratigraph::Analysis::Chinese)
        .without_headings_in_vectors();
    for profile in [profile, Profile::triples(), Profile::structure()] {
        let db = Database::in_memory().unwrap();
        Layers::open(&db, profile.clone(), Arc::new(Lexical::new())).unwrap();
        let built = Built::of(&db).unwrap().unwrap();
        assert_eq!((built.profile, built.dimensions), (profile, 384));
    }
}

#[test]
fn a_name_is_the_smallest_that_somebody_gives() {
    let layers = layers();
    put(&layers, "a", names(&["basalt"]));
    put(&layers, "b", names(&["BASALT"]));
    put(&layers, "c", names(&["Basalt"]));
    assert_eq!(entity_name(&layers, "basalt").as_deref(), Some("BASALT"));
    layers.delete("b").unwrap();
    assert_eq!(entity_name(&layers, "basalt").as_deref(), Some("Basalt"));
    layers.delete("c").unwrap();
    layers.delete("a").unwrap();
    assert_eq!(entity_name(&layers, "basalt"), None);
    assert!(layers.documents().unwrap().is_empty());
}

#[test]
fn an_entity_is_an_object_tag_as_long_as_a_chain_ends_at_it() {
    let layers = layers();
    put(
        &layers,
        "a",
        chain(&[("Nature", ""), ("Rock", "")], "Basalt"),
    );
    put(&layers, "b", names(&["Basalt"]));
    let read = layers.database().read().unwrap();
    assert_eq!(read.node_count(Some("ObjectTag")).unwrap(), 1);
    let levels = read.hierarchy(DOMAINS).unwrap();
    let rock = schema::find(&read, Label::DomainTag, "rock")
        .unwrap()
        .unwrap();
    assert_eq!(levels.level(rock).unwrap(), Some(1));
    layers.delete("a").unwrap();
    let read = layers.database().read().unwrap();
    assert_eq!(read.node_count(Some("ObjectTag")).unwrap(), 0);
    assert_eq!(read.node_count(Some("Entity")).unwrap(), 1);
    assert_eq!(read.relationship_count(Some("ASSERTS")).unwrap(), 0);
}

#[test]
fn which_edge_of_a_cycle_is_left_out_does_not_depend_on_who_came_first() {
    let ways = [("a", ["X", "Y"]), ("b", ["Y", "X"]), ("c", ["Y", "X"])];
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let layers = layers();
        for place in order {
            let (id, domains) = &ways[place];
            let domains = domains.map(|name| (name, ""));
            put(&layers, id, chain(&domains, "thing"));
        }
        let under = |parent: &str| -> Vec<String> {
            let read = layers.database().read().unwrap();
            let parent = schema::find(&read, Label::DomainTag, parent)
                .unwrap()
                .unwrap();
            let children = read
                .neighbours(parent, Direction::Outgoing, Some("HAS_SUBDOMAIN"))
                .unwrap();
            let children = children.map(|child| child.unwrap().node);
            children
                .map(|child| held::key_of(&read, child).unwrap())
                .collect()
        };
        assert_eq!((under("x"), under("y")), (vec![], vec!["x".to_owned()]));
        // One against one: the names decide.
        layers.delete("c").unwrap();
        assert_eq!((under("x"), under("y")), (vec!["y".to_owned()], vec![]));
        layers.delete("a").unwrap();
        assert_eq!((under("x"), under("y")), (vec![], vec!["x".to_owned()]));
    }
}

#[test]
fn a_summary_is_stale_when_what_it_was_made_from_is_not_said_any_more() {
    let layers = layers();
    put(
        &layers,
        "a",
        chain(&[("Nature", "all"), ("Rock", "hard")], "Basalt"),
    );
    put(
        &layers,
        "b",
        chain(&[("Nature", "all"), ("Water", "wet")], "Sea"),
    );
    let summary = Summary {
        text: "Rocks and the like.".into(),
        model: "somebody".into(),
        prompt: "summary/1".into(),
    };
    for key in ["nature", "rock", "water"] {
        let inputs = layers.inputs(&domain(key)).unwrap().unwrap();
        assert!(layers.summarise(&inputs, &summary).unwrap());
    }
    assert!(layers.stale().unwrap().is_empty());
    let stale = |layers: &Layers| -> Vec<String> {
        let stale = layers.stale().unwrap().into_iter();
        stale.map(|node| node.key).collect()
    };
    // One more who says the same of nature, and something else of rock.
    let change = put(
        &layers,
        "c",
        chain(&[("Nature", "all"), ("Rock", "grey")], "Slate"),
    );
    assert!(change.stale.contains(&domain("rock")) && !change.stale.contains(&domain("water")));
    assert_eq!(stale(&layers), ["rock"]);
    // What it is made from now comes along, and with that it is fresh again.
    let node = layers.stale().unwrap().remove(0);
    let inputs = layers.inputs(&node).unwrap().unwrap();
    assert!(inputs.descriptions.contains("grey"), "{inputs:?}");
    assert_eq!(Vec::from_iter(&inputs.within), ["nature"]);
    assert_eq!(Vec::from_iter(inputs.covers.keys()), ["basalt", "slate"]);
    layers.summarise(&inputs, &summary).unwrap();
    assert!(stale(&layers).is_empty());
    layers.delete("c").unwrap();
    assert_eq!(stale(&layers), ["rock"]);
    // Somebody else says it again: it stands as it is.
    put(
        &layers,
        "d",
        chain(&[("Nature", "all"), ("Rock", "grey")], "Slate"),
    );
    assert!(stale(&layers).is_empty());
    let gone = layers.inputs(&domain("water")).unwrap().unwrap();
    layers.delete("b").unwrap();
    assert!(!layers.summarise(&gone, &summary).unwrap());
}

#[test]
fn inputs_that_changed_while_a_model_wrote_leave_a_stale_summary() {
    let layers = layers();
    put(&layers, "a", chain(&[("Rock", "hard")], "Basalt"));
    let inputs = layers.inputs(&domain("rock")).unwrap().unwrap();
    put(&layers, "b", chain(&[("Rock", "grey")], "Slate"));
    let summary = Summary {
        text: "Hard.".into(),
        model: "somebody".into(),
        prompt: "summary/1".into(),
    };
    layers.summarise(&inputs, &summary).unwrap();
    assert_eq!(layers.stale().unwrap().len(), 1);
}

#[test]
fn a_summary_of_an_entity_is_made_from_what_is_said_and_from_facts() {
    let layers = layers();
    let said = |predicate: &str, description: &str| Extracted {
        entities: vec![Entity {
            name: "Basalt".into(),
            description: description.into(),
            ..Entity::default()
        }],
        triples: vec![Triple {
            subject: "Basalt".into(),
            predicate: predicate.into(),
            object: "lava".into(),
            ..Triple::default()
        }],
        ..Extracted::default()
    };
    put(&layers, "a", said("was", "dark"));
    let node = NodeKey::new(Label::Entity, "basalt");
    let inputs = layers.inputs(&node).unwrap().unwrap();
    assert_eq!(Vec::from_iter(&inputs.descriptions), ["dark"]);
    assert_eq!(inputs.facts.len(), 1);
    let summary = Summary {
        text: "Dark.".into(),
        model: "somebody".into(),
        prompt: "summary/1".into(),
    };
    layers.summarise(&inputs, &summary).unwrap();
    // The same again, and then one fact more.
    put(&layers, "b", said("was", "dark"));
    assert!(layers.stale().unwrap().is_empty());
    put(&layers, "c", said("came of", ""));
    assert_eq!(layers.stale().unwrap().len(), 1);
    let nobody = NodeKey::new(Label::Entity, "nobody");
    assert_eq!(layers.inputs(&nobody).unwrap(), None);
}

#[test]
fn a_change_costs_what_it_changes() {
    let layers = layers();
    let sections: Vec<String> = (0..60)
        .map(|number| format!("## Part {number}\n\nText {number} of it.\n\n"))
        .collect();
    let put = |text: &str| {
        let source = Source::new("a.md", text.as_bytes());
        let document = source.read(Format::Markdown).unwrap();
        let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
        let said = vec![Extracted::default(); pieces.len()];
        let new = Contribution::new(&document, &pieces, &said, layers.profile()).unwrap();
        layers.upsert(&new).unwrap()
    };
    let text = sections.concat();
    assert_eq!(put(&text).vectors, 120);
    // The document's hash, a text with its place, and the link to it; places of nothing else move.
    let word = put(&text.replace("Text 30", "Word 30"));
    assert_eq!((word.written, word.deleted, word.vectors), (3, 2, 1));
    // Part 30 is as it was, and one is new.
    let last = put(&format!("{text}## Last\n\nThe last.\n"));
    assert!(last.written <= 7 && last.vectors == 3, "{last:?}");
    // Places move, and no vector is computed but for what is new.
    let first = put(&text.replace("## Part 1\n", "## New\n\nThe newest.\n\n## Part 1\n"));
    assert_eq!(first.vectors, 2, "{first:?}");
}

#[test]
fn a_text_that_moves_takes_its_vector_along() {
    let before = "# A\n\nBasalt was lava.\n";
    let profile = Profile::structure().without_headings_in_vectors();
    let db = Database::in_memory().unwrap();
    let embedder = Arc::new(Lexical::new());
    let plain = Layers::open(&db, profile, embedder).unwrap();
    let put = |text: &str| {
        let new = contribution("a", text, Extracted::default(), plain.profile());
        plain.upsert(&new).unwrap()
    };
    // The heading and the chunk.
    assert_eq!(put(before).vectors, 2);
    let moved = put("# B\n\nBasalt was lava.\n");
    assert_eq!((moved.vectors, moved.deleted), (1, 4));
}

fn fact() -> Extracted {
    Extracted {
        triples: vec![Triple {
            subject: "Basalt".into(),
            predicate: "was".into(),
            object: "lava".into(),
            description: "once".into(),
            source: "p. 3".into(),
        }],
        ..Extracted::default()
    }
}

#[test]
fn facts_are_found_by_who_states_them() {
    let layers = layers();
    let first = put(&layers, "a", fact());
    let second = put(&layers, "b", fact());
    assert!(second.vectors < first.vectors, "{second:?}");
    let stated = || {
        let read = layers.database().read().unwrap();
        let facts = read.relationships_of_type("FACT").unwrap();
        let fact = stratigraph::RelationshipId::new(facts.min().unwrap());
        let key = read.property(fact, "key").unwrap();
        let stated = read.index(schema::STATED).unwrap();
        (facts.len(), stated.equal(&[key]).unwrap().count())
    };
    assert_eq!(stated(), (1, 2));
    layers.delete("a").unwrap();
    assert_eq!(stated(), (1, 1));
    layers.delete("b").unwrap();
    let read = layers.database().read().unwrap();
    assert_eq!(read.relationship_count(Some("FACT")).unwrap(), 0);
    assert_eq!(read.relationship_count(Some("STATES")).unwrap(), 0);
}

/// How many bytes a change would write, without writing them. Sets of ids are left out: they are the engine's, which
/// keeps them in blocks.
fn bytes_of_change(layers: &Layers, new: &Contribution) -> usize {
    let read = layers.database().read().unwrap();
    let held = held::Held::read(&read, new.document()).unwrap();
    let mut vectors = vectors::Vectors::default();
    let profile = layers.profile();
    vectors
        .prepare((&read, &held), new, profile, layers.embedder())
        .unwrap();
    let mut txn = layers.database().write().unwrap();
    apply::apply(&mut txn, (&held, new), profile, &vectors).unwrap();
    let written = txn.changes().unwrap();
    let written =
        written.filter(|(family, ..)| !matches!(family, Family::Labels | Family::Hierarchy));
    written
        .map(|(_, key, value)| key.len() + value.map_or(0, <[u8]>::len))
        .sum()
}

#[test]
fn a_fact_that_everybody_states_costs_the_next_no_more() {
    let layers = layers();
    let mut bytes = Vec::new();
    let new = contribution("next", "What next says.\n", fact(), layers.profile());
    for number in 0..300 {
        if number == 10 || number == 299 {
            bytes.push(bytes_of_change(&layers, &new));
        }
        put(&layers, &format!("{number:03}"), fact());
    }
    // Ids may take a byte more.
    assert!(bytes[1] < bytes[0] + bytes[0] / 10, "{bytes:?}");
    // And who goes is not looked for among all others.
    let gone = Contribution::none("005".to_owned());
    assert!(bytes_of_change(&layers, &gone) < bytes[0]);
}

#[test]
fn what_others_take_away_meanwhile_is_made_again() {
    let db = Database::in_memory().unwrap();
    let meddling = Arc::new(Meddling::default());
    let layers = Layers::open(&db, Profile::all(), meddling.clone()).unwrap();
    put(&layers, "a", names(&["Basalt"]));
    // While the vectors of `b` are computed, the entity that it counts on goes.
    let other = layers.clone();
    meddling.next(move || drop(other.delete("a").unwrap()));
    put(&layers, "b", names(&["Basalt"]));
    assert_eq!(layers.documents().unwrap(), ["b"]);
    let vector = property(&layers, &NodeKey::new(Label::Entity, "basalt"), "embedding");
    assert!(vector.unwrap().as_vector().is_some());
    // And somebody else may have made of it just what it was to become.
    let other = layers.clone();
    meddling.next(move || drop(put(&other, "c", names(&["Slate"]))));
    let change = put(&layers, "c", names(&["Slate"]));
    assert_eq!((change.written, change.keys), (0, 0));
}

#[test]
fn all_that_a_document_before_it_took_away_is_made_again_at_once() {
    let layers = layers();
    let many: Vec<String> = (0..100).map(|number| format!("Rock {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    put(&layers, "a", names(&many));
    let profile = layers.profile();
    let documents = [
        contribution("a", "Nothing.\n", Extracted::default(), profile),
        contribution("b", "Rocks.\n", names(&many), profile),
    ];
    let change = layers.upsert_all(&documents).unwrap();
    // Entities and instances.
    assert!(change.vectors >= 200, "{change:?}");
    let node = NodeKey::new(Label::Entity, "rock 99");
    let vector = property(&layers, &node, "embedding").unwrap();
    assert!(vector.as_vector().is_some());
}

#[test]
fn who_comes_first_says_how_it_is_built() {
    let db = Database::in_memory().unwrap();
    let meddling = Arc::new(Meddling::default());
    let opened = |number: &str, embedder: Arc<dyn Embedder>| {
        Layers::open(
            &db,
            Profile::structure().parameter("number", number),
            embedder,
        )
    };
    // Somebody else opens them between the look and the first word about how they are built.
    let other = db.clone();
    meddling.when_measured(move || {
        let profile = Profile::structure().parameter("number", "1");
        Layers::open(&other, profile, Arc::new(Lexical::new())).unwrap();
    });
    let refused = opened("2", meddling).err();
    assert!(
        matches!(refused, Some(BuildError::OtherProfile { .. })),
        "{refused:?}"
    );
    assert!(opened("1", Arc::new(Lexical::new())).is_ok());
    let read = db.read().unwrap();
    assert_eq!(read.node_count(Some("LayerSettings")).unwrap(), 1);
}

#[test]
fn what_no_transaction_holds_is_refused_before_vectors_are_computed() {
    let db = Database::builder()
        .transaction_bytes(400_000)
        .in_memory()
        .unwrap();
    let meddling = Arc::new(Meddling::default());
    let layers = Layers::open(&db, Profile::structure(), meddling.clone()).unwrap();
    let asked = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_asked = Arc::clone(&asked);
    meddling.next(move || is_asked.store(true, std::sync::atomic::Ordering::Relaxed));
    let text = "x".repeat(500_000);
    let new = contribution("a", &text, Extracted::default(), layers.profile());
    let refused = layers.upsert(&new).err().unwrap();
    assert!(matches!(refused, BuildError::TooLarge { .. }), "{refused}");
    assert!(!asked.load(std::sync::atomic::Ordering::Relaxed));
}

#[test]
fn a_summary_of_what_everybody_names_is_made_from_a_sample() {
    let layers = layers();
    let said = |number: usize| Extracted {
        entities: vec![Entity {
            name: "Basalt".into(),
            description: format!("said {number:04}"),
            ..Entity::default()
        }],
        ..Extracted::default()
    };
    // The last first: who came first does not matter.
    for number in (0..300).rev() {
        put(&layers, &format!("{number:04}"), said(number));
    }
    let node = NodeKey::new(Label::Entity, "basalt");
    let inputs = layers.inputs(&node).unwrap().unwrap();
    assert_eq!(inputs.descriptions.len(), 256);
    assert_eq!(inputs.descriptions.last().unwrap(), "said 0255");
}

#[test]
fn several_documents_come_one_after_the_other() {
    let layers = layers();
    put(&layers, "a", names(&["Basalt"]));
    let profile = layers.profile();
    let text = "Something else.\n";
    // The first takes away what the second names, and the third is the second once more.
    let documents = [
        contribution("a", text, names(&["Lava"]), profile),
        contribution("b", text, names(&["Basalt"]), profile),
        contribution("b", text, names(&["Slate"]), profile),
    ];
    layers.upsert_all(&documents).unwrap();
    let read = layers.database().read().unwrap();
    assert_eq!(read.node_count(Some("Entity")).unwrap(), 2);
    assert_eq!(entity_name(&layers, "slate").as_deref(), Some("Slate"));
}

mod meddling {
    use std::sync::Mutex;

    use stratigraph_models::{Embedder, Lexical, ModelError, Rows};

    type Deed = Box<dyn FnOnce() + Send>;

    /// An embedder while which somebody else does something.
    #[derive(Default)]
    pub(super) struct Meddling {
        next: Mutex<Option<Deed>>,
        measured: Mutex<Option<Deed>>,
        lexical: Lexical,
    }

    impl Meddling {
        pub(super) fn next(&self, deed: impl FnOnce() + Send + 'static) {
            *self.next.lock().unwrap() = Some(Box::new(deed));
        }

        /// The same when it is asked how long its vectors are.
        pub(super) fn when_measured(&self, deed: impl FnOnce() + Send + 'static) {
            *self.measured.lock().unwrap() = Some(Box::new(deed));
        }
    }

    impl Embedder for Meddling {
        fn name(&self) -> &str {
            self.lexical.name()
        }

        fn dimensions(&self) -> usize {
            let deed = self.measured.lock().unwrap().take();
            if let Some(deed) = deed {
                deed();
            }
            self.lexical.dimensions()
        }

        fn max_tokens(&self) -> usize {
            self.lexical.max_tokens()
        }

        fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
            let deed = self.next.lock().unwrap().take();
            if let Some(deed) = deed {
                deed();
            }
            self.lexical.embed(texts)
        }
    }
}
