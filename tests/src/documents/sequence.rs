//! One sequence in memory: after each step, and at its end, the graph is held against one that is built anew.

use anyhow::{Context, Result, ensure};
use stratigraph::Database;

use super::hand::{Hand, Reader, built, canonical, compare};
use super::program::{Step, after, profile, steps};

/// So many steps a sequence has.
const STEPS: usize = 16;

/// Each step is a commit of its own, and the embedder fails now and then.
///
/// # Errors
/// If the graph is another than it should be, or more was done than had to be.
pub fn one_by_one(seed: u64, reader: Reader) -> Result<()> {
    let db = Database::in_memory()?;
    let profile = profile(seed);
    let mut hand = Hand::at(&db, profile.clone(), reader)?;
    let steps = steps(seed, STEPS);
    for (number, step) in steps.iter().enumerate() {
        let before = after(&steps[..number]);
        if number % 5 == 3 {
            hand.embedder.fail(1);
            // Deleting asks for no vector, and some changes do not either.
            let refused = hand.make(step);
            hand.embedder.fail(0);
            let before = after(&steps[..number + usize::from(refused.is_ok())]);
            compare(
                &canonical(&hand.layers)?,
                &built(&before, &profile, reader)?,
            )
            .with_context(|| format!("{reader:?}: after a failure, step {number}: {step:?}"))?;
        }
        let asked = (hand.embedder.texts(), hand.model_calls);
        let change = hand.make(step)?;
        if step.only_tells(&before) {
            ensure!(
                change.vectors == 0 && asked == (hand.embedder.texts(), hand.model_calls),
                "{reader:?}: step {number} changes no text and did {change:?}"
            );
        }
        let asked = (hand.embedder.texts(), hand.model_calls);
        let again = hand.make(step)?;
        ensure!(
            (again.written, again.deleted, again.keys, again.vectors) == (0, 0, 0, 0)
                && asked == (hand.embedder.texts(), hand.model_calls),
            "{reader:?}: step {number} once more did {again:?}"
        );
    }
    ensure!(
        reader == Reader::Model || hand.model_calls == 0,
        "rules asked a model"
    );
    let found = canonical(&hand.layers)?;
    compare(&found, &built(&after(&steps), &profile, reader)?)
        .with_context(|| format!("{reader:?}: {steps:#?}"))
}

/// Documents that come one after the other are one commit.
///
/// # Errors
/// If the graph is another than it should be.
pub fn together(seed: u64, reader: Reader) -> Result<()> {
    let profile = profile(seed);
    let mut hand = Hand::at(&Database::in_memory()?, profile.clone(), reader)?;
    let steps = steps(seed, STEPS);
    let mut together = Vec::new();
    for step in &steps {
        match step {
            Step::Upsert(id, written) => together.push((id.as_str(), written)),
            Step::Delete(_) => {
                hand.upsert_all(&std::mem::take(&mut together))?;
                hand.make(step)?;
            }
        }
    }
    hand.upsert_all(&together)?;
    let expected = built(&after(&steps), &profile, reader)?;
    compare(&canonical(&hand.layers)?, &expected).with_context(|| format!("{reader:?}: {steps:#?}"))
}
