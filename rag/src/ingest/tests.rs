use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::{Database, Read};
use stratigraph_models::{Lexical, Recorded, Request};

mod again;

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

/// The whole graph without ids, and without what models were paid for.
fn dump(layers: &Layers) -> String {
    layers.replies().forget().unwrap();
    let mut watch = Watch::quiet();
    let mut text = Vec::new();
    let db = layers.database();
    db.dump_canonical(&mut text, &mut watch).unwrap();
    String::from_utf8(text).unwrap()
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
        (System::Strata, [true, true, false, true, false]),
        (System::Layered, [true, true, true, true, true]),
    ] {
        let recipe = Recipe::new(system.name().parse().unwrap(), 200);
        let layers = layers(&recipe);
        let ingest = Ingest::new(&layers, &recipe);
        let report = ingest.run(documents(3), &|_| ());
        assert_eq!(
            (report.documents, report.problems.count_failed),
            (3, 0),
            "{system}"
        );
        assert_eq!(report.bytes, 3 * TEXT.len() as u64);
        assert_eq!(counts(&layers).map(|count| count > 0), has, "{system}");
        let again = ingest.run(documents(3), &|_| ());
        assert_eq!((again.documents, again.change.keys), (3, 0), "{system}");
    }
    let unknown = "Bag".parse::<System>().unwrap_err().to_string();
    for system in System::ALL {
        assert!(unknown.contains(system.name()), "{unknown}");
    }
}

#[test]
fn a_graph_of_all_layers_is_read_by_a_reader_of_each_and_all_of_it_is_foretold() {
    let recipe = Recipe::new(System::Layered, 200);
    let layers = layers(&recipe);
    let model = Arc::new(Recorded::by(|request: &Request| {
        let reply = match request.schema.as_ref()?.name() {
            "object_tags" => json!({
                "tags": [{"name": "Rates", "kind": "measure", "description": "They are high."}],
                "relations": []
            }),
            "tag_chain" => json!({
                "domains": [{"name": "Economics", "description": "Of goods."}],
                "link": "It is a part of it."
            }),
            "triples" => json!({"triples": [
                {"subject": "Bank of Ruritania", "relation": "raised", "object": "rates", "source": "Rates: raised its rates"}
            ]}),
            "bag_entities" => json!({"entities": [
                {"name": "Bank of Ruritania", "kind": "bank", "description": "It sets them.", "sentences": [1]},
                {"name": "Rates", "kind": "price", "description": "They were raised.", "sentences": [1]}
            ]}),
            "bag_relations" => json!({"relations": [
                {"subject": "Bank of Ruritania", "predicate": "sets", "object": "Rates", "description": "It raised them."}
            ]}),
            _ => return None,
        };
        Some(reply.to_string())
    }));
    let text = "# Rates\n\nThe Bank of Ruritania raised its rates.\n";
    let ingest = || Ingest::new(&layers, &recipe).model(Arc::clone(&model) as _);
    let forecast = ingest().forecast([read("a.md", text)]).unwrap();
    // Tags, one chain, triples, entities, relations.
    assert_eq!((forecast.pieces, forecast.estimate.calls), (1, 5));
    assert!(model.asked().is_empty());
    let report = ingest().run([read("a.md", text)], &|_| ());
    assert_eq!((report.documents, report.cost.calls), (1, 5));
    assert_eq!(counts(&layers), [1, 1, 2, 2, 2]);
    // What two of them name is one thing, of which both say something.
    let rows = |statement: &str| -> Vec<String> {
        let rows = layers.database().query(statement, ()).unwrap();
        rows.map(|row| row.unwrap().get("said").unwrap()).collect()
    };
    let mentioned = "MATCH (:Chunk)-[m:MENTIONS]->(:Entity {key: 'rates'}) RETURN m.name + ', ' + m.kind + ': ' + m.description AS said";
    assert_eq!(
        rows(mentioned),
        ["Rates, price: They are high. They were raised."]
    );
    let facts = "MATCH (:Entity)-[f:FACT]->(:Entity) RETURN f.predicate + ' ' + f.source AS said ORDER BY said";
    assert_eq!(rows(facts), ["raised Rates: raised its rates", "sets "]);
    // Nothing is paid for twice.
    layers.delete("a.md").unwrap();
    let again = ingest().forecast([read("a.md", text)]).unwrap();
    assert_eq!((again.estimate.calls, again.estimate.kept), (0, 5));
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
    // Three headings each, and the pieces.
    assert_eq!(forecast.vectors, 4 * 3 + forecast.pieces as u64);
    assert!(forecast.vector_tokens > forecast.vectors, "{forecast:?}");
    assert!(forecast.estimate.input_tokens > 0);
    let report = ingest().run(documents(4), &|_| ());
    assert_eq!(report.cost.calls, forecast.estimate.calls);
    let paid = model.asked().len();
    assert_eq!(paid as u64, report.cost.calls);
    // Another run finds all of it there.
    let again = ingest().run(documents(4), &|_| ());
    assert_eq!((again.documents, again.unchanged, again.pieces), (4, 4, 0));
    let forecast = ingest().forecast(documents(4)).unwrap();
    assert_eq!(
        (forecast.documents, forecast.unchanged, forecast.pieces),
        (4, 4, 0)
    );
    assert_eq!((forecast.estimate.calls, forecast.estimate.kept), (0, 0));
    // Another graph in the same database, as after a crash before the first commit.
    for id in layers.documents().unwrap() {
        layers.delete(&id).unwrap();
    }
    let forecast = ingest().forecast(documents(4)).unwrap();
    assert_eq!(
        (forecast.estimate.calls, forecast.estimate.kept),
        (0, paid as u64)
    );
    let again = ingest().run(documents(4), &|_| ());
    assert_eq!((again.cost.calls, again.cost.kept), (0, paid as u64));
    assert_eq!((again.unchanged, model.asked().len()), (0, paid));
}

#[test]
fn what_a_failed_document_cost_is_on_the_bill() {
    let recipe = Recipe::new(System::Bag, 200);
    // One reply that can be used, and then none that can: words, or one that is cut.
    for useless in ["None.".to_owned(), "[".repeat(1 << 20)] {
        let layers = layers(&recipe);
        let model = Recorded::by(move |request: &Request| {
            let asked = &request.messages.last()?.text;
            let entities = json!({"entities": [{"name": "Bank of Ruritania", "description": "", "sentences": []}]});
            let is_first =
                !asked.contains("Bank of Ruritania\n") && asked.contains("raised its rates");
            Some(if is_first {
                entities.to_string()
            } else {
                useless.clone()
            })
        });
        let model = Arc::new(model.limited());
        let ingest = Ingest::new(&layers, &recipe).threads(1);
        let report = ingest
            .model(Arc::clone(&model) as _)
            .run(documents(1), &|_| ());
        assert_eq!((report.documents, report.problems.count_failed), (0, 1));
        assert_eq!(report.cost.calls, model.asked().len() as u64);
        let tokens = |request: &Request| -> u64 {
            let texts = request.messages.iter();
            texts.map(|one| one.text.len().div_ceil(4) as u64).sum()
        };
        let paid: u64 = model.asked().iter().map(tokens).sum();
        assert_eq!(report.cost.usage.input_tokens, paid);
    }
}

#[test]
fn what_fails_is_told_and_the_rest_goes_on() {
    let recipe = Recipe::new(System::Triples, 200);
    let layers = layers(&recipe);
    let before = Ingest::new(&layers, &recipe).run(documents(1), &|_| ());
    assert_eq!(before.documents, 1);
    let held = dump(&layers);
    let mut given = documents(3);
    // A document that is there already changes, and the model gives nothing for it.
    given[0] = read("000.md", &TEXT.replace("2023", "1848"));
    given.insert(
        1,
        Source::new("broken.md", b"\xff\xfe\x00").read(Format::Markdown),
    );
    let ingest = Ingest::new(&layers, &recipe).model(Arc::new(model("1848")));
    let report = ingest.run(given, &|_| ());
    assert_eq!((report.documents, report.problems.count_failed), (2, 2));
    let [unreadable, unread] = &report.problems.failed[..] else {
        panic!("{report:?}");
    };
    assert!(unreadable.error.to_string().starts_with("broken.md"));
    let named = [unreadable, unread].map(|failed| failed.document.as_deref());
    assert_eq!(named, [Some("broken.md"), Some("000.md")]);
    assert!(report.ended.is_none());
    assert_eq!(layers.documents().unwrap(), ["000.md", "001.md", "002.md"]);
    for id in ["001.md", "002.md"] {
        layers.delete(id).unwrap();
    }
    assert_eq!(dump(&layers), held, "it is as it was");
}

#[test]
fn a_forecast_tells_what_a_run_does_of_what_cannot_be_read() {
    let recipe = Recipe::new(System::Triples, 200);
    let layers = layers(&recipe);
    let ingest = Ingest::new(&layers, &recipe);
    let broken = Source::new("broken.md", b"\xff\xfe\x00").read(Format::Markdown);
    let given = || [documents(1).remove(0), broken.clone()];
    let part = || list("part", Cursor::new(format!("{FACT}[1]\n")));
    let none = || list("none", Cursor::new("[1]\n[2]\n".to_owned()));
    let gone = || Err(broken.clone().unwrap_err());
    let forecast = ingest.forecast(given()).unwrap();
    let forecast = forecast.and(ingest.forecast_lists([part(), none(), gone()]));
    let report = ingest.run(given(), &|_| ());
    let report = report.and(ingest.run_lists([part(), none(), gone()], &|_| ()));
    assert_eq!((forecast.documents, report.documents), (2, 2));
    let told = |problems: &Problems| {
        let all: Vec<String> = problems.all().map(ToString::to_string).collect();
        let named: Vec<_> = { problems.failed.iter() }
            .map(|failed| failed.document.clone())
            .collect();
        (
            all,
            named,
            problems.count_failed,
            problems.count_broken_lines,
        )
    };
    let (all, named, failed, lines) = told(&forecast.problems);
    assert_eq!((all.len(), failed, lines), (6, 3, 3), "{all:?}");
    let name = |name: &str| Some(name.to_owned());
    assert_eq!(named, [name("broken.md"), name("none"), name("broken.md")]);
    assert_eq!(told(&report.problems), (all, named, failed, lines));
}

#[test]
fn the_first_problems_are_kept_and_all_are_counted() {
    let error = || read("x.md", "---\n- a\n---\n").unwrap_err();
    let many = |count: usize| {
        let mut problems = Problems::default();
        for _ in 0..count {
            problems.unreadable(error());
            problems.broken_line(error());
        }
        problems
    };
    for problems in [
        many(Problems::MOST_TOLD + 2),
        many(Problems::MOST_TOLD).and(many(2)),
    ] {
        assert_eq!(problems.all().count(), 2 * Problems::MOST_TOLD);
        assert_eq!(problems.count_failed, Problems::MOST_TOLD + 2);
        assert_eq!(problems.count_broken_lines, Problems::MOST_TOLD as u64 + 2);
    }
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
    assert_eq!(dump(&stopped), dump(&whole));
}

fn list(id: &str, lines: impl std::io::BufRead + 'static) -> Result<FactList, ReadError> {
    Ok(FactList {
        id: id.to_owned(),
        metadata: crate::Metadata::new(),
        lines: Box::new(lines),
    })
}

fn facts(layers: &Layers) -> u64 {
    let read = layers.database().read().unwrap();
    read.relationship_count(Some("FACT")).unwrap()
}

const FACT: &str =
    "{\"subject\": \"a\", \"relation\": \"is\", \"object\": \"b\", \"source\": \"p. 7\"}\n";

#[test]
fn lists_of_facts_are_documents_of_their_own() {
    let recipe = Recipe::new(System::Triples, 200);
    let layers = layers(&recipe);
    let broken = format!("{FACT}[1]\n{}", FACT.replace("\"b\"", "\"c\""));
    let ingest = Ingest::new(&layers, &recipe);
    let whole = || list("whole", FACT.as_bytes());
    // In a graph that has nothing of it, what is embedded is what was foretold.
    let forecast = ingest.forecast_lists([whole()]);
    let report = ingest.run_lists([whole()], &|_| ());
    assert_eq!(
        (forecast.documents, forecast.vectors),
        (1, report.change.vectors),
        "{report:?}"
    );
    assert!(forecast.vectors > 3 && forecast.vector_tokens > forecast.vectors);
    layers.delete("whole").unwrap();
    let report = ingest.run_lists([whole(), list("part", Cursor::new(broken))], &|_| ());
    // A broken line is a line, and its list is there.
    assert_eq!(
        (
            report.documents,
            report.problems.count_failed,
            report.problems.count_broken_lines
        ),
        (2, 0, 1),
        "{report:?}"
    );
    assert!(
        report.problems.broken_lines[0]
            .to_string()
            .contains("part, line 2")
    );
    assert_eq!(layers.documents().unwrap(), ["part", "whole"]);
    assert_eq!(facts(&layers), 2, "both lists say one of them");
    layers.delete("part").unwrap();
    assert_eq!(facts(&layers), 1);
    let both = report.and(ingest.run(documents(1), &|_| ()));
    assert_eq!((both.documents, both.problems.count_broken_lines), (3, 1));
}

/// Some lines, and then the disk fails.
struct Failing(Cursor<String>);

impl std::io::Read for Failing {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(to)? {
            0 => Err(std::io::Error::other("the disk is gone")),
            read => Ok(read),
        }
    }
}

#[test]
fn a_list_that_cannot_be_read_to_its_end_leaves_what_was_there() {
    let recipe = Recipe::new(System::Triples, 200);
    let layers = layers(&recipe);
    let ingest = Ingest::new(&layers, &recipe);
    let two = format!("{FACT}{}", FACT.replace("\"b\"", "\"c\""));
    ingest.run_lists([list("list", Cursor::new(two))], &|_| ());
    let before = dump(&layers);
    let failing = || std::io::BufReader::new(Failing(Cursor::new(FACT.to_owned())));
    let endless = format!("{FACT}{}", "x".repeat(17 << 20));
    for (lines, said) in [
        (list("list", failing()), "the disk is gone"),
        (list("list", Cursor::new(endless)), "a line of more than"),
        (
            list("list", Cursor::new("[1]\n[2]\n".to_owned())),
            "2 broken lines",
        ),
        (
            list("list", Cursor::new(String::new())),
            "no fact could be read",
        ),
    ] {
        let report = ingest.run_lists([lines], &|_| ());
        assert_eq!(
            (report.documents, report.problems.count_failed),
            (0, 1),
            "{report:?}"
        );
        assert_eq!(report.problems.failed[0].document.as_deref(), Some("list"));
        let problem = report.problems.failed[0].error.to_string();
        assert!(problem.contains(said), "{problem}");
        assert_eq!(dump(&layers), before, "{said}");
    }
}

#[test]
fn who_stops_it_at_the_last_list_hears_that_it_stopped() {
    let recipe = Recipe::new(System::Triples, 200);
    let layers = layers(&recipe);
    let cancel = CancelToken::new();
    let ingest = Ingest::new(&layers, &recipe).cancel(cancel.clone());
    let report = ingest.run_lists([list("only", FACT.as_bytes())], &|_| cancel.cancel());
    assert_eq!(report.documents, 1);
    assert!(matches!(report.ended, Some(Ended::Stopped)));
}

/// A document that says how it is to be called, and the embedder while which somebody has the writer's place.
struct Slow {
    taken: std::sync::Mutex<Option<std::thread::JoinHandle<()>>>,
    db: Database,
    times: std::sync::atomic::AtomicUsize,
}

impl stratigraph_models::Embedder for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn dimensions(&self) -> usize {
        Lexical::new().dimensions()
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(
        &self,
        texts: &[&str],
    ) -> Result<stratigraph_models::Rows, stratigraph_models::ModelError> {
        self.times
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut taken = self.taken.lock().unwrap();
        if taken.is_none() {
            let (db, (tell, told)) = (self.db.clone(), std::sync::mpsc::channel());
            *taken = Some(std::thread::spawn(move || {
                let txn = db.write().unwrap();
                tell.send(()).unwrap();
                // Longer than anybody waits once, and shorter than all waits together.
                std::thread::sleep(Duration::from_millis(1500));
                drop(txn);
            }));
            told.recv().unwrap();
        }
        Lexical::new().embed(texts)
    }
}

#[test]
fn who_has_to_wait_for_another_writer_tries_again_with_the_vectors_it_has() {
    let db = Database::builder().write_queue_timeout(Duration::from_secs(1));
    let db = db.in_memory().unwrap();
    let recipe = Recipe::new(System::Structure, 200);
    let slow = Arc::new(Slow {
        taken: std::sync::Mutex::default(),
        db: db.clone(),
        times: std::sync::atomic::AtomicUsize::new(0),
    });
    let layers = Layers::open(&db, recipe.profile(), slow.clone()).unwrap();
    let report = Ingest::new(&layers, &recipe).run(documents(1), &|_| ());
    assert_eq!(
        (report.documents, report.problems.count_failed),
        (1, 0),
        "{report:?}"
    );
    assert_eq!(slow.times.load(std::sync::atomic::Ordering::Relaxed), 1);
}

/// An hour passes whenever somebody looks.
#[derive(Default)]
struct Hours {
    on: std::sync::atomic::AtomicBool,
    now: std::sync::atomic::AtomicU64,
}

impl stratigraph::clock::Clock for Hours {
    fn now(&self) -> Duration {
        let passes = self.on.load(std::sync::atomic::Ordering::Relaxed);
        let hours = self
            .now
            .fetch_add(u64::from(passes), std::sync::atomic::Ordering::Relaxed);
        Duration::from_secs(hours * 3600)
    }
}

#[test]
fn a_document_that_takes_too_long_is_told_and_tried_once() {
    let clock = Arc::new(Hours::default());
    let db = Database::builder()
        .clock(clock.clone())
        .in_memory()
        .unwrap();
    let recipe = Recipe::new(System::Structure, 200);
    let layers = Layers::open(&db, recipe.profile(), Arc::new(Lexical::new())).unwrap();
    clock.on.store(true, std::sync::atomic::Ordering::Relaxed);
    let report = Ingest::new(&layers, &recipe).run(documents(3), &|_| ());
    clock.on.store(false, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(
        (report.documents, report.problems.count_failed),
        (0, 3),
        "{report:?}"
    );
    assert!(report.ended.is_none(), "{report:?}");
    let report = Ingest::new(&layers, &recipe).run(documents(3), &|_| ());
    assert_eq!(report.documents, 3);
}

#[test]
fn a_database_that_keeps_no_replies_ends_it_and_what_they_cost_is_told() {
    let db = Database::builder().write_queue_timeout(Duration::from_millis(50));
    let db = db.in_memory().unwrap();
    let recipe = Recipe::new(System::Triples, 200);
    let layers = Layers::open(&db, recipe.profile(), Arc::new(Lexical::new())).unwrap();
    let model = Arc::new(model(""));
    let ingest = Ingest::new(&layers, &recipe).model(Arc::clone(&model) as _);
    let ingest = ingest.threads(1);
    // Somebody else has the writer's place for longer than anybody waits.
    let other = db.write().unwrap();
    let report = ingest.run(documents(2), &|_| ());
    drop(other);
    assert!(
        matches!(&report.ended, Some(Ended::Database(error)) if error.kind() == stratigraph::ErrorKind::Retry),
        "{report:?}"
    );
    let done = (report.documents, report.problems.count_failed);
    assert_eq!(done, (0, 0), "{report:?}");
    let paid = model.asked().len() as u64;
    assert!(paid > 0 && report.cost.calls == paid, "{report:?}");
    assert_eq!(ingest.run(documents(2), &|_| ()).documents, 2);
}
