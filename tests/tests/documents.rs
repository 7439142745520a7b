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

/// A database of such documents, in which every domain has a summary.
fn summarised(numbers: std::ops::Range<usize>) -> Result<Hand> {
    let mut hand = Hand::at(&Database::in_memory()?, Profile::tag(), Reader::Model)?;
    let numbers: Vec<usize> = numbers.collect();
    for portion in numbers.chunks(200) {
        let documents = portion.iter().map(|number| {
            let (id, written) = tagged(*number);
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
    let mut hand = summarised(0..1000)?;
    let before: BTreeMap<NodeKey, Option<Inputs>> = domains(&hand)?
        .into_iter()
        .map(|node| Ok((node.clone(), hand.layers.inputs(&node)?)))
        .collect::<Result<_>>()?;
    let asked = (hand.embedder.texts(), hand.model_calls);
    let mut marked = BTreeSet::new();
    for number in 0..85 {
        marked.extend(hand.make(&Step::Delete(tagged(number).0))?.stale);
    }
    assert_eq!(asked, (hand.embedder.texts(), hand.model_calls));
    assert_eq!(hand.layers.documents()?.len(), 915);
    // Exactly those of which something else is said now. All areas and topics lost a document, the root nothing that
    // others do not say as well.
    let mut different = BTreeSet::new();
    for node in domains(&hand)? {
        if hand.layers.inputs(&node)? != before[&node] {
            different.insert(node);
        }
    }
    let stale: BTreeSet<NodeKey> = hand.layers.stale()?.into_iter().collect();
    assert_eq!(stale, different);
    assert_eq!(stale.len(), AREAS + TOPICS);
    assert!(stale.is_subset(&marked));
    // With new summaries it is as if the others had never been.
    summarise(&hand, domains(&hand)?)?;
    let fresh = summarised(85..1000)?;
    compare(&canonical(&hand.layers)?, &canonical(&fresh.layers)?)
}

#[test]
fn one_document_more_touches_only_its_chains() -> Result<()> {
    let (id, written) = tagged(1007);
    let mut keys = Vec::new();
    for count in [100, 1000] {
        let mut hand = summarised(0..count)?;
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
