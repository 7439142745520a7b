//! Facts by their words, by what the question names of them, and by what goes on from them.

use super::super::confidence::word_weight;
use super::super::ends::{Ends, Naming};
use super::super::titles;
use super::super::trial::{Trial, called};
use super::*;

const SAID: [(&str, &str, &str); 8] = [
    ("Ministry of Roads", "builds", "Bridges"),
    ("Ministry of Roads", "pays", "Workers"),
    ("Ministry of Roads", "owns", "Quarries"),
    ("Ministry of Health", "runs", "Hospitals"),
    ("Roads", "lead to", "Rome"),
    ("Bridges", "are checked by", "Engineers"),
    ("Engineers", "come from", "Milan"),
    ("Quarries", "give", "Basalt"),
];

/// A text that says all of it.
fn asked<T>(question: &str, with: impl FnOnce(&Desk<'_, stratigraph::ReadTxn>) -> T) -> T {
    let trial = Trial::new();
    let names = SAID.map(|(subject, _, object)| format!("{subject} {object}"));
    let text = format!("# All\n\n{} 0.5\n", names.join(" "));
    trial.put("all", 2020, &text, &SAID);
    trial.ask(question, with)
}

fn said(k: usize) -> Bm25 {
    Bm25::new(k).of(Layer::Facts)
}

fn score(desk: &Desk<'_, stratigraph::ReadTxn>, items: &[Item], name: &str) -> f32 {
    let place = called(desk, items).iter().position(|known| known == name);
    items[place.unwrap()].score.value
}

#[test]
fn facts_are_found_by_the_words_of_what_they_state() {
    asked("Who builds something in Rome?", |desk| {
        let found = said(9).run(desk).unwrap();
        let mut names = called(desk, &found);
        names.sort();
        assert_eq!(names, ["builds", "lead to"]);
        assert_eq!(found[0].score.scale, Scale::Bm25);
        assert_eq!(said(1).run(desk).unwrap().len(), 1);
        let entities = Bm25::new(9).of(Layer::Entities).run(desk).unwrap();
        assert_eq!(called(desk, &entities), ["Rome"]);
        let refused = Bm25::new(9).of(Layer::Sections).run(desk).unwrap_err();
        assert!(refused.to_string().contains("chunks, entities or facts"));
    });
}

#[test]
fn a_graph_without_facts_has_no_words_of_them() {
    let db = Database::in_memory().unwrap();
    let layers = Layers::open(&db, Profile::bag(), Arc::new(Lexical::new())).unwrap();
    let (read, question) = (db.read().unwrap(), Question::new("basalt").unwrap());
    let desk = Desk::new(&read, layers.embedder(), &question);
    assert!(said(9).run(&desk).unwrap_err().is_of_a_missing_layer());
    assert!(Gather::new(9).run(&desk, &[]).unwrap().is_empty());
}

#[test]
fn a_name_is_meant_by_how_whole_it_is_and_by_what_it_says() {
    asked("What does the Ministry of Roads build?", |desk| {
        let found = said(9).run(desk).unwrap();
        let ends = Ends::of(desk, found.iter().map(|item| item.entity)).unwrap();
        let naming = |predicate: &str, place: usize| {
            let names = called(desk, &found);
            let at = names.iter().position(|name| name == predicate).unwrap();
            ends.naming(ends.at(found[at].entity)[place])
        };
        // Of eight facts four name a ministry, four roads, and one health.
        let [ministry, roads, health] = [4, 4, 1].map(|with| word_weight(8, with));
        let is = |one: f32, other: f32| assert!((one - other).abs() < 1e-5, "{one} {other}");
        let whole = naming("pays", 0);
        is(whole.whole, 1.0);
        is(whole.meant(), ministry + roads);
        is(naming("lead to", 0).meant(), roads);
        let half = naming("runs", 0);
        is(half.whole, ministry / (ministry + health));
        is(half.meant(), ministry * half.whole * half.whole);
        assert_eq!(naming("pays", 1), Naming::default());
    });
}

#[test]
fn facts_about_what_the_question_names_are_lifted() {
    asked("What does the Ministry of Roads pay?", |desk| {
        let found = said(9).run(desk).unwrap();
        let lifted = About::new(2.0).run(desk, found.clone()).unwrap();
        let mut first = called(desk, &lifted)[..3].to_vec();
        first.sort();
        assert_eq!(first, ["builds", "owns", "pays"]);
        let lift = |name: &str| score(desk, &lifted, name) - score(desk, &found, name);
        let best = found[0].score.value;
        for name in first {
            assert!((lift(&name) - 2.0 * best).abs() < 1e-4, "{name}");
        }
        // Roads alone are half of what is said of the ministry.
        assert!((lift("lead to") - best).abs() < 1e-4);
    });
    // Nothing is named: nothing changes.
    asked("Who pays whom?", |desk| {
        let found = said(9).run(desk).unwrap();
        assert_eq!(About::new(2.0).run(desk, found.clone()).unwrap(), found);
    });
}

#[test]
fn facts_go_on_at_the_end_that_the_question_does_not_name() {
    asked(
        "What the Ministry of Roads builds, who checks it?",
        |desk| {
            let found = said(9).run(desk).unwrap();
            assert_eq!(called(desk, &found)[0], "builds");
            let next = Onward::new(1, 9).run(desk, &found).unwrap();
            assert_eq!(called(desk, &next), ["are checked by"]);
            // Two of eight facts have the end between them.
            let share = found[0].score.value * titles::rarity(8, 2);
            assert!((next[0].score.value - share).abs() < 1e-4, "{next:?}");
            assert_eq!(next[0].way.len(), 1);
            assert_eq!(next[0].way[0].from, found[0].entity);
        },
    );
    // On from more of them, the best first, and what was found itself is before what was not.
    asked(
        "What the Ministry of Roads builds or owns, and basalt?",
        |desk| {
            let found = said(9).run(desk).unwrap();
            let next = Onward::new(3, 9).run(desk, &found).unwrap();
            let names = called(desk, &next);
            assert!(names.contains(&"are checked by".to_owned()), "{names:?}");
            assert!(!names.contains(&"runs".to_owned()), "{names:?}");
            assert_eq!(Onward::new(3, 1).run(desk, &found).unwrap().len(), 1);
            assert!(Onward::new(0, 9).run(desk, &found).unwrap().is_empty());
        },
    );
}

#[test]
fn everything_is_gathered_of_that_of_which_most_was_found() {
    asked("From Rome, what does the Ministry of Roads pay?", |desk| {
        let mut given = said(9).run(desk).unwrap();
        let best = given[0].score.value;
        let own = |name: &str| score(desk, &given, name);
        let (rome, ministry) = (own("lead to"), ["builds", "pays", "owns"].map(own));
        let share = rome / ministry.iter().sum::<f32>();
        assert!(share < 1.0, "{share}");
        let wanted = rome + best * share;
        given.extend(Mentions::new(9).run(desk).unwrap());
        let all = Gather::new(9).run(desk, &given).unwrap();
        let mut names = called(desk, &all);
        assert_eq!(names.pop().unwrap(), "lead to");
        names.sort();
        assert_eq!(names, ["builds", "owns", "pays"]);
        assert!((all[3].score.value - wanted).abs() < 1e-4, "{all:?}");
        for item in &all[..3] {
            assert!(item.score.value > best && item.way.len() == 1, "{all:?}");
        }
        assert_eq!(Gather::new(2).run(desk, &given).unwrap().len(), 2);
    });
    // Of what is named alone, without any fact that was found: all of it, in the order in which it was stated.
    asked("Rome", |desk| {
        let named = Mentions::new(9).run(desk).unwrap();
        let all = Gather::new(9).run(desk, &named).unwrap();
        assert_eq!(called(desk, &all), ["lead to"]);
    });
}

#[test]
fn facts_of_documents_that_were_not_chosen_do_not_stand_before_those_that_were() {
    let trial = Trial::new();
    let older = [("Rome", "built", "Roads"), ("Rome", "sold", "Bread")];
    trial.put("older", 2020, "# A\n\nRome Roads Bread 0.5\n", &older);
    let newer = [("Rome", "saved", "Water")];
    trial.put("newer", 2021, "# B\n\nRome Water 0.5\n", &newer);
    let question = Question::new("Rome").unwrap();
    let gather = |desk: &Desk<'_, stratigraph::ReadTxn>| {
        let named = Mentions::new(9).run(desk).unwrap();
        called(desk, &Gather::new(1).run(desk, &named).unwrap())
    };
    assert_eq!(trial.ask_for(&question, gather), ["built"]);
    let question = question.only("year", 2021);
    assert_eq!(trial.ask_for(&question, gather), ["saved"]);
}

#[test]
fn only_facts_have_ends_that_a_question_can_name() {
    asked("Rome", |desk| {
        let facts = desk.read().relationships_of_type("FACT").unwrap();
        let mentions = desk.read().relationships_of_type("MENTIONS").unwrap();
        assert!(!mentions.is_empty());
        let all = facts.iter().chain(&mentions);
        let all = all.map(|id| Entity::from(stratigraph::RelationshipId::new(id)));
        let ends = desk.ends_of(all.clone()).unwrap();
        assert_eq!(ends.len() as u64, facts.len());
        // Known ones are the same.
        assert_eq!(desk.ends_of(all).unwrap(), ends);
    });
}

#[test]
fn what_stands_after_an_elided_article_or_before_an_owners_s_is_named() {
    let trial = Trial::new();
    let text = "# All\n\nAmministrazione sceglie O'Brien dell'unione Kerry 0.5\n";
    let said = [
        ("Amministrazione", "sceglie", "O'Brien"),
        ("Kerry", "nomina", "dell'unione"),
    ];
    trial.put("all", 2020, text, &said);
    let question = "Un'amministrazione, l’amministrazione, O'Brien, Kerry's, dell'unione 'x' ?";
    trial.ask(question, |desk| {
        let mut found = called(desk, &Mentions::new(9).run(desk).unwrap());
        found.sort();
        assert_eq!(
            found,
            ["Amministrazione", "Kerry", "O'Brien", "dell'unione"]
        );
    });
}
