use super::*;
use crate::chunk::{Chunker, Chunking, Words};
use crate::extract::{Entity, Rules};
use crate::read::{Format, Source};

fn document(id: &str, text: &str) -> Document {
    Source::new(id, text.as_bytes())
        .read(Format::Markdown)
        .unwrap()
}

fn pieces(document: &Document) -> Vec<Piece> {
    let chunking = Chunking::Headings {
        limit: 8,
        carried_lines: 1,
    };
    Chunker::new(chunking, &Words).pieces(document)
}

/// Names the piece and what it was read with, and fails for pieces that say so.
struct Echo {
    cancel: CancelToken,
}

impl Extractor for Echo {
    fn version(&self) -> &str {
        "echo"
    }

    fn carries(&self) -> bool {
        true
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        if reading.text().contains("cancel") {
            self.cancel.cancel();
        }
        if reading.text().contains("fail") {
            return Err(ExtractError::Setting {
                setting: "this piece",
                problem: "fails",
            });
        }
        let before = reading.before().and_then(|before| before.entities.first());
        let before = before.map_or("", |entity| entity.name.as_str());
        let entity = Entity {
            name: format!("{before}|{}", reading.text()),
            ..Entity::default()
        };
        let extracted = Extracted {
            entities: vec![entity],
            ..Extracted::default()
        };
        let cost = Cost {
            calls: 1,
            ..Cost::default()
        };
        Ok(Outcome {
            extracted,
            cost,
            ..Outcome::default()
        })
    }
}

fn run(
    texts: &[&str],
    threads: usize,
    cancel: CancelToken,
) -> (Vec<Result<Vec<String>, String>>, Progress) {
    let documents: Vec<Document> = texts
        .iter()
        .enumerate()
        .map(|(place, text)| document(&place.to_string(), text))
        .collect();
    let pieces: Vec<Vec<Piece>> = documents.iter().map(pieces).collect();
    let both: Vec<(&Document, &[Piece])> = documents
        .iter()
        .zip(pieces.iter().map(Vec::as_slice))
        .collect();
    let echo = Echo {
        cancel: cancel.clone(),
    };
    let last = Mutex::new(Progress::default());
    let report = |progress: Progress| {
        let mut last = last.lock().unwrap();
        assert!(
            progress.pieces == last.pieces + 1,
            "one at a time: {progress:?} after {last:?}"
        );
        *last = progress;
    };
    let done = Run::new(&echo)
        .threads(threads)
        .cancel(cancel)
        .extract(&both, &report);
    let names = |done: Done| {
        assert_eq!(done.cost.calls, done.pieces.len() as u64);
        done.pieces
            .iter()
            .map(|piece| piece.entities[0].name.clone())
            .collect()
    };
    let done = done
        .into_iter()
        .map(|done| done.map(names).map_err(|error| error.to_string()))
        .collect();
    (done, last.into_inner().unwrap())
}

const LONG: &str = "# A\n\none two three four five\n\nsix seven eight nine ten\n\n## B\n\neleven\n";

#[test]
fn what_carries_on_is_read_in_order_and_headings_part_it() {
    let (done, progress) = run(&[LONG], 1, CancelToken::new());
    let expected = [
        "|one two three four five",
        "|one two three four five|six seven eight nine ten",
        "|eleven",
    ];
    assert_eq!(done[0].as_ref().unwrap(), &expected);
    assert_eq!(
        (progress.pieces, progress.of, progress.cost.calls),
        (3, 3, 3)
    );
}

#[test]
fn the_result_does_not_depend_on_who_was_first() {
    let texts: Vec<String> = (0..30)
        .map(|number| format!("{LONG}\n## C{number}\n\ntext {number}\n"))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (once, _) = run(&texts, 1, CancelToken::new());
    for threads in [2, 7, 64] {
        assert_eq!(run(&texts, threads, CancelToken::new()).0, once);
    }
}

#[test]
fn a_document_that_fails_ends_alone() {
    let (done, _) = run(
        &[LONG, "# A\n\nok\n\n## B\n\nfail\n\n## C\n\nok\n", LONG],
        3,
        CancelToken::new(),
    );
    assert!(done[0].is_ok() && done[2].is_ok());
    assert_eq!(done[1].as_ref().unwrap_err(), "this piece fails");
}

#[test]
fn who_cancels_gets_no_half_document() {
    let (done, progress) = run(
        &[LONG, "# A\n\ncancel\n\n## B\n\nx\n", LONG],
        1,
        CancelToken::new(),
    );
    assert_eq!(done[0].as_ref().unwrap().len(), 3);
    assert!(done[1].as_ref().unwrap_err().contains("cancelled"));
    assert!(done[2].is_err());
    assert_eq!((progress.pieces, progress.of), (4, 8));
}

#[test]
fn no_piece_is_no_work() {
    let empty = document("e", "");
    let rules = Rules::new();
    let run = Run::new(&rules).threads(4);
    let done = run.extract(&[(&empty, &[])], &|_| {});
    assert_eq!(done.len(), 1);
    assert_eq!(done[0].as_ref().unwrap(), &Done::default());
    assert_eq!(
        run.estimate(&[(&empty, &[])], &Words).unwrap(),
        Estimate::default()
    );
}
