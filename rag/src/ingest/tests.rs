use std::sync::Arc;

use serde_json::json;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Read};
use stratigraph_models::{Lexical, Recorded, Request};

use super::*;
use crate::Document;
use crate::build::Layers;
use crate::read::{Format, ReadError, Source};

const TEXT: &str = "# Audit of Ruritania\n\n## Rates\n\nThe Bank of Ruritania raised its rates. It met the Ministry of Finance.\n\n\
    ## Budget\n\nThe Ministry of Finance approved the budget of 2023.\n";

fn read(id: &str, text: &str) -> Result<Document, ReadError> {
    Source::new(id, text.as_bytes()).read(Format::Markdown)
}

fn documents(count: usize) -> Vec<Result<Document, ReadError>> {
    let text = |number: usize| TEXT.replace("2023", &(2000 + number).to_string());
    (0..count)
        .map(|number| read(&format!("{number:03}.md"), &text(number)))
        .collect()
}

fn layers(recipe: &Recipe) -> Layers {
    let db = Database::in_memory().unwrap();
    Layers::open(&db, recipe.profile(), Arc::new(Lexical::new())).unwrap()
}

fn counts(layers: &Layers) -> [u64; 5] {
    let read = layers.database().read().unwrap();
    ["Document", "Chunk", "Instance", "Entity", "DomainTag"]
        .map(|label| read.node_count(Some(label)).unwrap())
}

/// A model that finds one fact in each piece, but for pieces that name this.
fn model(but: &'static str) -> Recorded {
    Recorded::by(move |request: &Request| {
        let asked = &request.messages.last()?.text;
        let named = !but.is_empty() && asked.contains(but);
        let fact = json!({"triples": [{"subject": "Ministry of Finance", "relation": "approved", "object": "budget", "source": ""}]});
        (!named).then(|| fact.to_string())
    })
}

#[test]
fn every_system_has_its_graph_without_a_model() {
    for (system, has) in [
        (System::Structure, [true, true, false, false, false]),
        (System::Bag, [true, true, true, false, false]),
        (System::Tag, [true, true, false, true, true]),
        (System::Triples, [true, true, false, true, false]),
        (System::Hybrid, [true, true, false, true, false]),
    ] {
        let recipe = Recipe::new(system.name().parse().unwrap(), 200);
        let layers = layers(&recipe);
        let ingest = Ingest::new(&layers, &recipe);
        let report = ingest.run(documents(3), &|_| ());
        assert_eq!((report.documents, report.count_failed), (3, 0), "{system}");
        assert_eq!(report.bytes, 3 * TEXT.len() as u64);
        assert_eq!(counts(&layers).map(|count| count > 0), has, "{system}");
        let again = ingest.run(documents(3), &|_| ());
        assert_eq!((again.documents, again.change.keys), (3, 0), "{system}");
    }
    let unknown = "Bag".parse::<System>().unwrap_err();
    assert!(unknown.to_string().contains("structure, bag"), "{unknown}");
}

#[test]
fn what_was_paid_for_is_foretold_and_not_paid_for_twice() {
    let recipe = Recipe::new(System::Triples, 200);
    let layers = layers(&recipe);
    let model = Arc::new(model(""));
    let ingest = || Ingest::new(&layers, &recipe).model(Arc::clone(&model) as _);
    let forecast = ingest().forecast(documents(4)).unwrap();
    assert_eq!((forecast.documents, model.asked().len()), (4, 0));
    assert_eq!(forecast.estimate.calls, forecast.pieces as u64);
    assert!(forecast.estimate.input_tokens > 0);
    let report = ingest().run(documents(4), &|_| ());
    assert_eq!(report.cost.calls, forecast.estimate.calls);
    let paid = model.asked().len();
    assert_eq!(paid as u64, report.cost.calls);
    // Another run, and another graph in the same database, as after a crash before the first commit.
    let again = ingest().run(documents(4), &|_| ());
    assert_eq!((again.cost.calls, again.cost.kept), (0, paid as u64));
    assert_eq!((again.change.keys, model.asked().len()), (0, paid));
    let forecast = ingest().forecast(documents(4)).unwrap();
    assert_eq!(
        (forecast.estimate.calls, forecast.estimate.kept),
        (0, paid as u64)
    );
}

#[test]
fn what_fails_is_told_and_the_rest_goes_on() {
    let recipe = Recipe::new(System::Triples, 200);
    let layers = layers(&recipe);
    let before = Ingest::new(&layers, &recipe).run(documents(1), &|_| ());
    assert_eq!(before.documents, 1);
    let held = counts(&layers);
    let mut given = documents(3);
    // A document that is there already changes, and the model gives nothing for it.
    given[0] = read("000.md", &TEXT.replace("2023", "1848"));
    given.insert(
        1,
        Source::new("broken.md", b"\xff\xfe\x00").read(Format::Markdown),
    );
    let ingest = Ingest::new(&layers, &recipe).model(Arc::new(model("1848")));
    let report = ingest.run(given, &|_| ());
    assert_eq!((report.documents, report.count_failed), (2, 2));
    let told: Vec<String> = report
        .failed
        .iter()
        .map(|failed| failed.error.to_string())
        .collect();
    assert!(told[0].contains("broken.md"), "{told:?}");
    assert_eq!(report.failed[1].document.as_deref(), Some("000.md"));
    assert!(report.ended.is_none());
    assert_eq!(layers.documents().unwrap(), ["000.md", "001.md", "002.md"]);
    for id in ["001.md", "002.md"] {
        layers.delete(id).unwrap();
    }
    assert_eq!(counts(&layers), held, "it is as it was");
}

#[test]
fn who_is_stopped_goes_on_from_there() {
    let recipe = Recipe::new(System::Bag, 200);
    let (stopped, whole) = (layers(&recipe), layers(&recipe));
    let cancel = CancelToken::new();
    let ingest = Ingest::new(&stopped, &recipe).cancel(cancel.clone());
    // More than are held at a time: some are done, and some are not.
    let report = ingest.run(documents(150), &|progress| {
        if progress.documents >= 64 {
            cancel.cancel();
        }
    });
    assert!(matches!(report.ended, Some(Ended::Stopped)), "{report:?}");
    let done = stopped.documents().unwrap().len();
    assert_eq!(done, report.documents);
    assert!((64..150).contains(&done), "{done}");
    let report = Ingest::new(&stopped, &recipe).run(documents(150), &|_| ());
    assert_eq!((report.documents, report.ended.is_none()), (150, true));
    Ingest::new(&whole, &recipe).run(documents(150), &|_| ());
    assert_eq!(counts(&stopped), counts(&whole));
}

#[test]
fn lists_of_facts_are_documents_of_their_own() {
    let recipe = Recipe::new(System::Triples, 200);
    let layers = layers(&recipe);
    let list = |id: &str, lines: &str| {
        Ok(FactList {
            id: id.to_owned(),
            metadata: crate::Metadata::new(),
            lines: Box::new(std::io::Cursor::new(lines.to_owned())),
        })
    };
    let one =
        "{\"subject\": \"a\", \"relation\": \"is\", \"object\": \"b\", \"source\": \"p. 7\"}\n";
    let broken = format!("{one}[1]\n{}", one.replace("\"b\"", "\"c\""));
    let ingest = Ingest::new(&layers, &recipe);
    let report = ingest.run_lists([list("whole", one), list("part", &broken)], &|_| ());
    assert_eq!(
        (report.documents, report.count_failed),
        (2, 1),
        "{report:?}"
    );
    assert!(report.failed[0].error.to_string().contains("part"));
    assert_eq!(layers.documents().unwrap(), ["part", "whole"]);
    let facts = || {
        layers
            .database()
            .read()
            .unwrap()
            .relationship_count(Some("FACT"))
            .unwrap()
    };
    assert_eq!(facts(), 2, "both lists say one of them");
    layers.delete("part").unwrap();
    assert_eq!(facts(), 1);
    let both = report.and(ingest.run(documents(1), &|_| ()));
    assert_eq!((both.documents, both.count_failed), (3, 1));
}
