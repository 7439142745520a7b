//! Operators over a small graph that is written down here.

mod allowed;
mod described;
mod exact;
mod facts;
mod packing;
mod page;
mod presets;
mod stopped;
mod support;
mod together;
mod traces;
mod whole;

use std::sync::Arc;

use stratigraph::graph::Entity;
use stratigraph::{Database, Read, Value};
use stratigraph_models::Lexical;

use super::*;
use crate::Document;
use crate::build::{Contribution, Label, Layers, Profile, Summary};
use crate::chunk::{Chunker, Chunking, Words};
use crate::extract::{Chain, Domain, Entity as Named, Extracted, Triple};
use crate::read::{Format, Source};

const EARTH: &str = "# New York\n\nBasalt comes from New York, and York is elsewhere.\n";
const SEA: &str = "# Waves\n\nThe sea has salt, and basalt lies under it.\n";

fn documents() -> [Document; 2] {
    let read = |id: &str, text: &str, year: i64| {
        let metadata = [("year".to_owned(), year.into())].into();
        let source = Source::new(id, text.as_bytes()).metadata(metadata);
        source.read(Format::Markdown).unwrap()
    };
    [read("earth.md", EARTH, 2021), read("sea.md", SEA, 2022)]
}

fn database() -> (Database, Layers) {
    let db = Database::in_memory().unwrap();
    let profile = Profile::all().filterable(["year"]);
    let layers = Layers::open(&db, profile, Arc::new(Lexical::new())).unwrap();
    let said: [&[(&str, &str, &str)]; 2] = [
        &[
            ("Basalt", "comes from", "New York"),
            ("York", "is", "elsewhere"),
        ],
        &[("Sea", "has", "salt"), ("basalt", "lies under", "sea")],
    ];
    for (document, facts) in documents().iter().zip(said) {
        let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(document);
        let mut extracted = vec![Extracted::default(); pieces.len()];
        for (subject, predicate, object) in facts {
            extracted[0].triples.push(Triple {
                subject: (*subject).into(),
                predicate: (*predicate).into(),
                object: (*object).into(),
                ..Triple::default()
            });
        }
        // A chain for what the first fact is about: all, then nature, then a field of each document's own.
        let domain = |name: &str| Domain {
            name: name.into(),
            description: String::new(),
        };
        let subject = facts[0].0;
        extracted[0].entities.push(Named {
            name: subject.into(),
            kind: None,
            description: String::new(),
            sentences: Vec::new(),
        });
        extracted[0].chains.push(Chain {
            domains: ["all", "nature", document.id()].map(domain).into(),
            object: subject.into(),
            description: String::new(),
        });
        let contribution =
            Contribution::new(document, &pieces, &extracted, layers.profile()).unwrap();
        layers.upsert(&contribution).unwrap();
    }
    (db, layers)
}

/// Has every domain say what it is about: nothing else of it is searched.
fn summarise(layers: &Layers) {
    for domain in layers.without_summary(Label::DomainTag).unwrap() {
        let inputs = layers.inputs(&domain).unwrap().unwrap();
        let summary = Summary {
            text: format!("What there is under {}.", domain.key),
            model: "somebody".into(),
            prompt: "summary/1".into(),
        };
        assert!(layers.summarise(&inputs, &summary).unwrap());
    }
}

/// The names of what was found, or the beginnings of their texts.
fn names<R: Read>(read: &R, items: &[Item]) -> Vec<String> {
    let name = |item: &Item| {
        let of = |property| match read.property(item.entity, property).unwrap() {
            Value::String(text) => Some(text.chars().take(12).collect::<String>()),
            _ => None,
        };
        of("name")
            .or_else(|| of("predicate"))
            .or_else(|| of("text"))
            .unwrap_or_default()
    };
    items.iter().map(name).collect()
}

fn ask<T>(text: &str, with: impl FnOnce(&Desk<'_, stratigraph::ReadTxn>) -> T) -> T {
    ask_for(&Question::new(text).unwrap(), with)
}

fn ask_for<T>(question: &Question, with: impl FnOnce(&Desk<'_, stratigraph::ReadTxn>) -> T) -> T {
    let (db, layers) = database();
    let read = db.read().unwrap();
    with(&Desk::new(&read, layers.embedder(), question))
}

#[test]
fn searches_find_what_is_near_and_what_has_the_words() {
    ask("basalt under the sea", |desk| {
        let near = Vector::new(Layer::Chunks, 2).exact().run(desk).unwrap();
        assert_eq!(names(desk.read(), &near)[0], "The sea has ");
        assert!(near[0].score.value > near[1].score.value);
        assert_eq!(near[0].score.scale, Scale::Cosine);
        // Strictly above.
        let above = Vector::new(Layer::Chunks, 2).above(near[1].score.value);
        assert_eq!(above.run(desk).unwrap().len(), 1);
        let words = Bm25::new(10).run(desk).unwrap();
        assert_eq!(names(desk.read(), &words)[0], "The sea has ");
        let facts = Vector::new(Layer::FactsWithSources, 10).run(desk).unwrap();
        assert_eq!(names(desk.read(), &facts)[0], "lies under");
    });
}

#[test]
fn words_of_a_question_are_no_instructions() {
    ask("+nothing -basalt \"salt", |desk| {
        let words = Bm25::new(10).run(desk).unwrap();
        assert_eq!(words.len(), 2);
    });
}

#[test]
fn a_question_can_be_of_some_documents_only() {
    let question = Question::new("basalt under the sea")
        .unwrap()
        .only("year", 2021);
    ask_for(&question, |desk| {
        let near = Vector::new(Layer::Chunks, 10).run(desk).unwrap();
        assert_eq!(names(desk.read(), &near), ["Basalt comes"]);
        let words = Bm25::new(10).run(desk).unwrap();
        assert_eq!(names(desk.read(), &words), ["Basalt comes"]);
    });
    let question = Question::new("basalt").unwrap().only("month", 2021);
    ask_for(&question, |desk| {
        let refused = Bm25::new(10).run(desk).unwrap_err().to_string();
        assert!(
            refused.contains("`month`") && refused.contains("`year`"),
            "{refused}"
        );
    });
    let long = Question::new("x".repeat(Question::MOST_BYTES + 1)).unwrap_err();
    assert!(matches!(long, RetrieveError::LongQuestion { .. }));
}

#[test]
fn whole_names_are_found_and_names_within_them_are_not() {
    ask("Does BASALT come from new  york?", |desk| {
        let found = Mentions::new(10).run(desk).unwrap();
        assert_eq!(names(desk.read(), &found), ["New York", "Basalt"]);
        assert!(found[0].score.value > found[1].score.value);
        assert_eq!(Mentions::new(1).run(desk).unwrap().len(), 1);
    });
    ask("York, basalt", |desk| {
        let found = Mentions::new(10).run(desk).unwrap();
        assert_eq!(names(desk.read(), &found), ["York", "Basalt"]);
    });
}

#[test]
fn walks_tell_the_way() {
    ask("salt", |desk| {
        let salt = Mentions::new(1).run(desk).unwrap();
        let near = Expand::new(Along::Facts).run(desk, &salt).unwrap();
        assert_eq!(names(desk.read(), &near), ["Sea"]);
        let far = Expand::new(Along::Facts).steps(3).run(desk, &salt).unwrap();
        assert_eq!(names(desk.read(), &far), ["Sea", "Basalt", "New York"]);
        let way: Vec<&str> = far[2].way.iter().map(|step| &*step.by).collect();
        assert_eq!(way, ["FACT"; 3]);
        assert_eq!(far[2].way[2].from, far[1].entity);
        assert_eq!(
            Expand::new(Along::Facts)
                .steps(3)
                .at_most(2)
                .run(desk, &salt)
                .unwrap()
                .len(),
            2
        );
        let facts = Expand::new(Along::Facts).steps(2).emit(Emit::Relationships);
        let facts = facts.run(desk, &salt).unwrap();
        assert_eq!(names(desk.read(), &facts), ["has", "lies under"]);
        assert!(
            facts
                .iter()
                .all(|fact| matches!(fact.entity, Entity::Relationship(_)))
        );
    });
}

/// What a pipeline comes to in one step from what the question names, and along which types.
fn expanded(question: &str, settings: &str) -> (Vec<String>, Vec<String>) {
    let text = format!(
        "name = 'p'
[[stage]]
name = 'named'
run.mentions = {{ k = 1 }}
[[stage]]
name = 'near'
run.expand = {{ {settings} }}"
    );
    let pipeline = Pipeline::parse(&text).unwrap();
    ask(question, |desk| {
        let (items, _) = pipeline.run(desk).unwrap();
        let types = items.iter().map(|item| item.way[0].by.to_string());
        (names(desk.read(), &items), types.collect())
    })
}

#[test]
fn a_pipeline_says_which_way_it_goes() {
    let near = |settings: &str| expanded("What of the sea?", settings).0;
    let both = ["salt", "Basalt"];
    assert_eq!(near("along = 'facts'"), both);
    assert_eq!(near("along = 'facts', direction = 'both'"), both);
    assert_eq!(near("along = 'facts', direction = 'out'"), ["salt"]);
    assert_eq!(near("along = 'facts', direction = 'in'"), ["Basalt"]);
    let far = near("along = 'facts', direction = 'in', steps = 3");
    assert_eq!(far, ["Basalt"]);
    let wrong = "name = 'p'\n[[stage]]\nname = 'a'\nrun.mentions = { k = 1 }
[[stage]]\nname = 'b'\nrun.expand = { along = 'facts', direction = 'up' }";
    let refused = Pipeline::parse(wrong).unwrap_err().to_string();
    assert!(refused.contains("`up`"), "{refused}");
}

#[test]
fn a_pipeline_says_along_which_types_it_goes_or_along_any() {
    let near = |settings: &str| expanded("What of the sea?", settings);
    let (facts, by) = near("types = ['FACT']");
    assert_eq!((facts, by), near("along = 'facts'"));
    let (found, by) = near("types = ['MENTIONS', 'COVERS', 'NOWHERE', 'COVERS']");
    assert!(found.contains(&"sea.md".to_owned()), "{found:?}");
    assert!(by.iter().all(|by| by == "COVERS" || by == "MENTIONS"));
    assert!(by.contains(&"MENTIONS".to_owned()), "{by:?}");
    let (_, by) = near("along = 'facts', types = ['COVERS']");
    assert_eq!(by, ["COVERS", "FACT", "FACT"]);
    let (_, any) = near("");
    for kind in ["COVERS", "FACT", "STATES"] {
        assert!(any.contains(&kind.to_owned()), "{any:?}");
    }
    let (covered, _) = near("types = ['COVERS'], direction = 'out'");
    assert!(covered.is_empty(), "{covered:?}");
    // One that is not there is not any.
    assert!(near("types = ['NOWHERE']").0.is_empty());
    let needs = |settings: &str| {
        let text =
            "name = 'p'\n[[stage]]\nname = 'a'\nrun.mentions = { k = 1 }\n[[stage]]\nname = 'b'\n";
        let pipeline = Pipeline::parse(&format!("{text}run.expand = {{ {settings} }}")).unwrap();
        pipeline.needs()
    };
    assert_eq!(needs("types = ['FACT']"), needs("along = 'facts'"));
    assert!(needs("types = ['COVERS']").domains && !needs("").domains);
}

#[test]
fn domains_lead_to_the_root() {
    ask("basalt", |desk| {
        let basalt = Mentions::new(1).run(desk).unwrap();
        let domains = Expand::new(Along::Covers).run(desk, &basalt).unwrap();
        assert_eq!(names(desk.read(), &domains), ["earth.md"]);
        let all = Ascend::default().run(desk, &domains).unwrap();
        assert_eq!(names(desk.read(), &all), ["earth.md", "nature", "all"]);
        assert_eq!(all[2].way.last().unwrap().by, "parent");
    });
}
