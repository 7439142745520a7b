//! What documents say of a name or a domain, each something else: who was asked for says it, and receipts know who did.

use std::sync::Mutex;

use stratigraph_models::{ModelError, Reranker, ScoreScale};

use super::*;

const QUESTION: &str = "What is said of basalt?";
const BOTH: &str = "It was lava, and is a column.";

fn library() -> (Database, Layers) {
    let db = Database::in_memory().unwrap();
    let profile = Profile::all().filterable(["year"]);
    let layers = Layers::open(&db, profile, Arc::new(Lexical::new())).unwrap();
    (db, layers)
}

/// Two documents that speak of basalt.
fn two() -> (Database, Layers) {
    let (db, layers) = library();
    say(&layers, "old.md", 2021, "It was lava.");
    say(&layers, "new.md", 2022, "It is a column.");
    (db, layers)
}

/// A document of a year says this of basalt, and of the domains that it puts it under.
fn say(layers: &Layers, id: &str, year: i64, said: &str) {
    let text = format!("# Report\n\nOf basalt {id} says: {said}\n");
    let metadata = [("year".to_owned(), year.into())].into();
    let source = Source::new(id, text.as_bytes()).metadata(metadata);
    let document = source.read(Format::Markdown).unwrap();
    let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
    let mut extracted = vec![Extracted::default(); pieces.len()];
    extracted[0].entities.push(Named {
        name: "Basalt".into(),
        kind: None,
        description: said.into(),
        sentences: Vec::new(),
    });
    let domain = |name: &str| Domain {
        name: name.into(),
        description: said.into(),
    };
    extracted[0].chains.push(Chain {
        domains: ["all", "rocks"].map(domain).into(),
        object: "Basalt".into(),
        description: String::new(),
    });
    let contribution = Contribution::new(&document, &pieces, &extracted, layers.profile()).unwrap();
    layers.upsert(&contribution).unwrap();
}

/// Has a summary made of what all documents say, of all that has none.
fn sum_up(layers: &Layers) {
    for label in [Label::Entity, Label::DomainTag] {
        for node in layers.without_summary(label).unwrap() {
            let inputs = layers.inputs(&node).unwrap().unwrap();
            let summary = Summary {
                text: BOTH.into(),
                model: "somebody".into(),
                prompt: "summary/1".into(),
            };
            assert!(layers.summarise(&inputs, &summary).unwrap());
        }
    }
}

fn retrieve(db: &Database, layers: &Layers, preset: &str, year: Option<i64>) -> Retrieved {
    let question = Question::new(QUESTION).unwrap();
    let question = match year {
        Some(year) => question.only("year", year),
        None => question,
    };
    let read = db.read().unwrap();
    let desk = Desk::new(&read, layers.embedder(), &question);
    let retrieved = Pipeline::preset(preset).unwrap().retrieve(&desk).unwrap();
    assert!(!retrieved.found.is_empty(), "{preset}, {year:?}");
    retrieved
}

/// The receipt of what is said of basalt.
fn of_basalt(db: &Database, layers: &Layers, year: Option<i64>) -> Receipt {
    let found = retrieve(db, layers, "graph", year).found.into_iter();
    let mut receipts = found.map(|found| found.receipt);
    receipts
        .find(|receipt| receipt.name.kind == "Entity")
        .unwrap()
}

#[test]
fn chosen_documents_alone_say_what_something_is() {
    let (db, layers) = two();
    let said = |presets: &[&str]| {
        for (year, own, document, other) in [
            (2021, "It was lava.", "old.md", "column"),
            (2022, "It is a column.", "new.md", "lava"),
        ] {
            for preset in presets {
                let retrieved = retrieve(&db, &layers, preset, Some(year));
                for found in &retrieved.found {
                    assert!(found.text.contains(own), "{preset}: {found:?}");
                    assert!(!found.text.contains(other), "{preset}: {found:?}");
                    let places = found.receipt.places.iter();
                    let documents: Vec<&str> =
                        places.map(|place| place.document.as_str()).collect();
                    assert_eq!(documents, [document], "{preset}");
                }
                assert!(!retrieved.context.contains(other), "{preset}");
            }
        }
    };
    said(&["graph"]);
    let all = retrieve(&db, &layers, "graph", None).found;
    assert_eq!(all[0].text, "Basalt: It is a column. It was lava.");
    assert_eq!(all[0].receipt.places.len(), 2);
    // A summary is of all documents, so it is told if none is chosen, and only then.
    sum_up(&layers);
    said(&["graph", "tag"]);
    for preset in ["graph", "tag"] {
        let found = retrieve(&db, &layers, preset, None).found;
        assert!(
            found.iter().all(|found| found.text.contains(BOTH)),
            "{preset}"
        );
    }
}

#[test]
fn a_receipt_of_chosen_documents_stands_until_these_say_something_else() {
    let (db, layers) = two();
    let receipt = of_basalt(&db, &layers, Some(2021));
    let standing = || receipt.verify(&db.read().unwrap()).unwrap();
    assert_eq!(standing(), Standing::Stands);
    say(&layers, "new.md", 2022, "It is dark.");
    assert_eq!(standing(), Standing::Stands);
    sum_up(&layers);
    assert_eq!(standing(), Standing::Stands);
    layers.delete("new.md").unwrap();
    assert_eq!(standing(), Standing::Stands);
    say(&layers, "old.md", 2021, "It was ash.");
    assert_eq!(standing(), Standing::Changed);
    layers.delete("old.md").unwrap();
    assert_eq!(standing(), Standing::Gone);
}

#[test]
fn an_edit_that_is_taken_back_leaves_a_receipt_of_many_documents_standing() {
    let (db, layers) = library();
    let say = |number: usize, said: &str| say(&layers, &format!("{number:02}.md"), 2021, said);
    for number in 0..20 {
        say(number, &format!("It is number {number}."));
    }
    let receipt = of_basalt(&db, &layers, None);
    let of_first = receipt.places.iter().any(|place| place.document == "00.md");
    assert!(of_first && receipt.places.len() == 16);
    let standing = || receipt.verify(&db.read().unwrap()).unwrap();
    assert_eq!(standing(), Standing::Stands);
    say(0, "It is nothing.");
    assert_eq!(standing(), Standing::Changed);
    say(0, "It is number 0.");
    // Others are the first of the twenty now, which is no matter of the receipt.
    assert_ne!(of_basalt(&db, &layers, None).hash, receipt.hash);
    assert_eq!(standing(), Standing::Stands);
}

#[test]
fn a_receipt_that_cites_nothing_stands_for_what_it_says_alone() {
    let (db, layers) = two();
    let read = db.read().unwrap();
    let mut receipt = of_basalt(&db, &layers, None);
    let basalt = read.nodes_with_label(Label::Entity.name()).unwrap().min();
    let entity = stratigraph::graph::Entity::Node(stratigraph::NodeId::new(basalt.unwrap()));
    let nothing = roaring::RoaringTreemap::new();
    let mut reader = crate::retrieve::reader::Reader::new(&read).among(Some(&nothing));
    receipt.hash = reader.evidence(entity).unwrap().unwrap().hash();
    receipt.places.clear();
    assert_eq!(receipt.verify(&read).unwrap(), Standing::Changed);
}

/// Keeps what it has read, and likes all of it.
#[derive(Default)]
struct Reader(Mutex<Vec<String>>);

impl Reranker for Reader {
    fn name(&self) -> &str {
        "reader"
    }

    fn max_tokens(&self) -> usize {
        512
    }

    fn scale(&self) -> ScoreScale {
        ScoreScale::Unit
    }

    fn scores(&self, _: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError> {
        let mut read = self.0.lock().unwrap();
        read.extend(passages.iter().map(|text| (*text).to_owned()));
        Ok(vec![1.0; passages.len()])
    }
}

#[test]
fn models_that_order_what_was_found_read_nothing_of_others() {
    let (db, layers) = two();
    let text = "name = 'p'
[[stage]]
name = 'named'
run.vector = { of = 'entities', k = 3 }
[[stage]]
name = 'ordered'
run.rerank = { take = 9 }";
    let pipeline = Pipeline::parse(text).unwrap();
    let question = Question::new(QUESTION).unwrap().only("year", 2021);
    let (read, reader) = (db.read().unwrap(), Reader::default());
    let desk = Desk::new(&read, layers.embedder(), &question).with_reranker(&reader);
    assert_eq!(pipeline.run(&desk).unwrap().0.len(), 1);
    assert_eq!(*reader.0.lock().unwrap(), ["Basalt: It was lava."]);
}
