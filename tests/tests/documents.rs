//! The law of documents: whatever came, changed and went, the graph is the one that the documents of now make.
//!
//! `STRATIGRAPH_DOCUMENT_SEQUENCES=500` tries so many random sequences.

use anyhow::{Context, Result};
use stratigraph::Database;
use stratigraph_rag::build::Profile;
use stratigraph_tests::documents::hand::{Hand, built, canonical, compare};
use stratigraph_tests::documents::program::{Step, after, steps};

const STEPS: usize = 16;

fn sequences() -> u64 {
    let count = std::env::var("STRATIGRAPH_DOCUMENT_SEQUENCES").ok();
    count.map_or(24, |count| count.parse().expect("a number of sequences"))
}

fn profile(seed: u64) -> Profile {
    match seed % 6 {
        0 => Profile::bag(),
        1 => Profile::tag(),
        2 => Profile::triples(),
        _ => Profile::all(),
    }
}

/// One sequence in memory, in which the embedder fails now and then.
fn try_sequence(seed: u64) -> Result<()> {
    let db = Database::in_memory()?;
    let profile = profile(seed);
    let mut hand = Hand::at(&db, profile.clone())?;
    let steps = steps(seed, STEPS);
    for (number, step) in steps.iter().enumerate() {
        if number % 5 == 3 {
            hand.embedder.fail(1);
            // Deleting asks for no vector, and some changes do not either.
            let refused = hand.make(step);
            hand.embedder.fail(0);
            let before = after(&steps[..number + usize::from(refused.is_ok())]);
            compare(&canonical(&hand.layers)?, &built(&before, &profile)?)
                .with_context(|| format!("after a failure, step {number}: {step:?}"))?;
        }
        hand.make(step)?;
        let asked = (hand.embedder.texts(), hand.model_calls);
        let again = hand.make(step)?;
        anyhow::ensure!(
            (again.written, again.deleted, again.keys, again.vectors) == (0, 0, 0, 0)
                && asked == (hand.embedder.texts(), hand.model_calls),
            "step {number} once more did {again:?}"
        );
    }
    let found = canonical(&hand.layers)?;
    compare(&found, &built(&after(&steps), &profile)?).with_context(|| format!("{steps:#?}"))
}

#[test]
fn the_graph_is_what_the_documents_of_now_make() {
    for seed in 0..sequences() {
        if let Err(error) = try_sequence(seed) {
            panic!("seed {seed}: {error:?}");
        }
    }
}

#[test]
fn what_all_documents_said_is_gone_with_the_last() -> Result<()> {
    let profile = Profile::all();
    let db = Database::in_memory()?;
    let mut hand = Hand::at(&db, profile.clone())?;
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
    let nothing = Hand::at(&nothing, profile)?;
    compare(&canonical(&hand.layers)?, &canonical(&nothing.layers)?)
}
