//! What happens to a small pool of documents, as a pure function of a seed.

use std::collections::BTreeMap;

use stratigraph_rag::Metadata;
use stratigraph_rag::build::Profile;

use crate::driver::rng;

/// So many documents there are at most.
const DOCUMENTS: usize = 6;
const TITLES: [&str; 5] = ["Rocks", "Rivers", "Old rocks", "Notes", "A/B"];
const NAMES: [&str; 9] = [
    "Basalt", "basalt", "BASALT", "Lava", "lava", "Slate", "Granite", "Old Sea", "old  sea",
];
const VERBS: [&str; 3] = ["was", "lies on", "splits"];
const DOMAINS: [&str; 6] = ["Nature", "Rock", "Fire", "Water", "rock", "Time"];
const WORDS: [&str; 6] = ["old", "dark", "hard", "wet", "cold", "deep"];

/// The lines of a document, each a heading or a paragraph.
pub type Lines = Vec<String>;

/// A document as somebody wrote it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// Its text.
    pub lines: Lines,
    /// What is known of it beside its text.
    pub known: Metadata,
}

impl From<Lines> for Written {
    fn from(lines: Lines) -> Self {
        Self {
            lines,
            known: Metadata::new(),
        }
    }
}

/// The documents by their ids.
pub type Documents = BTreeMap<String, Written>;

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A document is this now.
    Upsert(String, Written),
    /// A document goes.
    Delete(String),
}

impl Step {
    /// Does it to the documents themselves.
    pub fn happen(&self, documents: &mut Documents) {
        match self {
            Self::Upsert(id, written) => drop(documents.insert(id.clone(), written.clone())),
            Self::Delete(id) => drop(documents.remove(id)),
        }
    }

    /// Whether it says something else of a document and leaves its text alone.
    #[must_use]
    pub fn only_tells(&self, documents: &Documents) -> bool {
        match self {
            Self::Upsert(id, written) => documents
                .get(id)
                .is_some_and(|before| before.lines == written.lines),
            Self::Delete(_) => false,
        }
    }
}

/// Which layers the database of a seed has: all of them more often than not. One thing that is known of documents is
/// with their chunks as well.
pub fn profile(seed: u64) -> Profile {
    let profile = match seed % 6 {
        0 => Profile::bag(),
        1 => Profile::tag(),
        2 => Profile::triples(),
        _ => Profile::all(),
    };
    profile.filterable(["year"])
}

/// What happens, step by step.
#[must_use]
pub fn steps(seed: u64, count: usize) -> Vec<Step> {
    let mut rng = rng(seed, 0, "documents");
    let mut documents = Documents::new();
    let mut steps = Vec::with_capacity(count);
    while steps.len() < count {
        let id = format!("d{}#.md", rng.usize(0..DOCUMENTS));
        let step = match (documents.get(&id), rng.u8(0..10)) {
            (Some(_), 0..=2) => Step::Delete(id),
            (Some(_), 3) | (None, _) => {
                let lines = (0..rng.usize(0..14)).map(|_| line(&mut rng)).collect();
                let known = known(&mut rng);
                Step::Upsert(id, Written { lines, known })
            }
            (Some(written), 4) => {
                let (lines, known) = (written.lines.clone(), known(&mut rng));
                Step::Upsert(id, Written { lines, known })
            }
            (Some(written), _) => {
                let lines = edited(&written.lines, &mut rng);
                let known = written.known.clone();
                Step::Upsert(id, Written { lines, known })
            }
        };
        step.happen(&mut documents);
        steps.push(step);
    }
    steps
}

/// The documents after these steps.
#[must_use]
pub fn after(steps: &[Step]) -> Documents {
    let mut documents = Documents::new();
    for step in steps {
        step.happen(&mut documents);
    }
    documents
}

fn known(rng: &mut fastrand::Rng) -> Metadata {
    let mut known = Metadata::new();
    if rng.bool() {
        known.insert("year".to_owned(), rng.i64(2022..2025).into());
    }
    if rng.bool() {
        known.insert("by".to_owned(), WORDS[rng.usize(0..WORDS.len())].into());
    }
    known
}

fn edited(lines: &Lines, rng: &mut fastrand::Rng) -> Lines {
    let mut lines = lines.clone();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(0..=lines.len());
        match rng.u8(0..3) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at] = line(rng),
            _ => lines.insert(at, line(rng)),
        }
    }
    lines
}

fn line(rng: &mut fastrand::Rng) -> String {
    let depth = rng.usize(1..5);
    let mut one = |of: &[&'static str]| of[rng.usize(0..of.len())];
    let (name, other) = (one(&NAMES), one(&NAMES));
    match one(&[
        "heading", "says", "says", "is", "tag", "tag", "words", "prose",
    ]) {
        "heading" => format!("{} {}", one(&["#", "##", "###"]), one(&TITLES)),
        "says" => format!(
            "{name} | {} | {other} | {}",
            one(&VERBS),
            one(&["", "p. 3"])
        ),
        "is" => format!(
            "{name} : {} : {}",
            one(&["stone", "fluid", ""]),
            one(&WORDS)
        ),
        "tag" => {
            let domains: Vec<String> = (0..depth)
                .map(|_| format!("{} ({})", one(&DOMAINS), one(&["", "of old"])))
                .collect();
            format!("{} > {name}", domains.join(" > "))
        }
        // For whoever reads sentences; others find nothing in it.
        "prose" => format!("{name} {} {other}, which is {}.", one(&VERBS), one(&WORDS)),
        _ => format!("{} {} {}", one(&WORDS), one(&WORDS), one(&WORDS)),
    }
}
