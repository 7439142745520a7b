//! From what is derived to the texts that it rests on.

use super::super::trial::{Trial, called};
use super::*;

fn trial() -> Trial {
    let trial = Trial::new();
    let long = "word ".repeat(90);
    let rocks = format!(
        "# Rocks\n\nFirst Basalt Lava {long} 0.3\n\nSecond {long} 0.7\n\n## Kinds\n\nThird 0.9\n"
    );
    trial.put("rocks", 2020, &rocks, &[("Basalt", "was", "Lava")]);
    trial.put(
        "sea",
        2021,
        "# Sea\n\nFourth Basalt Lava 0.5\n",
        &[("Basalt", "was", "Lava")],
    );
    trial
}

/// What the items rest on that have this title, name or predicate, whatever the question has chosen.
fn rests(question: &Question, given: &str) -> Vec<String> {
    trial().ask_for(question, |desk| {
        let open = Question::new(question.text()).unwrap();
        let open = Desk::new(desk.read(), desk.embedder(), &open);
        let layers = [Layer::Sections, Layer::Instances, Layer::Entities];
        let found = layers.map(|layer| Vector::new(layer, 99).run(&open).unwrap());
        let mut found = found.concat();
        found.extend(Bm25::new(9).of(Layer::Facts).run(&open).unwrap());
        let names = called(desk, &found).into_iter();
        let both = names.zip(found).filter(|(name, _)| name == given);
        let items: Vec<Item> = both.map(|(_, item)| item).collect();
        assert!(!items.is_empty());
        let support = Support::new(9).run(desk, &items).unwrap();
        for item in &support {
            assert_eq!(item.score.scale, Scale::Cosine);
        }
        called(desk, &support)
    })
}

#[test]
fn headings_names_and_facts_rest_on_chunks_the_nearest_first() {
    let question = Question::new("was lava").unwrap();
    // What lies under a heading within this one is that one's.
    assert_eq!(rests(&question, "Rocks"), ["Second", "First"]);
    assert_eq!(rests(&question, "Kinds"), ["Third"]);
    // Two instances and one entity are called so, and each chunk is there once.
    assert_eq!(rests(&question, "Basalt"), ["Fourth", "First"]);
    assert_eq!(rests(&question, "was"), ["Fourth", "First"]);
}

#[test]
fn what_the_question_is_not_about_supports_nothing() {
    let question = Question::new("was lava").unwrap().only("year", 2021);
    assert_eq!(rests(&question, "Basalt"), ["Fourth"]);
    assert!(rests(&question, "Rocks").is_empty());
}

#[test]
fn chunks_rest_on_themselves_and_as_many_are_given_as_are_asked_for() {
    trial().ask("was lava", |desk| {
        let chunks = Vector::new(Layer::Chunks, 9).run(desk).unwrap();
        let support = Support::new(3).run(desk, &chunks).unwrap();
        assert_eq!(called(desk, &support), ["Third", "Second", "Fourth"]);
        assert!(support.iter().all(|item| item.way.is_empty()));
        let sections = Vector::new(Layer::Sections, 9).run(desk).unwrap();
        let support = Support::new(9).run(desk, &sections).unwrap();
        assert!(!support.is_empty());
        assert!(support.iter().all(|item| item.way.len() == 1));
    });
}

#[test]
fn what_has_the_words_of_the_question_is_before_what_is_only_near() {
    trial().ask("was Lava", |desk| {
        let chunks = Vector::new(Layer::Chunks, 9).run(desk).unwrap();
        let support = Support::new(9).words(1.0).run(desk, &chunks).unwrap();
        // Of those that have the word the shorter has more of it, and the longer is nearer by it than one that is near alone.
        assert_eq!(
            called(desk, &support),
            ["Fourth", "Third", "First", "Second"]
        );
        assert!((support[0].score.value - 1.5).abs() < 1e-3, "{support:?}");
        assert_eq!(support[3].score, Scale::Weighted.score(0.7));
        let twice = Support::new(9).words(2.0).run(desk, &chunks).unwrap();
        assert!((twice[0].score.value - 2.5).abs() < 1e-3, "{twice:?}");
    });
}

#[test]
fn bag_hands_over_the_texts_that_it_was_led_to() {
    trial().ask("was lava", |desk| {
        let retrieved = Pipeline::preset("bag").unwrap().retrieve(desk).unwrap();
        let chunks = retrieved.found.iter();
        let chunks = chunks.filter(|found| found.receipt.name.kind == "Chunk" && found.packed);
        assert_eq!(chunks.count(), 4);
        assert_eq!(retrieved.found[0].receipt.name.kind, "Chunk");
    });
}
