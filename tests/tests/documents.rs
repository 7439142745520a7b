//! The law of documents: whatever came, changed and went, the graph is the one that the documents of now make.
//!
//! `cargo xtask law` tries more sequences, and kills.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use stratigraph::{Database, NodeId, Read};
use stratigraph_rag::build::{Inputs, Label, NodeKey, Profile, Summary};
use stratigraph_tests::documents::hand::{Hand, Reader, built, canonical, compare};
use stratigraph_tests::documents::program::{Documents, Step, Written, after, steps};
use stratigraph_tests::documents::sequence::{one_by_one, together};

/// As many as take some seconds.
const SEQUENCES: u64 = 24;

#[test]
fn the_graph_is_what_the_documents_of_now_make() {
    each_sequence(one_by_one);
}

#[test]
fn documents_together_make_what_they_make_one_by_one() {
    each_sequence(together);
}

fn each_sequence(try_one: fn(u64, Reader) -> Result<()>) {
    for seed in 0..SEQUENCES {
        for reader in Reader::ALL {
            if let Err(error) = try_one(seed, reader) {
                panic!("seed {seed}: {error:?}");
            }
        }
    }
}

#[test]
fn some_edits_change_only_what_is_known_of_a_document() {
    let told = (0..SEQUENCES).map(|seed| {
        let steps = steps(seed, 16);
        let only_tells = |number: &usize| steps[*number].only_tells(&after(&steps[..*number]));
        (0..steps.len()).filter(only_tells).count()
    });
    assert!(told.sum::<usize>() > SEQUENCES as usize / 4);
}

#[test]
fn what_all_documents_said_is_gone_with_the_last() -> Result<()> {
    let profile = Profile::all();
    let db = Database::in_memory()?;
    let mut hand = Hand::at(&db, profile.clone(), Reader::Model)?;
    let steps = steps(7, 40);
    for step in &steps {
        hand.make(step)?;
    }
    for id in after(&steps).into_keys() {
        let asked = hand.embedder.texts();
        hand.make(&Step::Delete(id))?;
        assert_eq!(hand.embedder.texts(), asked);
    }
    let nothing = Database::in_memory()?;
    let nothing = Hand::at(&nothing, profile, Reader::Model)?;
    compare(&canonical(&hand.layers)?, &canonical(&nothing.layers)?)
}

#[test]
fn writers_side_by_side_leave_what_their_documents_make() -> Result<()> {
    let profile = Profile::all();
    let db = Database::in_memory()?;
    // Made once, before they begin.
    let hand = Hand::at(&db, profile.clone(), Reader::Model)?;
    let mut all = Documents::new();
    let writers: Vec<_> = (0..3_u64)
        .map(|writer| {
            let own = move |step: Step| match step {
                Step::Upsert(id, written) => Step::Upsert(format!("{writer}{id}"), written),
                Step::Delete(id) => Step::Delete(format!("{writer}{id}")),
            };
            let steps: Vec<Step> = steps(70 + writer, 12).into_iter().map(own).collect();
            all.extend(after(&steps));
            let (db, profile) = (db.clone(), profile.clone());
            std::thread::spawn(move || -> Result<()> {
                let mut hand = Hand::at(&db, profile, Reader::Model)?;
                steps.iter().try_for_each(|step| hand.make(step).map(drop))
            })
        })
        .collect();
    for writer in writers {
        writer.join().expect("no panic")?;
    }
    compare(
        &canonical(&hand.layers)?,
        &built(&all, &profile, Reader::Model)?,
    )
}

const AREAS: usize = 10;
const TOPICS: usize = 50;

/// A document with a chain of its own below areas and topics that it shares.
fn tagged(number: usize) -> (String, Written) {
    let (area, topic) = (number % AREAS, number % TOPICS);
    let chain = format!(
        "Everything (all) > Area {area} (of {number}) > Topic {topic} (of {number}) > Thing {number}"
    );
    let lines = vec!["# Notes".to_owned(), chain];
    (format!("{number:04}.md"), lines.into())
}

/// A document whose headings are such a chain to rules, with names that it shares and one of its own.
fn headed(number: usize) -> (String, Written) {
    let name = |number: usize, ends: [&str; 10]| {
        let begins = ["Ba", "Ko", "Li", "Mu", "Ne"];
        format!("{}{}", begins[number / 10 % 5], ends[number % 10])
    };
    let (area, topic) = (number % AREAS, number % TOPICS);
    let hills = [
        "ram", "sul", "ton", "vik", "zar", "lin", "dor", "pek", "gan", "mos",
    ];
    let rivers = [
        "ana", "ebo", "iri", "olu", "uma", "ave", "esk", "ino", "ora", "ulm",
    ];
    let lines = [
        format!("# Hills of {}", name(area, hills)),
        format!("## Mount {}", name(topic, hills)),
        format!(
            "A stone of it is in the Museum of {} {}, near the River {}.",
            name(number, rivers),
            name(number / TOPICS, hills),
            name(topic, rivers)
        ),
    ];
    (format!("{number:04}.md"), lines.to_vec().into())
}

/// The document of this number that such a reader finds chains in.
fn document(number: usize, reader: Reader) -> (String, Written) {
    match reader {
        Reader::Model => tagged(number),
        Reader::Rules => headed(number),
    }
}

/// A database of such documents, in which every domain has a summary.
fn summarised(numbers: std::ops::Range<usize>, reader: Reader) -> Result<Hand> {
    let mut hand = Hand::at(&Database::in_memory()?, Profile::tag(), reader)?;
    let numbers: Vec<usize> = numbers.collect();
    for portion in numbers.chunks(200) {
        let documents = portion.iter().map(|number| {
            let (id, written) = document(*number, reader);
            hand.contribution(&id, &written)
        });
        let documents = documents.collect::<Result<Vec<_>>>()?;
        hand.layers.upsert_all(&documents)?;
    }
    let nodes = domains(&hand)?;
    summarise(&hand, nodes)?;
    anyhow::ensure!(hand.layers.stale()?.is_empty(), "stale from the beginning");
    Ok(hand)
}

/// Gives these a summary of what is said of them now.
fn summarise(hand: &Hand, nodes: Vec<NodeKey>) -> Result<()> {
    for node in nodes {
        let inputs = hand.layers.inputs(&node)?.context("a domain")?;
        let summary = Summary {
            text: format!("What {} texts say.", inputs.descriptions.len()),
            model: "stub".to_owned(),
            prompt: "summary/1".to_owned(),
        };
        anyhow::ensure!(
            hand.layers.summarise(&inputs, &summary)?,
            "{node:?} is gone"
        );
    }
    Ok(())
}

fn domains(hand: &Hand) -> Result<Vec<NodeKey>> {
    let read = hand.layers.database().read()?;
    let mut domains = Vec::new();
    for node in read.nodes_with_label(Label::DomainTag.name())? {
        let key = read.property(NodeId::new(node), "key")?;
        domains.push(NodeKey::new(
            Label::DomainTag,
            key.as_str().context("a key")?,
        ));
    }
    Ok(domains)
}

#[test]
fn deleting_85_of_1000_asks_no_model_and_says_what_is_stale() -> Result<()> {
    // All areas and topics lost a document, the root nothing that others do not say as well.
    assert_eq!(deleting_85_of_1000(Reader::Model)?, AREAS + TOPICS);
    Ok(())
}

#[test]
fn deleting_85_of_1000_that_rules_have_read_writes_what_is_theirs_and_says_what_is_stale()
-> Result<()> {
    let stale = deleting_85_of_1000(Reader::Rules)?;
    // Each topic had a heading of its own, and lost something that only its documents say.
    assert!(stale >= TOPICS, "{stale}");
    Ok(())
}

/// Deletes 85 documents of 1,000, and holds what that did against what there is to be. How many summaries are stale
/// by it.
fn deleting_85_of_1000(reader: Reader) -> Result<usize> {
    let mut hand = summarised(0..1000, reader)?;
    let before: BTreeMap<NodeKey, Option<Inputs>> = domains(&hand)?
        .into_iter()
        .map(|node| Ok((node.clone(), hand.layers.inputs(&node)?)))
        .collect::<Result<_>>()?;
    let asked = (hand.embedder.texts(), hand.model_calls);
    let (keys, marked) = delete_85(&mut hand, reader)?;
    assert_eq!(asked, (hand.embedder.texts(), hand.model_calls));
    assert_eq!(hand.layers.documents()?.len(), 915);
    // Not ten times as much is written as in a tenth of them.
    let (few, _) = delete_85(&mut summarised(0..100, reader)?, reader)?;
    assert!(few > 0 && keys < 2 * few, "{keys} keys, {few} in a hundred");
    // Exactly those are stale of which something else is said now.
    let mut different = BTreeSet::new();
    for node in domains(&hand)? {
        if hand.layers.inputs(&node)? != before[&node] {
            different.insert(node);
        }
    }
    let stale: BTreeSet<NodeKey> = hand.layers.stale()?.into_iter().collect();
    assert_eq!(stale, different);
    assert!(stale.is_subset(&marked));
    // With new summaries it is as if the others had never been.
    summarise(&hand, domains(&hand)?)?;
    let fresh = summarised(85..1000, reader)?;
    compare(&canonical(&hand.layers)?, &canonical(&fresh.layers)?)?;
    Ok(stale.len())
}

/// Deletes the first documents one by one: how many keys that wrote, and which summaries it marked.
fn delete_85(hand: &mut Hand, reader: Reader) -> Result<(u64, BTreeSet<NodeKey>)> {
    let (mut keys, mut marked) = (0, BTreeSet::new());
    for number in 0..85 {
        let change = hand.make(&Step::Delete(document(number, reader).0))?;
        keys += change.keys;
        marked.extend(change.stale);
    }
    Ok((keys, marked))
}

#[test]
fn one_document_more_touches_only_its_chains() -> Result<()> {
    let (id, written) = tagged(1007);
    let mut keys = Vec::new();
    for count in [100, 1000] {
        let mut hand = summarised(0..count, Reader::Model)?;
        let asked = hand.model_calls;
        let change = hand.make(&Step::Upsert(id.clone(), written.clone()))?;
        let chain = ["everything", "area 7", "topic 7"];
        let chain = chain.map(|key| NodeKey::new(Label::DomainTag, key));
        let stale: BTreeSet<NodeKey> = chain.clone().into();
        assert_eq!(change.stale, stale);
        assert_eq!(hand.layers.stale()?, [chain[1].clone(), chain[2].clone()]);
        assert_eq!(hand.model_calls, asked + 1);
        // Its heading, its chunk and what its chain ends at.
        assert_eq!(change.vectors, 3, "{change:?}");
        keys.push(change.keys);
    }
    // As much is written whether there are a hundred or a thousand.
    assert!(keys[1] <= keys[0] + keys[0] / 10, "{keys:?}");
    Ok(())
}
