//! Pieces and their headings within what an embedder reads.

use std::sync::Mutex;

use stratigraph_models::{ModelError, Rows};

use super::*;
use crate::chunk::{Measure, Tokens};
use crate::ingest::{Recipe, System};

/// An embedder that reads twenty words of a text, of which two are its own, and remembers what it was given.
#[derive(Default)]
struct Twenty {
    given: Mutex<Vec<String>>,
}

impl Embedder for Twenty {
    fn name(&self) -> &str {
        "twenty"
    }

    fn dimensions(&self) -> usize {
        Lexical::new().dimensions()
    }

    fn max_tokens(&self) -> usize {
        20
    }

    fn max_text_tokens(&self) -> usize {
        18
    }

    fn token_ends(&self, text: &str) -> Result<Option<Vec<usize>>, ModelError> {
        Ok(Some(Words.ends(text)))
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut given = self.given.lock().unwrap();
        given.extend(texts.iter().map(|text| (*text).to_owned()));
        let rows = Lexical::new().embed(texts)?;
        Ok(rows.counted(Some(texts.len() as u64)))
    }
}

/// So many different words under a heading.
fn text_of(heading: &str, words: usize) -> String {
    let words: Vec<String> = (0..words).map(|number| format!("w{number}")).collect();
    format!("# {heading}\n\n{}\n", words.join(" "))
}

/// Takes a text in, as this system cuts it. What that did, and the texts of pieces that got a vector.
fn taken(system: System, text: &str) -> (Change, Vec<String>) {
    let twenty = Arc::new(Twenty::default());
    let recipe = Recipe::new(system, 20);
    let db = Database::in_memory().unwrap();
    let layers = Layers::open(&db, recipe.profile(), twenty.clone()).unwrap();
    let put = || {
        let source = Source::new("a.md", text.as_bytes());
        let document = source.read(Format::Markdown).unwrap();
        let pieces = recipe.chunker(&Tokens(&*twenty)).pieces(&document);
        let said = vec![Extracted::default(); pieces.len()];
        let new = Contribution::new(&document, &pieces, &said, layers.profile()).unwrap();
        layers.upsert(&new).unwrap()
    };
    let change = put();
    // The same once more is nothing, also of a heading that is cut.
    let again = put();
    assert_eq!((again.written, again.vectors), (0, 0));
    assert!(again.cut_off.is_none());
    let given = twenty.given.lock().unwrap();
    let pieces = given.iter().filter(|text| text.contains('\n'));
    (change, pieces.cloned().collect())
}

const LONG: &str = "A very long history of all the rocks of all the islands";

#[test]
fn a_piece_is_read_to_its_end_whatever_its_heading() {
    for system in [System::Structure, System::Bag] {
        for (heading, before) in [("Rocks", "Rocks\n"), (LONG, "A very long\n")] {
            let (change, given) = taken(system, &text_of(heading, 56));
            assert!(change.cut_off.is_none(), "{change:?}");
            assert_eq!(change.vector_tokens, change.vectors);
            let read: Vec<&str> = given.iter().map(|text| &text[before.len()..]).collect();
            assert!(
                given.iter().all(|text| text.starts_with(before)),
                "{given:?}"
            );
            assert!(
                given.iter().all(|text| Words.ends(text).len() <= 18),
                "{given:?}"
            );
            let words = read.join(" ");
            assert_eq!(words.split_whitespace().count(), 56, "{given:?}");
        }
    }
}

#[test]
fn what_fits_has_its_whole_heading() {
    let (change, given) = taken(System::Structure, &text_of(LONG, 6));
    assert_eq!(given, [format!("{LONG}\nw0 w1 w2 w3 w4 w5")]);
    assert!(change.cut_off.is_none());
}

#[test]
fn pieces_that_are_longer_by_their_makers_wish_are_told() {
    // Joined by three, by the paper: one of three times twenty words.
    let (change, _) = taken(System::Triples, &text_of("Rocks", 60));
    assert_eq!(
        change.cut_off,
        CutOff {
            pieces: 1,
            reads: 18
        }
    );
    // Short ones whose ends count for little, which stay as they are.
    for system in [System::Strata, System::Layered] {
        let (short, given) = taken(system, &text_of("Rocks", 20));
        assert_eq!((short.cut_off.pieces, given.len()), (1, 1), "{given:?}");
    }
    let told = change.cut_off.to_string();
    assert!(
        told.contains("the 18 tokens") && told.contains("structure:13"),
        "{told}"
    );
}
