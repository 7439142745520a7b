use std::sync::{Arc, Mutex};

use stratigraph_models::ModelError;

use super::super::reply::LONGEST_TEXT;
use super::super::{OpenDocument, Run};
use super::*;
use crate::chunk::{Chunker, Chunking, Words};
use crate::read::{Format, Source};

/// Names these things in one call.
#[derive(Default)]
struct Names {
    entities: Vec<Entity>,
    carries: bool,
    fails: bool,
}

fn one_call() -> Cost {
    Cost {
        calls: 1,
        ..Cost::default()
    }
}

impl Names {
    fn of(entities: impl IntoIterator<Item = Entity>) -> Self {
        Self {
            entities: entities.into_iter().collect(),
            ..Self::default()
        }
    }

    fn said(&self) -> Extracted {
        Extracted {
            entities: self.entities.clone(),
            ..Extracted::default()
        }
    }
}

impl Extractor for Names {
    fn version(&self) -> &str {
        "names"
    }

    fn carries(&self) -> bool {
        self.carries
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        assert_eq!(reading.before().is_some(), self.carries);
        if self.fails {
            return Err(ExtractError::Model {
                about: "rocks.md".to_owned(),
                prompt: "names/en/1".to_owned(),
                cost: one_call(),
                source: Box::new(ModelError::BadReply {
                    tries: 1,
                    problem: "it is no JSON".to_owned(),
                }),
            });
        }
        Ok(Outcome {
            extracted: self.said(),
            cost: one_call(),
            ..Outcome::default()
        })
    }

    fn estimate(&self, _: &Reading<'_>, _: &dyn Measure) -> Result<Foreseen, ExtractError> {
        let calls = u64::from(self.entities.is_empty());
        let estimate = Estimate {
            calls,
            ..Estimate::default()
        };
        Ok(Foreseen {
            estimate,
            extracted: (calls == 0).then(|| self.said()),
            ..Foreseen::default()
        })
    }
}

fn entity(name: &str, kind: Option<&str>, description: &str) -> Entity {
    Entity {
        name: name.to_owned(),
        kind: kind.map(str::to_owned),
        description: description.to_owned(),
        sentences: Vec::new(),
    }
}

fn read<T>(work: impl FnOnce(Reading<'_>) -> T) -> T {
    let source = Source::new("rocks.md", b"Basalt was lava.");
    let document = source.read(Format::Markdown).unwrap();
    let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
    let open = OpenDocument::new(&document);
    work(Reading::new(&open, &pieces[0]))
}

#[test]
fn what_several_name_is_one_thing_as_the_last_calls_it() {
    let first = [
        entity("BASALT", Some("rock"), "It was lava."),
        entity("LAVA", Some("liquid"), ""),
    ];
    let last = [
        entity("lava", Some("melt"), "It is hot."),
        entity("Basalt", None, "It is black."),
        entity("Etna", None, ""),
    ];
    let both = InTurn::new(vec![Box::new(Names::of(first)), Box::new(Names::of(last))]);
    assert_eq!(both.version(), "in-turn-2;names;names");
    let expected = [
        entity("Basalt", Some("rock"), "It was lava. It is black."),
        entity("lava", Some("melt"), "It is hot."),
        entity("Etna", None, ""),
    ];
    read(|reading| {
        let outcome = both.extract(&reading).unwrap();
        assert_eq!(outcome.extracted.entities, expected);
        assert_eq!(outcome.cost.calls, 2);
        // All that is kept is known beforehand.
        let foreseen = both.estimate(&reading, &Words).unwrap();
        assert_eq!(foreseen.estimate.calls, 0);
        assert_eq!(foreseen.extracted, Some(outcome.extracted));
    });
}

#[test]
fn a_thing_is_one_as_in_the_graph_and_what_three_say_of_it_has_an_end() {
    let reader = |name: &str, sign: &str| -> Box<dyn Extractor> {
        let said = sign.repeat(LONGEST_TEXT);
        Box::new(Names::of([entity(name, None, &said)]))
    };
    let three = InTurn::new(vec![
        reader("STRASSE", "a"),
        reader("Ｓtrasse", "b"),
        reader("Straße", "c"),
    ]);
    read(|reading| {
        let entities = three.extract(&reading).unwrap().extracted.entities;
        assert_eq!(entities.len(), 1, "{entities:?}");
        assert_eq!(entities[0].name, "Straße");
        assert_eq!(entities[0].description.chars().count(), LONGEST_TEXT);
    });
}

#[test]
fn the_bill_is_that_of_all_and_of_those_before_one_that_fails() {
    let known = || Names::of([entity("Basalt", None, "")]);
    let both = InTurn::new(vec![Box::new(Names::default()), Box::new(known())]);
    let fails = Names {
        fails: true,
        ..Names::default()
    };
    let failing = InTurn::new(vec![Box::new(known()), Box::new(fails)]);
    read(|reading| {
        let foreseen = both.estimate(&reading, &Words).unwrap();
        assert_eq!((foreseen.estimate.calls, foreseen.extracted), (1, None));
        let failed = failing.extract(&reading).unwrap_err();
        assert_eq!(failed.cost().calls, 2);
    });
}

#[test]
fn what_the_piece_before_says_goes_to_who_reads_it_along() {
    let along = Names {
        carries: true,
        ..Names::default()
    };
    let both = InTurn::new(vec![Box::new(Names::default()), Box::new(along)]);
    assert!(both.carries());
    let before = Extracted::default();
    // Each of them looks at what it is given.
    read(|reading| both.extract(&reading.after(&before)).map(drop)).unwrap();
    let alone = InTurn::new(vec![Box::new(Names::default())]);
    assert!(!alone.carries());
}

/// Names itself and the piece, and writes down what it is told of the piece before.
struct Listening {
    name: &'static str,
    told: Arc<Mutex<Vec<Option<Extracted>>>>,
}

impl Listening {
    fn says(&self, part: usize) -> Extracted {
        Names::of([entity(&format!("{} {part}", self.name), None, "")]).said()
    }
}

impl Extractor for Listening {
    fn version(&self) -> &str {
        self.name
    }

    fn carries(&self) -> bool {
        true
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        self.told.lock().unwrap().push(reading.before().cloned());
        Ok(Outcome {
            extracted: self.says(reading.piece().part.0),
            ..Outcome::default()
        })
    }
}

#[test]
fn each_is_told_what_it_said_of_the_piece_before_itself() {
    let text = b"# A\n\none two three four five\n\nsix seven eight nine ten\n\n## B\n\neleven\n";
    let source = Source::new("a.md", text);
    let document = source.read(Format::Markdown).unwrap();
    let chunking = Chunking::Headings {
        limit: 8,
        carried_lines: 1,
    };
    let pieces = Chunker::new(chunking, &Words).pieces(&document);
    let listening = |name: &'static str| Listening {
        name,
        told: Arc::default(),
    };
    let (one, other) = (listening("one"), listening("other"));
    let heard = [&one, &other].map(|reader| Arc::clone(&reader.told));
    let expected = [&one, &other].map(|reader| [None, Some(reader.says(1)), None]);
    let basalt = Names::of([entity("Basalt", None, "")]);
    let all = InTurn::new(vec![Box::new(one), Box::new(basalt), Box::new(other)]);
    let done = Run::new(&all).extract(&[(&document, &pieces)], &|_| {});
    let said = &done[0].as_ref().unwrap().pieces;
    assert!(said.iter().all(|piece| piece.entities.len() == 3));
    for (heard, expected) in heard.iter().zip(&expected) {
        assert_eq!(*heard.lock().unwrap(), expected);
    }
}
