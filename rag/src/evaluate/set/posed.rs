//! Questions as they are put to somebody who answers: with or without anybody saying what is right.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;

use super::questions::{answers_of, kind_in, limited, only_of};
use super::rows::{id_of, rows};
use super::{SetError, once};
use crate::Metadata;
use crate::retrieve::{Question, RetrieveError};

/// A question that somebody answers, who is judged by that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posed {
    /// Its name among those of the set.
    pub id: String,
    /// The question.
    pub text: String,
    /// Of which kind the set says it is, in one word; empty if it does not.
    pub kind: String,
    /// The metadata that it is limited to.
    pub only: Metadata,
    /// Right answers, if anybody says any.
    pub references: Vec<String>,
    /// Whether the set says that nothing answers it, so that a refusal is right.
    pub nothing: bool,
}

impl Posed {
    /// The questions of a set, or of a folder that has nothing but `questions.jsonl`. Those that the set says are not
    /// covered by its corpus are left out.
    ///
    /// # Errors
    /// [`SetError`], with the file and the line.
    pub fn read(folder: &Path) -> Result<Vec<Self>, SetError> {
        let posed = rows(folder, "questions", |row, number| {
            if row["covered"] == Json::Bool(false) {
                return Ok(None);
            }
            let text = row["question"].as_str().ok_or("has no `question`")?;
            let gold = row["gold"].as_array();
            Ok(Some(Self {
                id: id_of(&row["id"]).unwrap_or_else(|| number.to_string()),
                text: text.to_owned(),
                kind: kind_in(row),
                only: only_of(row),
                references: answers_of(row),
                nothing: gold.is_some_and(Vec::is_empty),
            }))
        })?;
        let posed: Vec<Self> = posed.into_iter().flatten().collect();
        once("questions", posed.iter().map(|one| &one.id))?;
        Ok(posed)
    }

    /// The metadata that any of these is limited to.
    #[must_use]
    pub fn filters(posed: &[Self]) -> BTreeSet<&str> {
        let names = posed.iter().flat_map(|one| one.only.keys());
        names.map(String::as_str).collect()
    }

    /// As it is asked.
    ///
    /// # Errors
    /// [`RetrieveError::EmptyQuestion`], [`RetrieveError::LongQuestion`].
    pub fn question(&self) -> Result<Question, RetrieveError> {
        limited(&self.text, &self.only)
    }
}
