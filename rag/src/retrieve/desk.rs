//! What all operators have at hand for a question.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::{
    Effort, How, NodeId, Read, RelationshipId, TextAnswer, VectorAnswer, VectorSearch,
};
use stratigraph_models::{Embedder, Generator, ModelError, Purpose, Reranker, Rows};

use super::confidence::{Wanted, wanted};
use super::implied::Implied;
use super::{Question, RetrieveError, Traced};
use crate::build::Label;
use crate::extract::model::{QuestionReader, Relevance};
use crate::routes::Statements;

/// What operators work with: a snapshot of the graph, and the question in all its forms, each made once.
pub struct Desk<'a, R> {
    read: &'a R,
    embedder: &'a dyn Embedder,
    question: &'a Question,
    reranker: Option<&'a dyn Reranker>,
    relevance: Option<&'a Relevance>,
    question_reader: Option<&'a QuestionReader>,
    /// Chunks that are not there for this question.
    without: Option<RoaringTreemap>,
    statements: Option<&'a dyn Statements>,
    generator: Option<&'a dyn Generator>,
    listener: Option<&'a dyn Fn(&Traced)>,
    vector: OnceCell<Vec<f32>>,
    allowed: OnceCell<Option<RoaringTreemap>>,
    /// What was looked at so far, and whether it rests on what the question has chosen.
    pub(super) rests: RefCell<HashMap<Entity, bool>>,
    /// The facts of the chosen chunks, if these are few.
    pub(super) facts: OnceCell<Option<RoaringTreemap>>,
    /// The ends of what was looked at so far; nothing of what is no fact.
    pub(super) ends: RefCell<HashMap<RelationshipId, Option<[NodeId; 2]>>>,
    implied: OnceCell<Implied>,
    meant: OnceCell<Option<RoaringTreemap>>,
    /// What a search for all of its words has said of them.
    counted: OnceCell<TextAnswer>,
    wanted: OnceCell<Wanted>,
    was_approximate: Cell<bool>,
}

impl<'a, R: Read> Desk<'a, R> {
    /// For one question. The embedder has to be that of the graph's vectors.
    pub fn new(read: &'a R, embedder: &'a dyn Embedder, question: &'a Question) -> Self {
        Self {
            read,
            embedder,
            question,
            reranker: None,
            relevance: None,
            question_reader: None,
            without: None,
            statements: None,
            generator: None,
            listener: None,
            vector: OnceCell::new(),
            allowed: OnceCell::new(),
            rests: RefCell::default(),
            facts: OnceCell::new(),
            ends: RefCell::default(),
            implied: OnceCell::new(),
            meant: OnceCell::new(),
            counted: OnceCell::new(),
            wanted: OnceCell::new(),
            was_approximate: Cell::new(false),
        }
    }

    /// With a model that orders what was found.
    #[must_use]
    pub fn with_reranker(mut self, reranker: &'a dyn Reranker) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// With a model that says what is about the question.
    #[must_use]
    pub fn with_relevance(mut self, relevance: &'a Relevance) -> Self {
        self.relevance = Some(relevance);
        self
    }

    /// With a model that puts the question in other words, and reads it as facts.
    #[must_use]
    pub fn with_question_reader(mut self, reader: &'a QuestionReader) -> Self {
        self.question_reader = Some(reader);
        self
    }

    /// The same question, as if these chunks were not there. What was made of its words is kept.
    pub(crate) fn without(mut self, chunks: RoaringTreemap) -> Self {
        self.without = Some(chunks);
        self.allowed = OnceCell::new();
        self.rests = RefCell::default();
        self.facts = OnceCell::new();
        self.meant = OnceCell::new();
        self.was_approximate = Cell::new(false);
        self
    }

    /// With what runs the statements of declared queries: the snapshot itself.
    #[must_use]
    pub fn with_statements(mut self, statements: &'a dyn Statements) -> Self {
        self.statements = Some(statements);
        self
    }

    /// With a model that says which declared query a question is for.
    #[must_use]
    pub fn with_generator(mut self, generator: &'a dyn Generator) -> Self {
        self.generator = Some(generator);
        self
    }

    /// With somebody who hears of each stage of a pipeline once it is done.
    #[must_use]
    pub fn with_listener(mut self, listener: &'a dyn Fn(&Traced)) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Tells that a stage is done.
    pub(super) fn tell(&self, stage: &Traced) {
        if let Some(listener) = self.listener {
            listener(stage);
        }
    }

    pub(super) fn statements(&self) -> Result<&'a dyn Statements, RetrieveError> {
        self.statements.ok_or(RetrieveError::NoStatements)
    }

    pub(super) fn generator(&self) -> Option<&'a dyn Generator> {
        self.generator
    }

    pub(super) fn reranker(&self) -> Result<&'a dyn Reranker, RetrieveError> {
        self.reranker.ok_or(RetrieveError::NoModel {
            operator: "rerank",
            flag: "--reranker NAME",
            given_by: "with_reranker",
        })
    }

    /// Who says what is about the question, for an operator.
    pub(super) fn relevance(&self, operator: &'static str) -> Result<&'a Relevance, RetrieveError> {
        self.relevance.ok_or(RetrieveError::NoModel {
            operator,
            flag: "--llm URL --model NAME",
            given_by: "with_relevance",
        })
    }

    /// Who reads the question for an operator; nobody, and no error, if that may be.
    pub(super) fn question_reader(
        &self,
        operator: &'static str,
        may_be_nobody: bool,
    ) -> Result<Option<&'a QuestionReader>, RetrieveError> {
        match self.question_reader {
            None if !may_be_nobody => Err(RetrieveError::NoModel {
                operator,
                flag: "--llm URL --model NAME",
                given_by: "with_question_reader",
            }),
            reader => Ok(reader),
        }
    }

    /// The graph.
    pub(crate) fn read(&self) -> &'a R {
        self.read
    }

    /// Whose vectors it has.
    pub(crate) fn embedder(&self) -> &'a dyn Embedder {
        self.embedder
    }

    /// Searches an index, as hard as the question has it, and notes if it may have missed something.
    pub(super) fn search_vectors(
        &self,
        index: &str,
        search: &VectorSearch<'_>,
    ) -> Result<VectorAnswer, RetrieveError> {
        let answer = match self.question.is_exact() {
            true => {
                let search = search.clone().effort(Effort::Proven);
                self.read.search_vectors(index, &search)?
            }
            false => self.read.search_vectors(index, search)?,
        };
        if answer.how == How::Approximate {
            self.was_approximate.set(true);
        }
        Ok(answer)
    }

    /// Keeps what a search for all of the question's words has said of them.
    pub(super) fn has_counted(&self, answer: TextAnswer) {
        let _ = self.counted.set(answer);
    }

    /// The words of the question that say something.
    pub(crate) fn wanted(&self) -> Result<&Wanted, RetrieveError> {
        if let Some(wanted) = self.wanted.get() {
            return Ok(wanted);
        }
        let wanted = wanted(self, self.counted.get())?;
        Ok(self.wanted.get_or_init(|| wanted))
    }

    /// Notes that a search may have missed something.
    pub(super) fn missed_something(&self) {
        self.was_approximate.set(true);
    }

    /// Whether work may go on that reads nothing: whoever does much of it asks now and then.
    pub(super) fn may_go_on(&self) -> Result<(), RetrieveError> {
        // Whoever was stopped is refused to read, also where there is nothing to read.
        self.read.nodes_with(&[], &[])?;
        Ok(())
    }

    /// Whether no search so far can have missed anything.
    pub(super) fn was_exact(&self) -> bool {
        !self.was_approximate.get()
    }

    /// The question.
    pub(super) fn question(&self) -> &'a Question {
        self.question
    }

    /// The question's words.
    pub(crate) fn text(&self) -> &'a str {
        self.question.text()
    }

    /// The question's vector.
    pub(crate) fn vector(&self) -> Result<&[f32], RetrieveError> {
        if let Some(vector) = self.vector.get() {
            return Ok(vector);
        }
        let rows = self.embedder.embed_questions(&[self.question.text()])?;
        let row = rows.row(0).ok_or_else(|| ModelError::WrongRows {
            texts: 1,
            dimensions: self.embedder.dimensions(),
            found_rows: rows.len(),
            found_dimensions: rows.dimensions(),
        })?;
        Ok(self.vector.get_or_init(|| row.to_vec()))
    }

    /// The vectors of other texts than the question.
    pub(super) fn vectors(
        &self,
        purpose: Purpose,
        texts: &[String],
    ) -> Result<Rows, RetrieveError> {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let dimensions = self.embedder.dimensions();
        if texts.is_empty() {
            return Ok(Rows::zeros(0, dimensions)?);
        }
        let rows = self.embedder.embed_for(purpose, &texts)?;
        match rows.len() == texts.len() && rows.dimensions() == dimensions {
            true => Ok(rows),
            false => Err(ModelError::WrongRows {
                texts: texts.len(),
                dimensions,
                found_rows: rows.len(),
                found_dimensions: rows.dimensions(),
            }
            .into()),
        }
    }

    /// Which chunks the question is about; nothing if it is about all.
    pub(super) fn allowed(&self) -> Result<Option<&RoaringTreemap>, RetrieveError> {
        if let Some(allowed) = self.allowed.get() {
            return Ok(allowed.as_ref());
        }
        let allowed = match (&self.without, self.question.chunks(self.read)?) {
            (None, chosen) => chosen,
            (Some(without), Some(chosen)) => Some(chosen - without),
            (Some(without), None) => {
                Some(self.read.nodes_with_label(Label::Chunk.name())? - without)
            }
        };
        Ok(self.allowed.get_or_init(|| allowed).as_ref())
    }

    /// The same if the question itself chooses some, and nothing if it does not.
    pub(super) fn chosen(&self) -> Result<Option<&RoaringTreemap>, RetrieveError> {
        match self.question.filters().is_empty() {
            true => Ok(None),
            false => self.allowed(),
        }
    }

    /// What the question means without choosing it.
    pub(super) fn implied(&self) -> Result<&Implied, RetrieveError> {
        if let Some(implied) = self.implied.get() {
            return Ok(implied);
        }
        let implied = Implied::of(self)?;
        Ok(self.implied.get_or_init(|| implied))
    }

    /// Of the chunks that the question is about those that it means by properties that it names; nothing if it names none.
    pub(super) fn meant(&self) -> Result<Option<&RoaringTreemap>, RetrieveError> {
        if let Some(meant) = self.meant.get() {
            return Ok(meant.as_ref());
        }
        let meant = match (self.implied()?.within(), self.allowed()?) {
            (Some(within), Some(allowed)) => Some(within & allowed),
            (Some(within), None) => Some(within.clone()),
            (None, _) => None,
        };
        Ok(self.meant.get_or_init(|| meant).as_ref())
    }
}
