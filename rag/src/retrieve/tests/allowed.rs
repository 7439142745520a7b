//! Questions that choose documents: also of the graph nothing is found but what these say.

use super::*;

fn retrieve(preset: &str, year: i64, question: &str) -> Retrieved {
    let question = Question::new(question).unwrap().only("year", year);
    let (db, layers) = database();
    summarise(&layers);
    let read = db.read().unwrap();
    let desk = Desk::new(&read, layers.embedder(), &question);
    Pipeline::preset(preset).unwrap().retrieve(&desk).unwrap()
}

#[test]
fn no_preset_finds_what_only_others_say() {
    let of_earth = (2021, "earth.md", "Which basalt comes from New York?");
    let of_sea = (2022, "sea.md", "Which basalt lies under the sea?");
    for preset in Pipeline::presets().filter(|preset| *preset != "audit") {
        for ((year, document, own), (_, _, others)) in [(of_earth, of_sea), (of_sea, of_earth)] {
            let told = retrieve(preset, year, own);
            assert_eq!(told.found.is_empty(), preset == "direct", "{preset}");
            for told in [told, retrieve(preset, year, others)] {
                for found in &told.found {
                    let mut places = found.receipt.places.iter();
                    assert!(
                        places.all(|place| place.document == document),
                        "{preset}, {year}: {found:?}"
                    );
                }
                let other = match year {
                    2021 => "lies under",
                    _ => "New York",
                };
                let said = told.found.iter().map(|found| &found.text);
                for text in said.chain([&told.context]) {
                    assert!(!text.contains(other), "{preset}, {year}: {text}");
                }
            }
        }
    }
}

#[test]
fn what_several_say_is_found_for_each_of_them() {
    for year in [2021, 2022] {
        let question = Question::new("basalt").unwrap().only("year", year);
        ask_for(&question, |desk| {
            let named = Mentions::new(5).run(desk).unwrap();
            let mut kept = named.clone();
            desk.keep_allowed(&mut kept).unwrap();
            assert!(names(desk.read(), &kept).contains(&"Basalt".to_owned()));
            // Of York the second document says nothing.
            let nearest = Vector::new(Layer::Entities, 10).run(desk).unwrap();
            let has_york = names(desk.read(), &nearest).contains(&"York".to_owned());
            assert_eq!(has_york, year == 2021);
        });
    }
}

#[test]
fn a_narrow_choice_has_as_many_facts_as_there_are() {
    let question = Question::new("York is elsewhere").unwrap();
    ask_for(&question.only("year", 2022), |desk| {
        // The nearest two of all are of the other document.
        for facts in [
            Vector::new(Layer::Facts, 2).run(desk).unwrap(),
            Vector::new(Layer::FactsWithSources, 2).run(desk).unwrap(),
            desk.enough_allowed(2, |k| {
                let all = Question::new("York is elsewhere").unwrap();
                let open = Desk::new(desk.read(), desk.embedder(), &all);
                Vector::new(Layer::Facts, k).run(&open)
            })
            .unwrap(),
        ] {
            let mut told = names(desk.read(), &facts);
            told.sort();
            assert_eq!(told, ["has", "lies under"]);
        }
        let words = Bm25::new(2).of(Layer::Facts).run(desk).unwrap();
        assert!(names(desk.read(), &words).iter().all(|name| name != "is"));
    });
}

/// Of which document a node is, if it is of one alone.
fn document_of<R: Read>(read: &R, node: stratigraph::NodeId) -> Option<String> {
    let node = read.node(node).unwrap().unwrap();
    let name = match node.has_label(Label::Document.name()) {
        true => "id",
        false => "document",
    };
    node.get(name).and_then(Value::as_str).map(str::to_owned)
}

#[test]
fn no_relationship_is_found_that_only_others_have() {
    for (year, own) in [(2021, "earth.md"), (2022, "sea.md")] {
        for along in [
            "",
            "along = 'mentions'",
            "along = 'related'",
            "along = 'instances'",
            "along = 'refers'",
            "along = 'children'",
            "types = ['HAS_CHILD', 'HAS_INSTANCE', 'REFERS_TO', 'MENTIONS']",
            "along = 'facts'",
        ] {
            // Of the document that was not chosen there is a way to all that it has, and it is walked.
            let comma = if along.is_empty() { "" } else { "," };
            let text = format!(
                "name = 'p'
[[stage]]
name = 'named'
run.mentions = {{ k = 1 }}
[[stage]]
name = 'texts'
run.expand = {{ }}
[[stage]]
name = 'both'
from = ['named', 'texts']
run.fuse = {{ by = 'concatenate' }}
[[stage]]
name = 'links'
run.expand = {{ {along}{comma} steps = 4, emit = 'relationships' }}"
            );
            let pipeline = Pipeline::parse(&text).unwrap();
            let question = Question::new("basalt").unwrap().only("year", year);
            ask_for(&question, |desk| {
                let (found, _) = pipeline.run(desk).unwrap();
                assert!(!found.is_empty(), "{year}, {along}");
                for item in &found {
                    let Entity::Relationship(id) = item.entity else {
                        panic!("{item:?}");
                    };
                    let link = desk.read().relationship(id).unwrap().unwrap();
                    for end in [link.source(), link.target()] {
                        let of = document_of(desk.read(), end);
                        let is_own = of.is_none_or(|of| of == own);
                        assert!(is_own, "{year}, {along}: {}", link.relationship_type());
                    }
                }
            });
        }
    }
}

#[test]
fn a_document_without_a_text_right_under_it_is_what_lies_deeper() {
    for (year, own) in [(2021, "earth.md"), (2022, "sea.md")] {
        let question = Question::new("basalt").unwrap().only("year", year);
        ask_for(&question, |desk| {
            let documents = desk
                .read()
                .nodes_with_label(Label::Document.name())
                .unwrap();
            let documents = documents.iter().map(stratigraph::NodeId::new);
            let score = Scale::Named.score(1.0);
            let mut found: Vec<Item> = documents.map(|id| Item::found(id, score)).collect();
            assert_eq!(found.len(), 2);
            desk.keep_allowed(&mut found).unwrap();
            let kept = found.iter().filter_map(|item| item.entity.node());
            let kept = kept.filter_map(|node| document_of(desk.read(), node));
            assert_eq!(kept.collect::<Vec<_>>(), [own]);
        });
    }
}
