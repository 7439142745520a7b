//! Questions, and what they get.

use stratigraph::ReadTxn;
use stratigraph::storage::cancel::CancelToken;

use super::{DoorError, Library, Open};
use crate::retrieve::{Desk, Pipeline, Question, Receipt, Retrieved, Standing};

impl Open {
    /// Retrieves what answers a question, as of the last commit, unless it is cancelled.
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
        let desk = Desk::new(read, self.layers().embedder(), question).with_statements(read);
        let desk = match self.generator() {
            Some(generator) => desk.with_generator(generator),
            None => desk,
        };
        Ok(pipeline.retrieve(&desk)?)
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
