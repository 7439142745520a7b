//! Answers in a file that grows as they come, so that who asks again asks only for what is missing.
//!
//! A row is that of [`Given::row`], with `asked`: a hash of what the answer depends on, which is the question and what else whoever
//! asks says of it. An answer that was asked for in another way is not taken for this one, and is not written over either.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::slice;

use super::super::set::{Posed, id_of};
use super::Given;
use super::given::{Longest, of_row};
use crate::build::hash;
use crate::growing::{self, Growing, GrowingError};

/// What can be done about answers of others.
const ELSEWHERE: &str = "delete the file or move it away, or name another folder with --keep";

/// Answers of one system to the questions of a set, in a file.
#[derive(Debug)]
pub struct AnswerFile {
    path: PathBuf,
    by: String,
    kept: BTreeMap<String, Given>,
    /// Nothing if it is only read.
    file: Option<Growing>,
}

impl AnswerFile {
    /// Opens a file for writing; it is made if it is not there. `by` says all that answers depend on beside their questions:
    /// the state of the database, the pipeline, the models.
    ///
    /// # Errors
    /// [`GrowingError`]: it cannot be read or written, another process writes to it, or it has answers to other questions, or
    /// such as were asked for in another way.
    pub fn open(path: &Path, by: &str, posed: &[Posed]) -> Result<Self, GrowingError> {
        // Nothing is changed in a file of others.
        Self::read(path, by, posed)?;
        let (file, bytes) = Growing::open(path)?;
        let answers = Self::of((path, &bytes), by, posed)?;
        Ok(Self {
            file: Some(file),
            ..answers
        })
    }

    /// The answers of a file, which need not be there and is not written to.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(path: &Path, by: &str, posed: &[Posed]) -> Result<Self, GrowingError> {
        Self::of((path, &growing::read(path)?), by, posed)
    }

    fn of((path, bytes): (&Path, &[u8]), by: &str, posed: &[Posed]) -> Result<Self, GrowingError> {
        let known: HashMap<&str, &Posed> = posed.iter().map(|one| (one.id.as_str(), one)).collect();
        let mut kept = BTreeMap::new();
        for (line, row) in growing::rows(bytes) {
            let wrong = |problem: String| GrowingError::Row {
                path: path.to_owned(),
                line,
                problem,
            };
            let row = row.map_err(wrong)?;
            let id = id_of(&row["id"]).unwrap_or_default();
            let Some(one) = known.get(id.as_str()) else {
                return Err(wrong(format!(
                    "it answers {id:?}, which the set does not ask: {ELSEWHERE}"
                )));
            };
            if row["asked"].as_str() != Some(asked(by, one).as_str()) {
                return Err(wrong(format!(
                    "{id:?} was asked otherwise (in other words, of another state of the database, by another pipeline or model, or by another version of Stratigraph or its prompts): {ELSEWHERE}"
                )));
            }
            let given = of_row(&row, 0, Some(slice::from_ref(*one)), Longest::OF_OURS);
            kept.extend(given.map_err(wrong)?.map(|given| (id, given)));
        }
        Ok(Self {
            path: path.to_owned(),
            by: by.to_owned(),
            kept,
            file: None,
        })
    }

    /// The answer to this question, if it is kept.
    #[must_use]
    pub fn get(&self, posed: &Posed) -> Option<&Given> {
        self.kept.get(&posed.id)
    }

    /// Keeps an answer. When this returns it is on the disk.
    ///
    /// # Errors
    /// [`GrowingError`]: it cannot be written.
    pub fn add(&mut self, given: &Given) -> Result<(), GrowingError> {
        if let Some(file) = &mut self.file {
            let mut row = given.row();
            row["asked"] = asked(&self.by, &given.posed).into();
            file.add(&row)?;
        }
        self.kept.insert(given.posed.id.clone(), given.clone());
        Ok(())
    }

    /// How many answers are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Where they are.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A name for a file of these answers, which no others have: other questions, or the same asked otherwise.
    #[must_use]
    pub fn own_name(by: &str, posed: &[Posed]) -> String {
        let asked: Vec<String> = posed.iter().map(|one| asked(by, one)).collect();
        let mut name = hash(asked.iter().map(String::as_str));
        name.truncate(name.floor_char_boundary(16));
        name
    }
}

/// What an answer depends on.
fn asked(by: &str, posed: &Posed) -> String {
    // Names and values, which JSON has all; a form for people may be another one tomorrow.
    let only = serde_json::to_string(&posed.only).unwrap_or_default();
    hash([by, posed.id.as_str(), posed.text.as_str(), only.as_str()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn posed(id: &str, text: &str) -> Posed {
        Posed {
            id: id.to_owned(),
            text: text.to_owned(),
            ..Posed::default()
        }
    }

    fn given(posed: &Posed) -> Given {
        Given {
            posed: posed.clone(),
            answer: "Lava.".to_owned(),
            confidence: Some(0.1),
            milliseconds: 12.25,
            ..Given::default()
        }
    }

    #[test]
    fn answers_are_there_again_and_half_of_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept").join("mine.jsonl");
        let set = [posed("1", "What was basalt?"), posed("2", "What is chalk?")];
        let mut answers = AnswerFile::open(&path, "me", &set).unwrap();
        assert!(answers.is_empty() && answers.get(&set[0]).is_none());
        answers.add(&given(&set[0])).unwrap();
        drop(answers);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}{{\"id\": \"2\", \"answer\": \"Whi")).unwrap();
        let mut answers = AnswerFile::open(&path, "me", &set).unwrap();
        assert_eq!(answers.len(), 1);
        assert_eq!(answers.get(&set[0]), Some(&given(&set[0])));
        answers.add(&given(&set[1])).unwrap();
        drop(answers);
        // It is a file of answers like any other.
        let (read, others) = Given::read(&path, None).unwrap();
        assert_eq!((read.len(), others), (2, 0));
        // What the set says beside the question is its own to say.
        let mut said = set.clone();
        said[0].references = vec!["Lava.".to_owned()];
        let answers = AnswerFile::read(&path, "me", &said).unwrap();
        let first = answers.get(&said[0]).unwrap();
        assert_eq!(first.posed.references, ["Lava."]);
    }

    #[test]
    fn what_is_kept_is_read_however_long_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.jsonl");
        let set = [posed("1", "What was basalt?")];
        let long = Given {
            answer: "Lava. ".repeat(20_000),
            context: "Basalt was lava.\n".repeat(300_000),
            ..given(&set[0])
        };
        let mut answers = AnswerFile::open(&path, "me", &set).unwrap();
        answers.add(&long).unwrap();
        drop(answers);
        let answers = AnswerFile::open(&path, "me", &set).unwrap();
        assert!(answers.get(&set[0]) == Some(&long), "it is another one");
        // Of others nobody has to read so much.
        assert!(Given::read(&path, None).is_err());
    }

    /// Files of yesterday are read tomorrow.
    #[test]
    fn what_an_answer_depends_on_is_the_same_in_each_version() {
        let mut posed = posed("1", "What was basalt?");
        assert_eq!(asked("me", &posed), "52c142ba6d4205f1f111e46c6ea6fded");
        posed.only.insert("year".to_owned(), 1903_i64.into());
        posed.only.insert("place".to_owned(), "Etna".into());
        assert_eq!(asked("me", &posed), "bb1316742c6280e9da13382db5dfaf83");
    }

    #[test]
    fn what_was_asked_otherwise_is_not_taken_and_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.jsonl");
        let set = [posed("1", "What was basalt?")];
        let mut answers = AnswerFile::open(&path, "me", &set).unwrap();
        answers.add(&given(&set[0])).unwrap();
        drop(answers);
        let before = fs::read_to_string(&path).unwrap() + "{\"half";
        fs::write(&path, &before).unwrap();
        let other = [posed("1", "What is basalt?")];
        let mut limited = set.clone();
        limited[0].only.insert("year".to_owned(), 1903_i64.into());
        let unasked = [posed("2", "What was basalt?")];
        for (by, set) in [
            ("somebody else", &set[..]),
            ("me", &other[..]),
            ("me", &limited[..]),
            ("me", &unasked[..]),
        ] {
            let refused = AnswerFile::open(&path, by, set).unwrap_err().to_string();
            let said = ["mine.jsonl, line 1: ", "delete the file", "--keep"];
            assert!(said.iter().all(|part| refused.contains(part)), "{refused}");
            // Who changed nothing has another version.
            let is_posed = set[0].id == "1";
            assert_eq!(refused.contains("version of Stratigraph"), is_posed);
            assert_ne!(
                AnswerFile::own_name(by, set),
                AnswerFile::own_name("me", &[posed("1", "What was basalt?")])
            );
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
        // Such as were kept without saying how are of others, too.
        fs::write(&path, format!("{}\n", given(&set[0]).row())).unwrap();
        assert!(AnswerFile::open(&path, "me", &set).is_err());
    }
}
