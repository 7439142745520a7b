//! The oracle's side: what a writer's part of the database must be, and how far what was found is
//! from it.

use super::graph::{Answers, Graph};
use super::keys::State;
use super::{BatchNumber, Difference, Kind, Workload, Writer, graph, keys};
use stratigraph::storage::range::Direction;
use stratigraph::{Database, Result};

/// What a writer's part of the database must be after some batch.
#[derive(Debug, Clone)]
pub struct Model {
    workload: Workload,
    writer: Writer,
    batch: BatchNumber,
    part: Part,
}

#[derive(Debug, Clone)]
enum Part {
    Graph(Graph),
    Keys(State),
}

/// What a writer's part was found to be.
#[derive(Debug, Clone)]
pub enum Found {
    /// What the graph answers to every question.
    Graph(Answers),
    /// Every pair.
    Keys(State),
}

impl Found {
    /// Reads everything of a writer.
    ///
    /// # Errors
    /// What reading reports.
    pub fn read(db: &Database, workload: Workload, writer: Writer) -> Result<Self> {
        match workload.kind(writer) {
            Kind::Keys => State::read(&db.key_read()?, writer, Direction::Forward).map(Self::Keys),
            Kind::Graph => {
                let mut answers = graph::ask_database(&db.read()?, writer);
                match answers.errors.pop() {
                    Some(error) => Err(error),
                    None => Ok(Self::Graph(answers)),
                }
            }
        }
    }
}

impl Model {
    /// The writer before its first batch.
    #[must_use]
    pub fn new(workload: Workload, writer: Writer) -> Self {
        Self {
            workload,
            writer,
            batch: BatchNumber(0),
            part: match workload.kind(writer) {
                Kind::Graph => Part::Graph(Graph::default()),
                Kind::Keys => Part::Keys(State::default()),
            },
        }
    }

    /// The writer after that batch.
    #[must_use]
    pub fn at(workload: Workload, writer: Writer, batch: BatchNumber) -> Self {
        let mut model = Self::new(workload, writer);
        model.advance_to(batch);
        model
    }

    /// What its writer does.
    #[must_use]
    pub fn workload(&self) -> Workload {
        self.workload
    }

    /// Whose part this is.
    #[must_use]
    pub fn writer(&self) -> Writer {
        self.writer
    }

    /// The last batch that is in it.
    #[must_use]
    pub fn batch(&self) -> BatchNumber {
        self.batch
    }

    /// The graph, if its writer writes one.
    #[must_use]
    pub fn graph(&self) -> Option<&Graph> {
        match &self.part {
            Part::Graph(graph) => Some(graph),
            Part::Keys(_) => None,
        }
    }

    /// Applies the next batch.
    pub fn advance(&mut self) {
        self.batch = self.batch.next();
        match &mut self.part {
            Part::Graph(graph) => {
                *graph = graph::draw(self.workload, self.writer, self.batch, graph).after;
            }
            Part::Keys(state) => {
                state.apply(keys::changes(self.workload, self.writer, self.batch));
            }
        }
    }

    /// Applies every batch up to `batch`.
    pub fn advance_to(&mut self, batch: BatchNumber) {
        while self.batch < batch {
            self.advance();
        }
    }

    /// Where what was found differs from this.
    #[must_use]
    pub fn differences(&self, found: &Found) -> Vec<Difference> {
        match (&self.part, found) {
            (Part::Keys(state), Found::Keys(found)) => state.differences(found),
            (Part::Graph(_), Found::Graph(found)) => self.answers().differences(found),
            (Part::Keys(_), Found::Graph(_)) | (Part::Graph(_), Found::Keys(_)) => {
                unreachable!("a writer writes one or the other")
            }
        }
    }

    /// What the graph must answer; nothing of a writer of keys.
    #[must_use]
    pub fn answers(&self) -> Answers {
        let mut answers = match &self.part {
            Part::Graph(graph) => graph::ask_model(graph, self.writer),
            Part::Keys(_) => return Answers::default(),
        };
        // Declaring takes several commits before a batch, of which a crash may leave some.
        answers.undeclared = graph::may_be_undeclared(self.workload, self.writer, self.batch);
        answers
    }

    fn fits(&self, found: &Found) -> bool {
        // Progress leaves few candidates; everything decides.
        let progress = match (&self.part, found) {
            (Part::Keys(state), Found::Keys(found)) => {
                state.progress(self.writer) == found.progress(self.writer)
            }
            (Part::Graph(graph), Found::Graph(found)) => graph.progress() == found.progress(),
            (Part::Keys(_), Found::Graph(_)) | (Part::Graph(_), Found::Keys(_)) => false,
        };
        progress && self.differences(found).is_empty()
    }

    /// The batch, up to this model's, after which its writer's part was as found.
    #[must_use]
    pub fn locate(&self, found: &Found) -> Option<BatchNumber> {
        let mut earlier = Self::new(self.workload, self.writer);
        loop {
            if earlier.fits(found) {
                return Some(earlier.batch);
            }
            if earlier.batch >= self.batch {
                return None;
            }
            earlier.advance();
        }
    }

    /// The batch from this model's to `last` that what was found differs least from, and where.
    #[must_use]
    pub fn nearest(&self, found: &Found, last: BatchNumber) -> (BatchNumber, Vec<Difference>) {
        let mut candidate = self.clone();
        let mut least = (candidate.batch, candidate.differences(found));
        while candidate.batch < last && !least.1.is_empty() {
            candidate.advance();
            let differences = candidate.differences(found);
            if differences.len() < least.1.len() {
                least = (candidate.batch, differences);
            }
        }
        least
    }
}

/// What [`verify`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// Everything is exactly as after this batch.
    Exact(BatchNumber),
    /// Everything is as after this batch, but later ones had been acknowledged.
    Lost(BatchNumber),
    /// No single batch fits; where it differs from the nearest one that could.
    Torn(BatchNumber, Vec<Difference>),
}

/// Compares a writer's part of the database with `model`, which stands at the last acknowledged
/// batch. Batches up to `attempted` may be there too.
///
/// # Errors
/// What reading reports: that is for the harness to judge.
pub fn verify(db: &Database, model: &Model, attempted: BatchNumber) -> Result<Verdict> {
    let found = Found::read(db, model.workload, model.writer)?;
    Ok(judge(&found, model, attempted))
}

/// As [`verify`], of what was read already.
pub fn judge(found: &Found, model: &Model, attempted: BatchNumber) -> Verdict {
    let (nearest, differences) = model.nearest(found, attempted);
    if differences.is_empty() {
        return Verdict::Exact(nearest);
    }
    match model.locate(found) {
        Some(batch) => Verdict::Lost(batch),
        None => Verdict::Torn(nearest, differences),
    }
}
