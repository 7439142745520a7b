//! Questions, and what they get.

use stratigraph::ReadTxn;

use super::{DoorError, Library, Open};
use crate::retrieve::{Desk, Pipeline, Question, Receipt, Retrieved, Standing};

impl Open {
    /// Retrieves what answers a question, as of the last commit.
    ///
    /// # Errors
    /// What the pipeline or the database says.
    pub fn retrieve(
        &self,
        pipeline: &Pipeline,
        question: &Question,
    ) -> Result<Retrieved, DoorError> {
        self.retrieve_from(&self.layers().database().read()?, pipeline, question)
    }

    /// The same as of a snapshot, which whoever has it may cancel.
    ///
    /// # Errors
    /// What the pipeline or the database says.
    pub fn retrieve_from(
        &self,
        read: &ReadTxn,
        pipeline: &Pipeline,
        question: &Question,
    ) -> Result<Retrieved, DoorError> {
        let desk = Desk::new(read, self.layers().embedder(), question);
        Ok(pipeline.retrieve(&desk)?)
    }
}

impl Library {
    /// Whether what receipts were given on still stands, as of the last commit.
    ///
    /// # Errors
    /// What the database says.
    pub fn verify(&self, receipts: &[Receipt]) -> Result<Vec<Standing>, DoorError> {
        let read = self.database().read()?;
        let standing = receipts.iter().map(|receipt| receipt.verify(&read));
        Ok(standing.collect::<Result<_, _>>()?)
    }
}
