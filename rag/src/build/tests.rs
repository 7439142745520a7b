use std::sync::Arc;

use meddling::Meddling;
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
        stale.map(|inputs| inputs.node.key).collect()
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
    let inputs = layers.stale().unwrap().remove(0);
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

#[test]
fn facts_are_found_by_who_states_them() {
    let layers = layers();
    let said = || Extracted {
        triples: vec![Triple {
            subject: "Basalt".into(),
            predicate: "was".into(),
            object: "lava".into(),
            description: "once".into(),
            source: "p. 3".into(),
        }],
        ..Extracted::default()
    };
    let first = put(&layers, "a", said());
    let second = put(&layers, "b", said());
    assert!(second.vectors < first.vectors, "{second:?}");
    let read = layers.database().read().unwrap();
    let facts = read.relationships_of_type("FACT").unwrap();
    assert_eq!(facts.len(), 1);
    let fact = stratigraph::RelationshipId::new(facts.min().unwrap());
    assert_eq!(
        read.property(fact, "chunks")
            .unwrap()
            .as_list()
            .unwrap()
            .len(),
        2
    );
    layers.delete("a").unwrap();
    layers.delete("b").unwrap();
    let read = layers.database().read().unwrap();
    assert_eq!(read.relationship_count(Some("FACT")).unwrap(), 0);
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
        lexical: Lexical,
    }

    impl Meddling {
        pub(super) fn next(&self, deed: impl FnOnce() + Send + 'static) {
            *self.next.lock().unwrap() = Some(Box::new(deed));
        }
    }

    impl Embedder for Meddling {
        fn name(&self) -> &str {
            self.lexical.name()
        }

        fn dimensions(&self) -> usize {
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
