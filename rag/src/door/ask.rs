//! Questions, and what they get.

use std::cell::RefCell;

use stratigraph::ReadTxn;
use stratigraph::storage::cancel::CancelToken;

use super::{DoorError, Library, Open};
use crate::answer::{Answer, Answering, Event};
use crate::calibrate::key;
use crate::retrieve::{Desk, Pipeline, Question, Receipt, Retrieved, Standing, Traced};

impl Open {
    /// Retrieves what answers a question, as of the last commit, unless it is cancelled. It tells below which confidence an answer
    /// from it is refused, if the pipeline is calibrated.
    ///
    /// # Errors
    /// What the pipeline or the database says.
    pub fn retrieve(
        &self,
        pipeline: &Pipeline,
        question: &Question,
        cancel: &CancelToken,
    ) -> Result<Retrieved, DoorError> {
        let read = self.layers().database().read()?;
        self.retrieve_from(&read.with_cancel(cancel.clone()), pipeline, question)
    }

    /// The same as of a snapshot.
    ///
    /// # Errors
    /// What the pipeline or the database says.
    pub fn retrieve_from(
        &self,
        read: &ReadTxn,
        pipeline: &Pipeline,
        question: &Question,
    ) -> Result<Retrieved, DoorError> {
        let mut retrieved = self.at_desk(read, question, |desk| pipeline.retrieve(&desk))?;
        retrieved.threshold = self.threshold(read, pipeline)?;
        Ok(retrieved)
    }

    /// Answers a question from what a pipeline retrieves, as of the last commit, unless it is cancelled: with the model of this
    /// process, or in sentences of the documents themselves. `told` hears of it as it comes.
    ///
    /// ```
    /// use stratigraph::Database;
    /// use stratigraph::storage::cancel::CancelToken;
    /// use stratigraph_rag::door::{Ask, Equipment, Library};
    /// use stratigraph_rag::retrieve::{Pipeline, Question};
    ///
    /// let db = Database::in_memory()?;
    /// let library = Library::new(&db, Equipment::default());
    /// library.register()?;
    /// db.query("CALL rag.createLayers('structure')", ())?;
    /// db.query(
    ///     "CALL rag.upsertDocument({id: 'rocks.md', content: '# Rocks\n\nBasalt comes from Etna. It is dark.'})",
    ///     (),
    /// )?;
    /// let (pipeline, question) = (Pipeline::preset("vector")?, Question::new("Where does basalt come from?")?);
    /// let ask = Ask::new(&pipeline, &question);
    /// let answer = library.open()?.ask(&ask, &CancelToken::new(), &mut |_| ())?;
    /// assert_eq!(answer.answer[0].text, "Basalt comes from Etna.");
    /// assert_eq!(answer.sources[0].receipt.places[0].document, "rocks.md");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What the pipeline, the model or the database says. A refusal is an answer and no error.
    pub fn ask(
        &self,
        ask: &Ask<'_>,
        cancel: &CancelToken,
        told: &mut dyn FnMut(Event<'_>),
    ) -> Result<Answer, DoorError> {
        let read = self.layers().database().read()?;
        self.ask_from(&read.with_cancel(cancel.clone()), ask, cancel, told)
    }

    /// The same as of a snapshot.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn ask_from(
        &self,
        read: &ReadTxn,
        ask: &Ask<'_>,
        cancel: &CancelToken,
        told: &mut dyn FnMut(Event<'_>),
    ) -> Result<Answer, DoorError> {
        let threshold = self.threshold(read, ask.pipeline)?;
        let model = self.equipment().answers().filter(|_| !ask.verbatim);
        let model = model.map(|model| model.writing(ask.pipeline.answer));
        // Who is told hears of stages from the desk, and of the rest from whoever answers.
        let told = RefCell::new(told);
        let tell = |event: Event<'_>| (*told.borrow_mut())(event);
        let listener = |stage: &Traced| tell(Event::Stage(stage));
        self.at_desk(read, ask.question, |desk| {
            let desk = desk.with_listener(&listener);
            let mut retrieved = ask.pipeline.retrieve(&desk)?;
            retrieved.threshold = threshold;
            let answering = Answering {
                desk: &desk,
                retrieved: &retrieved,
                model: model.as_ref(),
                cancel,
            };
            answering.run(&mut &tell)
        })
    }

    /// Below which confidence questions of a pipeline are refused; nothing if nobody has calibrated it.
    fn threshold(&self, read: &ReadTxn, pipeline: &Pipeline) -> Result<Option<f32>, DoorError> {
        let calibration = self.calibration(read, pipeline)?;
        Ok(calibration.map(|calibration| calibration.threshold))
    }

    /// What all operators have at hand, with the models of this process.
    pub(crate) fn at_desk<T>(
        &self,
        read: &ReadTxn,
        question: &Question,
        work: impl FnOnce(Desk<'_, ReadTxn>) -> T,
    ) -> T {
        let relevance = self.equipment().relevance();
        let reader = self.equipment().question_reader();
        let mut desk = Desk::new(read, self.layers().embedder(), question).with_statements(read);
        if let Some(reranker) = self.equipment().its_reranker() {
            desk = desk.with_reranker(&**reranker);
        }
        if let Some(relevance) = &relevance {
            desk = desk.with_relevance(relevance);
        }
        if let Some(reader) = &reader {
            desk = desk.with_question_reader(reader);
        }
        if let Some(generator) = self.generator() {
            desk = desk.with_generator(generator);
        }
        work(desk)
    }

    /// What the threshold of a pipeline is kept under.
    pub(crate) fn calibration_key(&self, pipeline: &Pipeline) -> String {
        let reranker = self.equipment().its_reranker().map(|one| one.name());
        let model = self.equipment().its_model().map(|one| one.name());
        key(pipeline, self.embedder_name(), (reranker, model))
    }
}

/// What is asked, and how it is answered.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Ask<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) question: &'a Question,
    pub(super) verbatim: bool,
}

impl<'a> Ask<'a> {
    /// This question, from what this pipeline retrieves.
    pub fn new(pipeline: &'a Pipeline, question: &'a Question) -> Self {
        Self {
            pipeline,
            question,
            verbatim: false,
        }
    }

    /// In sentences of the documents themselves, also if there is a model.
    pub fn verbatim(mut self, verbatim: bool) -> Self {
        self.verbatim = verbatim;
        self
    }
}

/// So many receipts are looked at in one call.
pub const MOST_RECEIPTS: usize = 10_000;

impl Library {
    /// Whether what receipts were given on still stands, as of the last commit, unless it is cancelled.
    ///
    /// # Errors
    /// What the database says.
    pub fn verify(
        &self,
        receipts: &[Receipt],
        cancel: &CancelToken,
    ) -> Result<Vec<Standing>, DoorError> {
        let read = self.database().read()?.with_cancel(cancel.clone());
        let standing = receipts.iter().map(|receipt| receipt.verify(&read));
        Ok(standing.collect::<Result<_, _>>()?)
    }
}
