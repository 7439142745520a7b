//! Summaries through the doors: mended, failing, and settled.

use super::*;
use crate::build::{Label, NodeKey};
use crate::extract::text_at;

#[test]
fn summaries_are_mended_by_the_model_and_by_nobody_else() {
    let model = Arc::new(model());
    let equipment = Equipment::default().model(Arc::clone(&model) as _, 2);
    let (db, _) = library(equipment);
    rows(&db, "CALL rag.createLayers('triples')");
    let upsert = "CALL rag.upsertDocument({id: 'a.md', content: $text})";
    rows(&db, upsert);
    assert!(
        rows(&db, "CALL rag.resummarise()").is_empty(),
        "nothing is stale"
    );
    let made = rows(&db, "CALL rag.resummarise({entities: true})");
    assert_eq!(made.len(), 2);
    for row in &made {
        assert_eq!(
            row.get::<String>("summary").unwrap(),
            "Basalt comes from Mount Etna."
        );
    }
    // Somebody says something else of both, and nobody is asked until somebody wants it.
    let asked = model.asked().len();
    let fact = json!({"subject": "Basalt", "relation": "lies on", "object": "Mount Etna", "source": "p. 7"});
    let list = "CALL rag.upsertDocument({id: 'list', format: 'facts', content: $fact}) YIELD stale RETURN stale";
    let told = db.query(list, [("fact", fact.to_string())]).unwrap();
    let told: Vec<i64> = told.map(|row| row.unwrap().get("stale").unwrap()).collect();
    assert_eq!((told, model.asked().len()), (vec![2], asked));
    let stale = rows(&db, "CALL rag.stale()");
    assert_eq!(stale.len(), 2);
    let mended = rows(&db, "CALL rag.resummarise()");
    assert_eq!((mended.len(), model.asked().len()), (2, asked + 2));
    assert!(rows(&db, "CALL rag.stale()").is_empty());
    rows(&db, "CALL rag.deleteDocument('list')");
    assert_eq!(rows(&db, "CALL rag.stale()").len(), 2);
    // Without a model it says what it needs, and rules are asked for by name.
    let without = Library::new(&db, Equipment::default());
    without.register().unwrap();
    let (message, _) = refused(&db, "CALL rag.resummarise({central: false})");
    assert!(message.contains("--llm URL --model NAME"), "{message}");
    for row in rows(&db, "CALL rag.resummarise()") {
        let problem: String = row.get("problem").unwrap();
        assert!(problem.contains("--llm URL --model NAME"), "{problem}");
    }
    assert_eq!(rows(&db, "CALL rag.stale()").len(), 2);
    let one = rows(&db, "CALL rag.resummarise({central: true, most: 1})");
    assert_eq!(one.len(), 1);
    assert!(!one[0].get::<String>("summary").unwrap().is_empty());
    assert_eq!(rows(&db, "CALL rag.stale()").len(), 1);
    rows(&db, "CALL rag.resummarise({central: true})");
    assert!(rows(&db, "CALL rag.stale()").is_empty());
    let by = rows(
        &db,
        "MATCH (e:Entity) RETURN DISTINCT e.summary_model AS by",
    );
    assert_eq!(by[0].get::<String>("by").unwrap(), "rules");
}

#[test]
fn rules_sum_up_no_heading_and_no_fact_of_names_that_stand_together() {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('hybrid')");
    rows(&db, "CALL rag.upsertDocument({id: 'a.md', content: $text})");
    let facts = "MATCH ()-[f:FACT {predicate: 'co-occurs with'}]->() RETURN count(f) AS facts";
    assert!(rows(&db, facts)[0].get::<i64>("facts").unwrap() > 0);
    let made = rows(
        &db,
        "CALL rag.resummarise({entities: true}) YIELD key, summary RETURN key, summary",
    );
    assert!(made.len() > 1);
    for row in &made {
        let summary = row
            .get::<Option<String>>("summary")
            .unwrap()
            .unwrap_or_default();
        assert!(
            !summary.contains('#') && !summary.contains("co-occurs"),
            "{summary}"
        );
    }
    let etna = made
        .iter()
        .find(|row| row.get::<String>("key").unwrap() == "mount etna");
    let etna = etna.unwrap().get::<String>("summary").unwrap();
    assert_eq!(etna, "Basalt comes from Mount Etna in Sicily.");
}

#[test]
fn the_statement_counts_the_domains_that_have_no_summary() {
    let (db, library) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('tag')");
    rows(&db, "CALL rag.upsertDocument({id: 'a.md', content: $text})");
    let open = library.open().unwrap();
    let counted = || {
        let counted = rows(&db, Layers::DOMAINS_WITHOUT_SUMMARY);
        let counted: i64 = counted[0].get("domains").unwrap();
        let listed = open.layers().without_summary(Label::DomainTag).unwrap();
        assert_eq!(listed.len() as i64, counted);
        counted
    };
    let all = counted();
    assert!(all > 1, "{all}");
    let one = "CALL rag.resummarise({domains: true, central: true, most: 1}) YIELD summary WHERE summary IS NOT NULL RETURN summary";
    assert_eq!(rows(&db, one).len(), 1);
    assert_eq!(counted(), all - 1);
}

#[test]
fn a_summary_that_fails_leaves_the_others() {
    let refusing = Recorded::by(|request: &Request| {
        let asked = &request.messages.last()?.text;
        let summary = json!({"summary": "Basalt is a rock of Mount Etna."}).to_string();
        (!asked.contains("Etna") || asked.contains("Basalt")).then_some(summary)
    });
    let (db, library) = library(Equipment::default().model(Arc::new(refusing), 1));
    rows(&db, "CALL rag.createLayers('triples')");
    let facts = [
        json!({"subject": "Basalt", "relation": "is", "object": "rock", "source": "1"}),
        json!({"subject": "Etna", "relation": "is", "object": "mountain", "source": "2"}),
    ];
    let facts = facts.map(|fact| fact.to_string()).join("\n");
    let call =
        "CALL rag.upsertDocument({id: 'list', format: 'facts', content: $facts}) YIELD problems";
    let broken = format!("{facts}\n[1]");
    let told = db.query(call, [("facts", broken.as_str())]).unwrap();
    let told: Vec<Row> = told.map(|row| row.unwrap()).collect();
    assert_eq!(told[0].get::<Vec<String>>("problems").unwrap().len(), 1);
    let wanted = Resummarise {
        entities: true,
        ..Resummarise::default()
    };
    let open = library.open().unwrap();
    let done = open
        .resummarise(&wanted, &CancelToken::new(), &|_| ())
        .unwrap();
    assert!(
        !done.mended.is_empty() && !done.failed.is_empty(),
        "{done:?}"
    );
    let rows = rows(
        &db,
        "CALL rag.resummarise({entities: true}) YIELD key, problem WHERE problem IS NOT NULL RETURN key, problem",
    );
    assert_eq!(rows.len(), done.failed.len());
    let cancelled = CancelToken::new();
    cancelled.cancel();
    assert!(
        open.resummarise(&wanted, &cancelled, &|_| ())
            .unwrap()
            .stopped
    );
}

#[test]
fn what_nothing_is_said_of_loses_its_summary_and_is_told_once() {
    let model = Arc::new(model());
    let (db, library) = library(Equipment::default().model(Arc::clone(&model) as _, 1));
    rows(&db, "CALL rag.createLayers('triples')");
    // Somebody summarised what is still there, and of which nothing is said any more.
    rows(
        &db,
        "CREATE (:Entity {key: 'slate', name: 'slate', summary: 'Slate splits.', summary_inputs: '0', stale: true})",
    );
    let wanted = Resummarise::default();
    let settle = || {
        let open = library.open().unwrap();
        open.resummarise(&wanted, &CancelToken::new(), &|_| ())
            .unwrap()
    };
    let first = settle();
    assert_eq!(first.forgotten, [NodeKey::new(Label::Entity, "slate")]);
    // That is how it should be, and no failure.
    assert_eq!((first.failed.len(), first.left), (0, 0), "{first:?}");
    assert_eq!(first.cost, crate::extract::Cost::default());
    let left = rows(
        &db,
        "MATCH (e:Entity {key: 'slate'}) RETURN e.summary IS NULL AS gone",
    );
    assert!(left[0].get::<bool>("gone").unwrap());
    let second = settle();
    assert_eq!((second.of, second.forgotten.len()), (0, 0), "{second:?}");
    rows(
        &db,
        "CREATE (:Entity {key: 'gneiss', name: 'gneiss', summary: 'Gneiss is old.', summary_inputs: '0', stale: true})",
    );
    let told = rows(
        &db,
        "CALL rag.resummarise() YIELD key, summary, problem RETURN key, summary IS NULL AND problem IS NULL AS is_neither",
    );
    assert_eq!(
        (told.len(), told[0].get::<String>("key").unwrap()),
        (1, "gneiss".to_owned())
    );
    assert!(told[0].get::<bool>("is_neither").unwrap());
    assert!(model.asked().is_empty(), "nobody is asked about nothing");
}

#[test]
fn what_no_summary_comes_of_and_never_had_one_does_not_fail_in_every_run() {
    let (db, library) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('triples')");
    // Something is said of it, and there is no sentence in that.
    rows(
        &db,
        "CREATE (:Chunk {key: 'c'})-[:MENTIONS {description: '!!!'}]->(:Entity {key: 'slate', name: 'slate'})",
    );
    let wanted = Resummarise {
        entities: true,
        ..Resummarise::default()
    };
    let open = library.open().unwrap();
    let before = db.read().unwrap().commit_seq();
    for _ in 0..2 {
        let done = open
            .resummarise(&wanted, &CancelToken::new(), &|_| ())
            .unwrap();
        assert_eq!((done.of, done.passed), (1, 1), "{done:?}");
        assert!(done.failed.is_empty() && done.forgotten.is_empty());
    }
    assert_eq!(
        db.read().unwrap().commit_seq(),
        before,
        "nothing is written"
    );
    let slate = NodeKey::new(Label::Entity, "slate");
    let inputs = open.layers().inputs(&slate).unwrap().unwrap();
    assert!(!open.layers().forget_summary(&inputs).unwrap());
}

#[test]
fn replies_that_cannot_be_used_are_on_the_bill() {
    let model = Recorded::by(|_| Some("Slate, I think.".to_owned()));
    let (db, library) = library(Equipment::default().model(Arc::new(model), 1));
    rows(&db, "CALL rag.createLayers('triples')");
    let fact = json!({"subject": "Slate", "relation": "is", "object": "rock", "source": "1"});
    db.query(
        "CALL rag.upsertDocument({id: 'list', format: 'facts', content: $fact}) YIELD id",
        [("fact", fact.to_string())],
    )
    .unwrap()
    .for_each(|row| drop(row.unwrap()));
    let wanted = Resummarise {
        entities: true,
        ..Resummarise::default()
    };
    let open = library.open().unwrap();
    let done = open
        .resummarise(&wanted, &CancelToken::new(), &|_| ())
        .unwrap();
    assert_eq!((done.failed.len(), done.cost.calls), (2, 6), "{done:?}");
    assert!(done.cost.usage.input_tokens > 0 && done.cost.usage.output_tokens > 0);
}

/// The text that a request has at a place.
fn place<'r>(request: &'r Request, name: &str) -> &'r str {
    text_at(&request.messages.last().unwrap().text, name)
}

/// What the domains of a request's chain are called.
fn chain(request: &Request) -> Vec<&str> {
    let lines = place(request, "chain").lines();
    lines
        .filter_map(|line| Some(line.split_once(": ")?.0))
        .collect()
}

/// A model that puts all that it reads under one chain of domains, and tells of each of them how often it was asked.
fn of_domains() -> Recorded {
    let times = std::sync::atomic::AtomicUsize::new(0);
    Recorded::by(move |request: &Request| {
        let reply = match request.schema.as_ref()?.name() {
            "object_tags" => {
                let is_slate = place(request, "text").contains("Slate");
                let name = if is_slate { "Slate" } else { "Basalt" };
                json!({"tags": [{"name": name, "kind": "rock", "description": "It is hard."}], "relations": []})
            }
            "tag_chain" if place(request, "tag").starts_with("SLATE") => json!({
                "domains": [{"name": "Earth", "description": "A ball with a crust."}],
                "link": "Slate is of its crust."
            }),
            "tag_chain" => json!({
                "domains": [{"name": "Earth", "description": "A ball of rock."},
                            {"name": "Rocks", "description": "All that is hard."}],
                "link": "Basalt is a rock."
            }),
            _ => {
                let time = times.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let name = chain(request).last()?.to_lowercase();
                // Who does not wait for the widest is there first.
                let wide = 3_usize.saturating_sub(chain(request).len());
                std::thread::sleep(std::time::Duration::from_millis(100 * wide as u64));
                json!({"summary": format!("Reply {time} is of {name}.")})
            }
        };
        Some(reply.to_string())
    })
}

#[test]
fn a_domain_is_told_the_summaries_of_those_above_it_and_is_not_stale_by_them() {
    let model = Arc::new(of_domains());
    let (db, library) = library(Equipment::default().model(Arc::clone(&model) as _, 3));
    rows(&db, "CALL rag.createLayers('tag')");
    rows(&db, "CALL rag.upsertDocument({id: 'a.md', content: $text})");
    let asked = |before: usize| -> Vec<(String, String)> {
        let asked = model.asked().split_off(before);
        let of = asked.iter().map(|request| {
            let name = chain(request).last().copied().unwrap_or_default();
            (name.to_owned(), place(request, "above").to_owned())
        });
        of.collect()
    };
    let before = model.asked().len();
    assert_eq!(rows(&db, "CALL rag.resummarise({domains: true})").len(), 3);
    let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    let wide = "All disciplines: Reply 0 is of all disciplines.";
    let both = format!("{wide}\nEarth: Reply 1 is of earth.");
    assert_eq!(
        asked(before),
        [
            pair("All disciplines", ""),
            pair("Earth", wide),
            pair("Rocks", &both)
        ]
    );
    // Where not all of them are made at once, the widest are, whatever their names.
    let domain = |key: &str| NodeKey::new(Label::DomainTag, key);
    let [all, earth, rocks] = ["all disciplines", "earth", "rocks"].map(domain);
    let entity = NodeKey::new(Label::Entity, "zinc");
    let reversed = vec![rocks.clone(), entity.clone(), earth.clone(), all.clone()];
    let open = library.open().unwrap();
    let ordered = open.layers().widest_first(reversed).unwrap();
    assert_eq!(ordered, [entity, all, earth, rocks]);
    // A chain that ends above rocks makes only its own end stale, also when the summary of that is another one.
    rows(
        &db,
        "CALL rag.upsertDocument({id: 'b.md', content: 'Slate splits.'})",
    );
    let stale = |db: &Database| -> Vec<String> {
        let stale = rows(db, "CALL rag.stale()");
        stale.iter().map(|row| row.get("key").unwrap()).collect()
    };
    assert_eq!(stale(&db), ["earth"]);
    let before = model.asked().len();
    rows(&db, "CALL rag.resummarise()");
    assert_eq!(asked(before), [pair("Earth", wide)]);
    assert!(stale(&db).is_empty());
}
