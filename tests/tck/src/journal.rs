//! What has begun and what has ended, in a file that outlives the process.
//!
//! A stack that overflows takes the whole process with it. The run is therefore a child: when it dies, it is
//! started again with the same journal, takes the verdicts that are there, and tries what had begun and not
//! ended alone. What dies twice has failed. It must never lose a verdict that was written.
//!
//! Next: `selection.rs`.

use crate::engine::Variant;
use crate::run::{Fault, Verdict};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    variant: String,
    id: String,
    /// Absent where something begins.
    verdict: Option<Verdict>,
}

/// What is known of one scenario in one variant.
#[derive(Default)]
struct Known {
    begun: usize,
    verdict: Option<Verdict>,
}

/// The journal.
pub struct Journal {
    file: Mutex<File>,
    known: HashMap<(String, String), Known>,
}

impl Journal {
    /// Opens the file and reads what is in it.
    ///
    /// # Errors
    /// If it cannot be opened or read.
    pub fn open(path: &Path) -> Result<Self> {
        let place = || format!("{}", path.display());
        let mut known: HashMap<(String, String), Known> = HashMap::new();
        let options = || {
            OpenOptions::new()
                .create(true)
                .append(true)
                .read(true)
                .open(path)
        };
        for line in BufReader::new(options().with_context(place)?).lines() {
            // The last line may have been cut off by the death.
            let Ok(line) = serde_json::from_str::<Line>(&line?) else {
                continue;
            };
            let known = known.entry((line.variant, line.id)).or_default();
            match line.verdict {
                Some(verdict) => known.verdict = Some(verdict),
                None => known.begun += 1,
            }
        }
        Ok(Self {
            file: Mutex::new(options().with_context(place)?),
            known,
        })
    }

    /// The verdict that is there already; what has begun twice and never ended has died.
    pub fn verdict(&self, variant: Variant, id: &str) -> Option<Verdict> {
        let known = self.known(variant, id)?;
        let died = || Verdict::failed(Fault::Died, "an end", "the end of the process");
        let verdict = known.verdict.clone();
        verdict.or_else(|| (known.begun > 1).then(died))
    }

    /// Whether it had begun when the process died: it has to be tried alone.
    pub fn suspect(&self, variant: Variant, id: &str) -> bool {
        self.known(variant, id)
            .is_some_and(|known| known.verdict.is_none())
    }

    /// Writes that it begins.
    pub fn begins(&self, variant: Variant, id: &str) {
        self.write(variant, id, None);
    }

    /// Writes what became of it.
    pub fn ends(&self, variant: Variant, id: &str, verdict: &Verdict) {
        self.write(variant, id, Some(verdict.clone()));
    }

    fn known(&self, variant: Variant, id: &str) -> Option<&Known> {
        self.known.get(&(variant.name().to_owned(), id.to_owned()))
    }

    /// Without the file a death is only harder to find, so its errors are none of the run's.
    fn write(&self, variant: Variant, id: &str, verdict: Option<Verdict>) {
        let line = Line {
            variant: variant.name().to_owned(),
            id: id.to_owned(),
            verdict,
        };
        if let Ok(mut text) = serde_json::to_string(&line) {
            text.push('\n');
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = file.write_all(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_kept_and_deaths_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let variant = Variant::Default;
        let good = Verdict {
            answered: true,
            effects: true,
            failure: None,
        };
        let open = || Journal::open(&path).unwrap();
        let journal = open();
        journal.begins(variant, "good");
        journal.begins(variant, "dies");
        journal.ends(variant, "good", &good);
        drop(journal);

        let journal = open();
        assert!(journal.verdict(variant, "good").unwrap().passed());
        assert!(journal.suspect(variant, "dies") && !journal.suspect(variant, "good"));
        assert!(journal.verdict(variant, "dies").is_none());
        assert!(journal.verdict(Variant::Plain, "good").is_none());
        journal.begins(variant, "dies");
        drop(journal);

        let verdict = open().verdict(variant, "dies").unwrap();
        assert_eq!(verdict.failure.unwrap().fault, Fault::Died);
    }
}
