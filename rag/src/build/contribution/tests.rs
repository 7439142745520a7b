use std::collections::BTreeSet;

use super::*;
use crate::build::property::Property;
use crate::chunk::{Chunker, Chunking, Words};
use crate::extract::{Chain, Domain, Entity, Triple};
use crate::read::{Format, Source};
use crate::{Datum, Metadata};

const TEXT: &str = "# Rocks\n\nBasalt was lava.\n\n## Old\n\nBASALT is dark.\n";

fn cut(text: &str) -> (Document, Vec<Piece>) {
    let source = Source::new("a.md", text.as_bytes());
    let year = Metadata::from([
        ("year".to_owned(), Datum::Integer(2020)),
        ("by".to_owned(), "Ann".into()),
    ]);
    let document = source.read(Format::Markdown).unwrap().with_metadata(year);
    let pieces = Chunker::new(Chunking::Structure { limit: 20 }, &Words).pieces(&document);
    (document, pieces)
}

fn triple(subject: &str, object: &str) -> Triple {
    Triple {
        subject: subject.into(),
        predicate: "was".into(),
        object: object.into(),
        ..Triple::default()
    }
}

fn contributed(said: &[Extracted], profile: &Profile) -> Contribution {
    let (document, pieces) = cut(TEXT);
    Contribution::new(&document, &pieces, said, profile).unwrap()
}

fn kinds(contribution: &Contribution) -> BTreeSet<(&str, &str, &str)> {
    let links = contribution.links();
    links
        .map(|link| (&*link.source.key, link.kind.name(), &*link.target.key))
        .collect()
}

#[test]
fn the_text_alone_makes_a_tree_of_places() {
    let profile = Profile::structure().filterable(["year"]);
    let contribution = contributed(&[Extracted::default(), Extracted::default()], &profile);
    let nodes: Vec<_> = contribution.nodes().map(|(node, _)| node).collect();
    let labels: Vec<Label> = nodes.iter().map(|node| node.label).collect();
    assert_eq!(
        labels,
        [
            Label::Document,
            Label::Section,
            Label::Section,
            Label::Chunk,
            Label::Chunk
        ]
    );
    let chunk = &contribution.nodes[nodes[4]];
    assert_eq!(chunk["heading"], "Rocks > Old".into());
    assert_eq!(chunk["year"], Property::Integer(2020));
    assert_eq!(chunk["start"], TEXT.find("BASALT").unwrap().into());
    assert!(!chunk.contains_key("by"));
    let document = &contribution.nodes[nodes[0]];
    assert_eq!(document["metadata"], r#"{"by":"Ann","year":2020}"#.into());
}

#[test]
fn one_name_in_two_sections_is_one_entity_and_two_instances() {
    let said = ["Basalt", "BASALT"].map(|name| Extracted {
        entities: vec![Entity {
            name: name.into(),
            description: format!("a {name}"),
            sentences: vec![0..1, 9..15, 41..47],
            ..Entity::default()
        }],
        ..Extracted::default()
    });
    let contribution = contributed(&said, &Profile::all());
    let instances = contribution
        .nodes()
        .filter(|(node, _)| node.label == Label::Instance);
    assert_eq!(instances.count(), 2);
    let kinds = kinds(&contribution);
    assert!(kinds.contains(&("a.md#Rocks/Old", "HAS_INSTANCE", "a.md#Rocks/Old#basalt")));
    assert!(kinds.contains(&("a.md#Rocks#basalt", "REFERS_TO", "basalt")));
    let mentions = contribution
        .links()
        .filter(|link| link.kind == LinkKind::Mentions);
    let mentions: Vec<_> = mentions
        .map(|link| (&link.target.key, &link.properties["sentences"]))
        .collect();
    // Places within the chunk; sentences of other pieces are left out.
    let expected: Property = [0_usize, 6].into_iter().collect();
    assert!(
        mentions
            .iter()
            .any(|(key, places)| **key == "basalt" && **places == expected),
        "{mentions:?}"
    );
}

#[test]
fn what_a_triple_names_is_named_and_who_states_it_is_known() {
    let said = [
        Extracted {
            triples: vec![triple("Basalt", "Lava"), triple("Basalt", "basalt ")],
            ..Extracted::default()
        },
        Extracted {
            triples: vec![triple("BASALT", "lava"), triple("", "lava")],
            ..Extracted::default()
        },
    ];
    let contribution = contributed(&said, &Profile::all());
    let facts: Vec<_> = contribution.facts().collect();
    assert_eq!(facts.len(), 1);
    let key = facts[0].key();
    let states = contribution.links();
    let states: Vec<_> = states
        .filter(|link| link.kind == LinkKind::States)
        .collect();
    assert_eq!(states.len(), 2);
    for link in states {
        assert_eq!(
            (&*link.target.key, stated_by(link)),
            ("basalt", Some(&*key))
        );
        assert!(kinds(&contribution).contains(&(&link.source.key, "MENTIONS", "lava")));
    }
    assert!(kinds(&contribution).contains(&("a.md#Rocks#basalt", "RELATED", "a.md#Rocks#lava")));
}

#[test]
fn a_chain_is_kept_whole_with_its_chunk() {
    let domain = |name: &str, description: &str| Domain {
        name: name.into(),
        description: description.into(),
    };
    let chain = Chain {
        domains: vec![
            domain("Nature", "all of it"),
            domain("Rock", ""),
            domain("ROCK", "twice"),
            domain(" ", "nothing"),
        ],
        object: "Basalt".into(),
        description: "is one".into(),
    };
    let said = [
        Extracted {
            chains: vec![chain],
            ..Extracted::default()
        },
        Extracted::default(),
    ];
    let contribution = contributed(&said, &Profile::tag());
    let tags: Vec<_> = contribution
        .links()
        .filter(|link| link.kind == LinkKind::HasTag)
        .collect();
    assert_eq!(tags.len(), 1);
    assert_eq!(chain_of(tags[0]).unwrap(), ["nature", "rock"]);
    let kinds = kinds(&contribution);
    let chunk = tags[0].source.key.as_str();
    assert!(kinds.contains(&(chunk, "DESCRIBES", "nature")));
    assert!(kinds.contains(&(chunk, "MENTIONS", "basalt")));
    let without = contributed(&said, &Profile::hybrid());
    assert!(!without.links().any(|link| link.kind == LinkKind::HasTag));
}

#[test]
fn each_piece_needs_what_it_says() {
    let (document, pieces) = cut(TEXT);
    let refused = Contribution::new(&document, &pieces, &[], &Profile::all());
    assert!(matches!(
        refused,
        Err(BuildError::Unmatched {
            pieces: 2,
            extracted: 0
        })
    ));
}

#[test]
fn triples_of_one_passage_share_a_chunk_and_keep_their_metadata() {
    let told = |object: &str, source: &str, year: i64| {
        let mut triple = triple("Basalt", object);
        triple.source = source.into();
        let metadata = Metadata::from([("year".to_owned(), Datum::Integer(year))]);
        Told {
            triple,
            metadata,
            ..Told::default()
        }
    };
    let list = [
        told("lava", "p. 3", 2020),
        told("dark", " p. 3", 2020),
        told("hard", "p. 3", 2021),
        told("old", "", 2020),
        told("basalt", "p. 9", 2020),
    ];
    let profile = Profile::triples().filterable(["year"]);
    let build = |told: &[Told]| {
        Contribution::of_triples("a.jsonl", Metadata::new(), told, &profile).unwrap()
    };
    let all = build(&list);
    assert_eq!(all.facts().count(), 4);
    let chunks = all.nodes().filter(|(node, _)| node.label == Label::Chunk);
    let mut chunks: Vec<_> = chunks
        .map(|(_, says)| (says["text"].as_str().unwrap(), says["year"].clone()))
        .collect();
    chunks.sort();
    let year = Property::Integer;
    let expected = [
        ("Basalt was old", year(2020)),
        ("p. 3", year(2020)),
        ("p. 3", year(2021)),
        ("p. 9", year(2020)),
    ];
    assert_eq!(chunks, expected);
    assert!(build(&[]).facts().next().is_none());
    // What no search is limited by divides no passage.
    let noted: Vec<Told> = (0..5000)
        .map(|number| {
            let mut one = told("lava", "p. 3", 2020);
            one.metadata.insert("note".to_owned(), number.into());
            one
        })
        .collect();
    let chunks = build(&noted);
    let chunks = chunks
        .nodes()
        .filter(|(node, _)| node.label == Label::Chunk);
    assert_eq!(chunks.count(), 1);
}
