//! Documents with names in them: some are in every chunk, most in one.

use anyhow::Result;
use fastrand::Rng;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// One document.
pub(super) struct Text {
    pub(super) id: String,
    pub(super) text: String,
}

const NAMES: [&str; 8] = [
    "Kalo", "Mira", "Teno", "Basu", "Orli", "Vand", "Pemi", "Sulo",
];
const WORDS: [&str; 24] = [
    "and", "the", "of", "works", "seen", "in", "many", "places", "where", "people", "walk", "talk",
    "for", "hours", "of", "stone", "water", "light", "under", "roads", "between", "markets", "old",
    "new",
];
/// Words of a sentence beside its two names.
const SENTENCE: usize = 18;

/// Few are frequent and many are rare, as names are.
fn name(random: &mut Rng) -> String {
    let rank = (1.0 / random.f64().max(1e-4)) as usize;
    format!("{}{}", NAMES[rank % NAMES.len()], rank)
}

/// So many questions about two names each.
pub(super) fn questions(seed: u64, count: usize) -> Vec<String> {
    let mut random = Rng::with_seed(!seed);
    let mut question = || {
        let one = name(&mut random);
        let other = loop {
            let other = name(&mut random);
            if other != one {
                break other;
            }
        };
        format!("What have {one} and {other} in common?")
    };
    (0..count).map(|_| question()).collect()
}

/// So many documents of so many sentences.
pub(super) fn texts(seed: u64, documents: usize, sentences: usize) -> Vec<Text> {
    let mut random = Rng::with_seed(seed);
    (0..documents)
        .map(|number| {
            let mut text = String::new();
            for _ in 0..sentences {
                text.push_str(&name(&mut random));
                for place in 0..SENTENCE {
                    if place == SENTENCE / 2 {
                        text.push(' ');
                        text.push_str(&name(&mut random));
                    }
                    text.push(' ');
                    text.push_str(WORDS[random.usize(..WORDS.len())]);
                }
                let _ = write!(text, " {}. ", random.u32(..1000));
            }
            Text {
                id: format!("document-{number}"),
                text: text.trim_end().to_owned(),
            }
        })
        .collect()
}

/// Writes them for the peers, a line each.
pub(super) fn write(texts: &[Text], path: &Path) -> Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    for Text { id, text } in texts {
        writeln!(file, "{}", json!({ "id": id, "text": text }))?;
    }
    Ok(file.flush()?)
}
