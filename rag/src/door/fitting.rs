//! Whether an embedder can read what will come, and which is taken for a new database if it cannot.
//!
//! A database keeps to one embedder, so this is asked once: before its layers are made, by some of the texts that will
//! lie in it. Whatever is taken, whoever opens the database is told if it is not what the process was started with.

use std::sync::Arc;

use stratigraph_models::{Embedder, Lexical, choose_embedder, knows_english_alone};

use super::incoming::Ready;
use super::{DoorError, Equipment, Incoming};
use crate::extract::Language;

/// So many bytes of a text are looked at.
const BEGINNING: usize = 4 << 10;
/// So many facts of a list are.
const FACTS: usize = 32;

/// The embedder for texts like these, and what is to be told if it is not the one that was wanted.
#[derive(Clone)]
pub struct Fitting {
    /// What will make the vectors.
    pub embedder: Arc<dyn Embedder>,
    /// Why it is another one.
    pub note: Option<String>,
}

impl Fitting {
    /// The wanted embedder, if it can read these texts and knows their language, as far as either can be told; otherwise
    /// the one of letters. Without texts it is the wanted one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stratigraph_models::Lexical;
    /// use stratigraph_rag::door::Fitting;
    ///
    /// let fitting = Fitting::of(Arc::new(Lexical::new()), &["审计报告"])?;
    /// assert!(fitting.note.is_none(), "it reads all writing");
    /// # Ok::<(), stratigraph_rag::door::DoorError>(())
    /// ```
    ///
    /// # Errors
    /// [`DoorError::Embedder`] when the texts cannot be cut into tokens.
    pub fn of(wanted: Arc<dyn Embedder>, texts: &[&str]) -> Result<Self, DoorError> {
        let chosen = choose_embedder(Box::new(Arc::clone(&wanted)), texts);
        let chosen = chosen.map_err(DoorError::Embedder)?;
        if chosen.fell_back {
            return Ok(Self {
                embedder: Arc::from(chosen.embedder),
                note: Some(chosen.reason),
            });
        }
        let name = wanted.name();
        if !knows_english_alone(name) || Language::of_all(texts) == Language::English {
            return Ok(Self {
                embedder: wanted,
                note: None,
            });
        }
        let lexical = Lexical::new();
        let note = format!(
            "{name} was trained on English alone: {} is used instead, which finds what is written and not what is meant",
            lexical.name()
        );
        Ok(Self {
            embedder: Arc::new(lexical),
            note: Some(note),
        })
    }

    /// The embedder of a database that was built with it. Where nobody has named another there is nothing to be told.
    pub(super) fn as_built(built: Arc<dyn Embedder>, equipment: &Equipment) -> Self {
        let (name, given) = (built.name(), equipment.its_embedder().name());
        let note = (name != given && !equipment.takes_what_is_there()).then(|| {
            format!("the vectors of this database are of {name}, as it was built: {given} is not used for it")
        });
        Self {
            embedder: built,
            note,
        }
    }
}

impl Incoming {
    /// How the text of a document begins, for [`Wanted::sample`](super::Wanted::sample); of a list of facts, what the
    /// first ones say. Nothing if it cannot be read.
    #[must_use]
    pub fn beginning(&self, equipment: &Equipment) -> Option<String> {
        let mut text = match self.clone().ready(equipment, true).ok()? {
            Ready::Document(read) => read.ok()?.text().to_owned(),
            Ready::Facts(list) => {
                let facts = crate::read::TripleReader::new(&list.id, list.lines);
                let facts = facts.filter_map(Result::ok).map(|stated| stated.triple);
                let facts = facts.take(FACTS).map(|fact| {
                    let said = [fact.subject, fact.predicate, fact.object, fact.source];
                    said.join(" ")
                });
                facts.collect::<Vec<_>>().join("\n")
            }
        };
        text.truncate(text.floor_char_boundary(BEGINNING.min(text.len())));
        Some(text)
    }
}
