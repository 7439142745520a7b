//! Ours: the same documents through [`Ingest`], into a database on disk with durable commits.

use super::Built;
use super::content::Text;
use super::model::{Spent, Stirred, Teller, Told};
use crate::measure::memory;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use stratigraph::{Database, Read};
use stratigraph_rag::build::Layers;
use stratigraph_rag::chunk::Words;
use stratigraph_rag::ingest::{Ingest, Recipe, System};
use stratigraph_rag::read::{Format, Source};
use stratigraph_rag::retrieve::{Desk, Pipeline, Question};

/// So many calls at once: nano-graphrag makes as many, LightRAG four.
const CALLS: usize = 16;

/// What is asked of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// What the peers ask: one call a chunk, for entities and relations with their descriptions. Replies are not kept, as
    /// theirs are not.
    Alike,
    /// TagRAG's graph, which has chains of domains besides: one call more for each name of a chunk, all replies kept.
    Chains,
}

/// What is retrieved with: chunks that are near, and facts of what the question names.
const PRESET: &str = "hybrid";

/// Builds a graph in the folder `dir`, and asks it these questions.
pub(super) fn build(
    dir: &Path,
    texts: &[Text],
    questions: &[String],
    asking: Asking,
) -> Result<Built> {
    memory::reset_peak()?;
    let (asked, embedded) = (Arc::new(Spent::default()), Arc::new(Spent::default()));
    let (last, first) = texts.split_last().context("no documents")?;
    let recipe = Recipe::new(System::Tag, 8192);
    let began = Instant::now();
    let db = Database::create(dir)?;
    let layers = Layers::open(&db, recipe.profile(), Arc::new(Stirred(embedded.clone())))?;
    let ingest = || {
        let ingest = Ingest::new(&layers, &recipe).measure(&Words);
        match asking {
            Asking::Alike => ingest.extractor(Box::new(Told(asked.clone()))).threads(1),
            Asking::Chains => ingest.model(Arc::new(Teller(asked.clone()))).threads(CALLS),
        }
    };
    let chunks = take_in(&ingest(), first)?;
    // Of calls at the same time nobody can say how much longer they made it, and nothing is taken off.
    let others = || match asking {
        Asking::Alike => embedded.time() + asked.time(),
        Asking::Chains => embedded.time(),
    };
    let build_s = (began.elapsed() - others()).as_secs_f64();
    let (began, before) = (Instant::now(), others());
    let more = take_in(&ingest(), std::slice::from_ref(last))?;
    let one_more_s = (began.elapsed() - (others() - before)).as_secs_f64();
    ensure!(asked.calls() > 0, "nobody was asked");
    let embedder = Stirred(embedded.clone());
    let (began, before) = (Instant::now(), embedded.time());
    for question in questions {
        let found = retrieve(&db, &embedder, question)?;
        ensure!(found > 0, "nothing was found for {question:?}");
    }
    let query_s = (began.elapsed() - (embedded.time() - before)).as_secs_f64();
    let read = db.read()?;
    let (entities, relations) = (
        read.node_count(Some("Entity"))?,
        read.relationship_count(Some("FACT"))?,
    );
    Ok(Built {
        build_s,
        one_more_s,
        query_s: query_s / questions.len() as f64,
        chunks: (chunks + more) as f64,
        entities: entities as f64,
        relations: relations as f64,
        peak_mb: memory::peak()? as f64 / 1e6,
    })
}

/// How much is found for a question.
fn retrieve(db: &Database, embedder: &Stirred, question: &str) -> Result<usize> {
    let (read, question) = (db.read()?, Question::new(question)?);
    let desk = Desk::new(&read, embedder, &question);
    Ok(Pipeline::preset(PRESET)?.retrieve(&desk)?.found.len())
}

fn take_in(ingest: &Ingest<'_>, texts: &[Text]) -> Result<usize> {
    let documents = texts
        .iter()
        .map(|text| Source::new(&text.id, text.text.as_bytes()).read(Format::Plain));
    let report = ingest.run(documents, &|_| ());
    if let Some(failed) = report.problems.failed.first() {
        anyhow::bail!("{:?}: {}", failed.document, failed.error);
    }
    ensure!(report.ended.is_none(), "it ended early");
    ensure!(
        report.documents == texts.len(),
        "{} documents",
        report.documents
    );
    Ok(report.pieces)
}
