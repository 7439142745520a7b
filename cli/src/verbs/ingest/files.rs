//! Files that are to be ingested, and what their paths say of them.

use super::gone::doubt;
use super::under::Under;
use crate::output::things;
use crate::rag_error::RagError;
use stratigraph_rag::Metadata;
use stratigraph_rag::door::{Equipment, Incoming};
use stratigraph_rag::ingest::System;
use stratigraph_rag::read::{Format, Found, PathPattern, ReadError, Walk, Walked};

/// So many files are looked at for whether the embedder can read them, spread over all,
const MOST_LOOKED_AT: usize = 16;
/// and so many of them if they have to be parsed for it.
const MOST_PARSED: usize = 4;

/// Files that were found, under the names that they have as documents.
pub(super) struct Files {
    pub(super) walked: Walked,
    pattern: Option<PathPattern>,
    under: Under,
}

impl Files {
    /// Walks folders. What is found lies under a name, as does what is left out, and the pattern is for what stands behind
    /// that.
    pub(super) fn find(
        paths: &[std::path::PathBuf],
        pattern: Option<PathPattern>,
        under: &Under,
    ) -> Result<Self, ReadError> {
        let mut walked = Walk::new().find(paths)?;
        for found in &mut walked.files {
            found.id = under.name(&found.id);
        }
        for error in &mut walked.left_out {
            error.file = under.name(&error.file);
        }
        let under = under.clone();
        Ok(Self {
            walked,
            pattern,
            under,
        })
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.walked.files.len() as u64
    }

    /// Those of which something can be made.
    pub(super) fn taken(&self, has_facts: bool) -> impl Iterator<Item = &Found> {
        let taken = move |found: &&Found| takes(found, has_facts);
        self.walked.files.iter().filter(taken)
    }

    /// Whether there is one.
    pub(super) fn has_any(&self, has_facts: bool) -> bool {
        self.taken(has_facts).next().is_some()
    }

    /// That there is none, and what would be one.
    pub(super) fn none_found(&self) -> String {
        let walked = &self.walked;
        let others = walked.files.len() + walked.unknown + walked.count_left_out;
        let among = match others {
            0 => String::new(),
            others => format!(" among {}", things(others as u64, "file")),
        };
        let unreadable = { walked.left_out.first() }
            .map(|first| format!("; some cannot be read, first {first}"))
            .unwrap_or_default();
        format!(
            "no document was found{among}: Markdown (.md), pages of the web (.html), plain text (.txt) and PDF (.pdf) are read, and, by profiles with facts ({}), lists of them (.jsonl){unreadable}",
            with_facts()
        )
    }

    /// Refuses to make a database of nothing.
    pub(super) fn check_new(&self, has_facts: bool) -> Result<(), RagError> {
        match self.has_any(has_facts) {
            true => Ok(()),
            false => Err(RagError::Request(format!(
                "no database is made of nothing: {}",
                self.none_found()
            ))),
        }
    }

    /// Refuses to take documents out that may be there: because nothing was found, or not everything that was can be
    /// read.
    pub(super) fn check_prune(&self, has_facts: bool) -> Result<(), RagError> {
        if !self.has_any(has_facts) {
            return Err(RagError::Request(format!(
                "--prune would take {} out, since no document was found: look whether the paths are right, or delete the database",
                self.under.all()
            )));
        }
        let Some(first) = self.walked.left_out.first() else {
            return Ok(());
        };
        let left_out = things(self.walked.count_left_out as u64, "file");
        Err(RagError::Request(format!(
            "--prune would take out documents that are there but cannot be read: {left_out}, first {first}; try without it, and see which"
        )))
    }

    /// Whether a document of the database would be among them if it were still there, and is not.
    pub(super) fn lack(&self, id: &str) -> bool {
        // The ids of files are sorted.
        let files = &self.walked.files;
        let place = files.binary_search_by(|found| found.id.as_str().cmp(id));
        self.under.has(id) && place.is_err()
    }

    /// Refuses to take out so many of a database's documents that those of another folder may be among them, where no name
    /// says which to look at.
    pub(super) fn check_gone(&self, documents: &[String]) -> Result<(), RagError> {
        if !self.under.is_all() {
            return Ok(());
        }
        match doubt(documents, |id| self.lack(id)) {
            Some(doubt) => Err(RagError::Request(doubt)),
            None => Ok(()),
        }
    }

    /// A file as it goes through a door.
    pub(super) fn read(&self, found: &Found) -> Result<Incoming, ReadError> {
        Ok(Incoming {
            id: found.id.clone(),
            bytes: found.read()?,
            format: Some(found.format),
            metadata: self.metadata(found),
        })
    }

    /// How the texts of some of them begin: what decides whether an embedder can read them, the same wherever they go.
    pub(super) fn sample(&self, has_facts: bool, equipment: &Equipment) -> Vec<String> {
        let (parsed, read): (Vec<&Found>, Vec<&Found>) = self
            .taken(has_facts)
            .partition(|found| found.format == Format::Pdf);
        let (some, most) = match read.is_empty() {
            true => (parsed, MOST_PARSED),
            false => (read, MOST_LOOKED_AT),
        };
        let step = some.len().div_ceil(most).max(1);
        let some = some.into_iter().step_by(step);
        some.filter_map(|found| self.read(found).ok()?.beginning(equipment))
            .collect()
    }

    /// Whether the pattern says nothing of any file: then what is wrong with it, to be said behind it.
    pub(super) fn unfit(&self, has_facts: bool) -> Option<String> {
        let pattern = self.pattern.as_ref()?;
        let first = self.taken(has_facts).next()?;
        let mut taken = self.taken(has_facts);
        if taken.any(|found| pattern.metadata(self.under.path(&found.id)).is_some()) {
            return None;
        }
        let files = things(self.taken(has_facts).count() as u64, "file");
        Some(format!(
            "fits none of the {files}, so that nothing is known of them by it: it is for whole names, such as {}",
            self.under.path(&first.id)
        ))
    }

    /// What the path of a file says of it.
    pub(super) fn metadata(&self, found: &Found) -> Metadata {
        let pattern = self.pattern.as_ref();
        let said = pattern.and_then(|pattern| pattern.metadata(self.under.path(&found.id)));
        said.unwrap_or_default()
    }
}

/// The profiles with facts, by their names.
pub(super) fn with_facts() -> String {
    let systems = System::ALL.into_iter();
    let systems = systems.filter(|system| system.has_facts());
    systems.map(System::name).collect::<Vec<_>>().join(", ")
}

/// Whether anything can be made of a file.
pub(super) fn takes(found: &Found, has_facts: bool) -> bool {
    found.format.is_document() || (has_facts && found.format == Format::JsonLines)
}
