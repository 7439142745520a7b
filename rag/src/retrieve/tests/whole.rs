//! Whole pipelines: what they find, what it says, and whether its receipts stand after edits.

use std::collections::BTreeSet;

use super::*;

pub(super) fn retrieve(db: &Database, layers: &Layers, preset: &str, text: &str) -> Retrieved {
    let (read, question) = (db.read().unwrap(), Question::new(text).unwrap());
    let desk = Desk::new(&read, layers.embedder(), &question);
    Pipeline::preset(preset).unwrap().retrieve(&desk).unwrap()
}

pub(super) fn edit(layers: &Layers, id: &str, text: &str, facts: &[(&str, &str, &str)]) {
    let source = Source::new(id, text.as_bytes());
    let document = source.read(Format::Markdown).unwrap();
    let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
    let mut extracted = vec![Extracted::default(); pieces.len()];
    for (subject, predicate, object) in facts {
        extracted[0].triples.push(Triple {
            subject: (*subject).into(),
            predicate: (*predicate).into(),
            object: (*object).into(),
            ..Triple::default()
        });
    }
    let contribution = Contribution::new(&document, &pieces, &extracted, layers.profile()).unwrap();
    layers.upsert(&contribution).unwrap();
}

#[test]
fn each_preset_finds_what_it_is_for_on_a_graph_with_all_layers() {
    let (db, layers) = database();
    summarise(&layers);
    let wanted: [(&str, &[&str]); 8] = [
        ("direct", &[]),
        ("vector", &["Chunk"]),
        ("graph", &["Entity", "FACT"]),
        ("bag", &["Chunk", "Instance", "Section"]),
        ("tag", &["DomainTag"]),
        ("triples", &["FACT"]),
        ("hybrid", &["Chunk", "FACT"]),
        ("strata", &["Chunk", "FACT"]),
    ];
    // What declared queries give is tested where they are: here are no tables.
    let presets = Pipeline::presets().filter(|preset| *preset != "audit");
    assert!(presets.eq(wanted.iter().map(|(preset, _)| *preset)));
    for (preset, kinds) in wanted {
        let question = "Which basalt lies under the sea?";
        let retrieved = retrieve(&db, &layers, preset, question);
        assert_eq!(retrieved.pipeline, preset);
        let found = retrieved.found.iter();
        let found: BTreeSet<&str> = found
            .map(|found| found.receipt.name.kind.as_str())
            .collect();
        assert_eq!(Vec::from_iter(found), kinds, "{preset}");
        let text = serde_json::to_string(&retrieved).unwrap();
        let again = serde_json::from_str::<Retrieved>(&text).unwrap();
        assert_eq!(again, retrieved);
        let other = retrieve(&db, &layers, preset, question);
        assert_eq!(serde_json::to_string(&other).unwrap(), text, "{preset}");
    }
}

#[test]
fn where_no_domain_has_a_summary_that_is_why_none_is_found() {
    let question = "Which basalt lies under the sea?";
    let (db, layers) = database();
    let bare = retrieve(&db, &layers, "tag", question);
    assert!(bare.found.is_empty(), "{bare:?}");
    let why = bare.why_nothing().unwrap();
    assert!(
        why.contains("`stratigraph summarise`") && why.contains("rag.resummarise({domains: true})"),
        "{why}"
    );
    let said = bare.trace.iter().filter(|traced| traced.note().is_some());
    let said: Vec<&str> = said.map(|traced| traced.stage.as_str()).collect();
    assert_eq!(said, ["summaries"]);
    // What finds something by other ways says nothing of it, nor does what finds nothing by none.
    let vector = retrieve(&db, &layers, "vector", question);
    assert!(!vector.found.is_empty() && vector.why_nothing().is_none());
    let direct = retrieve(&db, &layers, "direct", question);
    assert!(direct.found.is_empty() && direct.why_nothing().is_none());
    summarise(&layers);
    let found = retrieve(&db, &layers, "tag", question);
    assert!(!found.found.is_empty() && found.trace.iter().all(|traced| traced.note().is_none()));
    // Without domains there is nothing to summarise.
    for document in documents() {
        layers.delete(document.id()).unwrap();
    }
    let gone = retrieve(&db, &layers, "tag", question);
    assert!(gone.found.is_empty() && gone.why_nothing().is_none());
}

#[test]
fn what_is_found_says_where_it_is_said() {
    let (db, layers) = database();
    let retrieved = retrieve(&db, &layers, "hybrid", "What lies under the sea?");
    let first = &retrieved.found[0];
    assert_eq!(first.receipt.name.kind, "Chunk");
    assert_eq!(first.heading, "Waves");
    let place = &first.receipt.places[0];
    assert_eq!(place.document, "sea.md");
    let span = place.span.start as usize..place.span.end as usize;
    assert_eq!(&SEA[span], first.text);
    let facts: Vec<_> = retrieved
        .found
        .iter()
        .filter(|found| found.receipt.name.kind == "FACT")
        .collect();
    assert_eq!(facts[0].text, "Sea has salt");
    assert_eq!(facts[0].receipt.way[0].from.key, "sea");
    assert_eq!(facts[0].receipt.way[0].by, "FACT");
    assert_eq!(facts[0].receipt.places, first.receipt.places);
    assert!(
        retrieved.context.starts_with("Waves\nThe sea has salt"),
        "{}",
        retrieved.context
    );
    assert!(retrieved.found.iter().all(|found| found.packed));
}

#[test]
fn what_a_pipeline_packs_first_stands_first_and_is_found_where_it_was() {
    let (db, layers) = database();
    let (read, text) = (db.read().unwrap(), "What lies under the sea?");
    let question = Question::new(text).unwrap();
    let desk = Desk::new(&read, layers.embedder(), &question);
    let hybrid = Pipeline::preset_as_text("hybrid").unwrap();
    let packed = |first: &str| {
        let pipeline = Pipeline::parse(&format!("pack_first = [{first}]\n{hybrid}")).unwrap();
        let again = toml::to_string(&pipeline).unwrap();
        assert_eq!(Pipeline::parse(&again).unwrap(), pipeline);
        pipeline.retrieve(&desk).unwrap()
    };
    let usual = packed("");
    assert!(usual.context.starts_with("Waves\nThe sea has salt"));
    for first in ["'FACT'", "'Entity', 'FACT', 'Chunk'"] {
        let facts = packed(first);
        assert!(
            facts.context.starts_with("Sea has salt\n\n"),
            "{}",
            facts.context
        );
        assert_eq!(facts.found, usual.found);
    }
    let chunks = packed("'Chunk', 'FACT'");
    assert_eq!(chunks.context, usual.context);
    let many = "'FACT', ".repeat(65);
    let refused = Pipeline::parse(&format!("pack_first = [{many}]\n{hybrid}")).unwrap_err();
    assert!(refused.to_string().contains("`pack_first`"), "{refused}");
}

#[test]
fn a_receipt_of_an_approximate_search_says_so_and_of_which_commit_it_is() {
    let (db, layers) = database();
    // More than are compared whole where one is wanted.
    let page = |number: u32| {
        let text = format!("# Page {number}\n\nNumber {number} has salt.\n");
        edit(&layers, &format!("{number}.md"), &text, &[]);
    };
    (0..16).for_each(page);
    let near = |settings: &str| {
        let text = format!(
            "name = 'p'\n[[stage]]\nname = 'near'\nrun.vector = {{ of = 'chunks', k = 1{settings} }}"
        );
        let (read, question) = (db.read().unwrap(), Question::new("salt").unwrap());
        let desk = Desk::new(&read, layers.embedder(), &question);
        let retrieved = Pipeline::parse(&text).unwrap().retrieve(&desk).unwrap();
        (retrieved.found[0].receipt.clone(), read.commit_seq().get())
    };
    let (approximate, commit) = near("");
    assert!(!approximate.exact);
    assert_eq!(approximate.as_of, commit);
    let (exact, commit) = near(", exact = true");
    assert!(exact.exact);
    assert_eq!(exact.as_of, commit);
    page(16);
    let (later, commit) = near("");
    assert_eq!((later.exact, later.as_of), (false, commit));
    assert!(later.as_of > approximate.as_of);
}

#[test]
fn the_trace_says_what_each_stage_took_gave_and_cut() {
    let (db, layers) = database();
    let trace = retrieve(&db, &layers, "hybrid", "What lies under the sea?").trace;
    let told: Vec<_> = trace
        .iter()
        .map(|stage| {
            (
                stage.stage.as_str(),
                stage.took,
                stage.gave,
                stage.cut,
                stage.added,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("considered", 0, 2, 0, 2),
            ("kept", 2, 2, 0, 0),
            ("named", 0, 1, 0, 1),
            ("facts", 1, 2, 1, 2),
            ("both", 4, 4, 0, 0),
            ("pack", 4, 4, 0, 0),
        ]
    );
}

#[test]
fn a_layer_that_is_not_there_is_an_error_unless_it_need_not_be() {
    let db = Database::in_memory().unwrap();
    let layers = Layers::open(&db, Profile::structure(), Arc::new(Lexical::new())).unwrap();
    edit(&layers, "sea.md", SEA, &[]);
    let (read, question) = (db.read().unwrap(), Question::new("salt").unwrap());
    let desk = Desk::new(&read, layers.embedder(), &question);
    let mut triples = Pipeline::preset("triples").unwrap();
    let error = triples.retrieve(&desk).unwrap_err();
    assert!(error.is_of_a_missing_layer(), "{error}");
    triples.stages[0].if_there = true;
    let retrieved = triples.retrieve(&desk).unwrap();
    assert!(retrieved.found.is_empty() && retrieved.trace[0].not_there);
    // Which one it is, and what makes it, in words of whoever asks.
    for (preset, stage, profile) in [
        ("graph", "entities", "hybrid"),
        ("bag", "named", "bag"),
        ("tag", "summaries", "tag"),
        ("triples", "facts", "triples"),
    ] {
        let pipeline = Pipeline::preset(preset).unwrap();
        let error = pipeline.retrieve(&desk).unwrap_err().to_string();
        for part in [
            format!("the pipeline `{preset}` asks in its stage `{stage}` for a layer"),
            format!("`stratigraph ingest --profile {profile}`"),
            format!("`rag.createLayers('{profile}')`"),
        ] {
            assert!(error.contains(&part), "{error}");
        }
        assert!(!error.contains("index"), "{error}");
    }
    let mixed = "name = 'p'\n[[stage]]\nname = 'a'\nrun.vector = { of = 'instances', k = 1 }
[[stage]]\nname = 'b'\nrun.vector = { of = 'domains', k = 1 }";
    let mixed = Pipeline::parse(mixed).unwrap();
    let error = mixed.retrieve(&desk).unwrap_err().to_string();
    assert!(error.contains("--profile layered`"), "{error}");
}

#[test]
fn a_pipeline_that_cannot_be_run_says_why() {
    for (text, reason) in [
        (
            "[[stage]]\nname = 'a'\nrun.limit = { k = 1 }",
            "missing field `name`",
        ),
        (
            "name = 'p'\n[[stage]]\nname = 'a'\nrun.limit = { k = 1 }",
            "takes one list, and is given 0",
        ),
        (
            "name = 'p'\n[[stage]]\nname = 'a'\nrun.bm25 = { k = 1, l = 2 }",
            "unknown field `l`",
        ),
        (
            "name = 'p'\n[[stage]]\nname = 'a'\nfrom = ['b']\nrun.limit = { k = 1 }",
            "no stage before it",
        ),
        (
            "{\"name\": \"p\", \"stage\": [{\"name\": \"a\", \"run\": {\"best\": {}}}]}",
            "unknown variant `best`",
        ),
        (
            "name = 'p'\n[[stage]]\nname = 'a'\nrun.vector = { of = 'chunks', k = 10000001 }",
            "`k` of `vector` is more than 10000000",
        ),
        (
            "name = 'p'\n[[stage]]\nname = 'a'\nrun.mentions = { k = 1 }\n[[stage]]\nname = 'b'\nrun.expand = { steps = 65 }",
            "stage `b`: `steps` of `expand` is more than 64",
        ),
        (
            "name = 'p'\n[[stage]]\nname = 'a'\nrun.vector = { of = 'chunks', k = 1, above = -inf }",
            "stage `a`: `above` of `vector` has to be finite",
        ),
        (
            "name = 'p'\n[[stage]]\nname = 'a'\nrun.multi_query = { search.vector = { of = 'chunks', k = 1, above = nan } }",
            "stage `a`: `above` of `multi_query` has to be finite",
        ),
        (
            "name = 'p'\n[[stage]]\nname = 'a'\nrun.bm25 = { k = 1 }\n[[stage]]\nname = 'b'\nrun.together = { weight = 1e8 }",
            "stage `b`: `weight` of `together` is more than 10000000",
        ),
    ] {
        let error = Pipeline::parse(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn exactly_the_receipts_of_what_was_edited_are_stale() {
    let (db, layers) = database();
    let retrieved = retrieve(
        &db,
        &layers,
        "hybrid",
        "What has salt and lies under the sea, and basalt?",
    );
    let receipts: Vec<Receipt> = retrieved
        .found
        .into_iter()
        .map(|found| found.receipt)
        .collect();
    let standing = || -> Vec<(String, Standing)> {
        let read = db.read().unwrap();
        let of = |receipt: &Receipt| {
            (
                receipt.places[0].document.clone(),
                receipt.verify(&read).unwrap(),
            )
        };
        receipts.iter().map(of).collect()
    };
    assert!(
        standing()
            .iter()
            .all(|(_, standing)| *standing == Standing::Stands)
    );
    // A new beginning moves what it says.
    let facts = [("Sea", "has", "salt"), ("basalt", "lies under", "sea")];
    edit(
        &layers,
        "sea.md",
        &format!("# Before\n\nMore.\n\n{SEA}"),
        &[],
    );
    edit(&layers, "sea.md", &format!("\n\n{SEA}"), &facts);
    for (document, standing) in standing() {
        let expected = match document.as_str() {
            "sea.md" => Standing::Moved,
            _ => Standing::Stands,
        };
        assert_eq!(standing, expected, "{document}");
        assert!(standing.holds());
    }
    // Other words are another chunk, and a fact that is stated no more is gone.
    edit(
        &layers,
        "sea.md",
        "# Waves\n\nThe sea is deep.\n",
        &facts[..1],
    );
    let read = db.read().unwrap();
    for receipt in &receipts {
        let standing = receipt.verify(&read).unwrap();
        let expected = match (
            receipt.places[0].document.as_str(),
            receipt.name.kind.as_str(),
        ) {
            ("sea.md", "Chunk") => Standing::Gone,
            ("sea.md", _) if receipt.name.key == key_of_fact(&read, "has") => Standing::Changed,
            ("sea.md", _) => Standing::Gone,
            _ => Standing::Stands,
        };
        assert_eq!(standing, expected, "{receipt:?}");
    }
    layers.delete("earth.md").unwrap();
    let read = db.read().unwrap();
    let gone = receipts
        .iter()
        .filter(|receipt| receipt.places[0].document == "earth.md");
    let gone: Vec<Standing> = gone.map(|receipt| receipt.verify(&read).unwrap()).collect();
    assert!(!gone.is_empty() && gone.iter().all(|standing| *standing == Standing::Gone));
}

#[test]
fn a_receipt_stands_while_its_own_places_do_whoever_else_says_the_same() {
    let (db, layers) = database();
    let fact = [("Sea", "has", "salt")];
    let key = key_of_fact(&db.read().unwrap(), fact[0].1);
    let retrieved = retrieve(&db, &layers, "hybrid", "What lies under the sea?");
    let mut receipts = retrieved.found.into_iter().map(|found| found.receipt);
    let of_fact = receipts.find(|receipt| receipt.name.key == key).unwrap();
    let of_entity = {
        let read = db.read().unwrap();
        let sea = crate::build::find(&read, Label::Entity, "sea").unwrap();
        let said = crate::retrieve::reader::Reader::new(&read).evidence(sea.unwrap().into());
        let said = said.unwrap().unwrap();
        Receipt {
            hash: said.hash(),
            name: said.name,
            places: said.places,
            ..of_fact.clone()
        }
    };
    let standing = || {
        let read = db.read().unwrap();
        [&of_fact, &of_entity].map(|receipt| receipt.verify(&read).unwrap())
    };
    let is = |expected: Standing| assert_eq!(standing(), [expected; 2]);
    let say = |number: usize| {
        let text = format!("# Salt\n\nThe sea has salt, says number {number}.\n");
        edit(&layers, &format!("{number}.md"), &text, &fact);
    };
    is(Standing::Stands);
    say(0);
    is(Standing::Stands);
    // Nobody else says it for a document that is gone, and when it comes again it is the last of more than are told.
    layers.delete("sea.md").unwrap();
    is(Standing::Changed);
    (1..20).for_each(say);
    is(Standing::Changed);
    edit(&layers, "sea.md", SEA, &fact);
    is(Standing::Stands);
    edit(&layers, "sea.md", &format!("\n\n{SEA}"), &fact);
    is(Standing::Moved);
    edit(&layers, "sea.md", "# Waves\n\nThe sea is deep.\n", &fact);
    is(Standing::Changed);
    // The same words, of which the same is said no more.
    edit(&layers, "sea.md", SEA, &[]);
    is(Standing::Changed);
}

fn key_of_fact(read: &stratigraph::ReadTxn, predicate: &str) -> String {
    let facts = read.relationships_of_type("FACT").unwrap();
    let facts = facts.iter().map(|id| {
        read.relationship(stratigraph::RelationshipId::new(id))
            .unwrap()
            .unwrap()
    });
    let mut facts =
        facts.filter(|fact| fact.get("predicate").and_then(Value::as_str) == Some(predicate));
    facts
        .next()
        .unwrap()
        .get("key")
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn entities_and_domains_say_what_is_said_of_them() {
    let (db, layers) = database();
    let read = db.read().unwrap();
    let mut reader = crate::retrieve::reader::Reader::new(&read);
    let find = |label: Label, key: &str| crate::build::find(&read, label, key).unwrap().unwrap();
    let sea = reader
        .evidence(find(Label::Entity, "sea").into())
        .unwrap()
        .unwrap();
    assert_eq!((sea.text.as_str(), sea.places.len()), ("Sea", 1));
    let nature = reader
        .evidence(find(Label::DomainTag, "nature").into())
        .unwrap()
        .unwrap();
    let documents: Vec<&str> = nature
        .places
        .iter()
        .map(|place| place.document.as_str())
        .collect();
    assert_eq!(documents, ["earth.md", "sea.md"]);
    let instance = reader
        .evidence(find(Label::Instance, "sea.md#Waves#salt").into())
        .unwrap()
        .unwrap();
    assert_eq!((instance.text.as_str(), instance.places.len()), ("salt", 1));
    drop(layers);
}
