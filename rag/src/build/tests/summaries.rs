//! When a summary is stale, and what it is made from.

use super::*;

#[test]
fn a_summary_is_stale_when_what_it_was_made_from_is_not_said_any_more() {
    let layers = layers();
    put(
        &layers,
        "a",
        chain(&[("Nature", "all"), ("Rock", "hard")], "Basalt"),
    );
    put(
        &layers,
        "b",
        chain(&[("Nature", "all"), ("Water", "wet")], "Sea"),
    );
    let summary = Summary {
        text: "Rocks and the like.".into(),
        model: "somebody".into(),
        prompt: "summary/1".into(),
    };
    for key in ["nature", "rock", "water"] {
        let inputs = layers.inputs(&domain(key)).unwrap().unwrap();
        assert!(layers.summarise(&inputs, &summary).unwrap());
    }
    assert!(layers.stale().unwrap().is_empty());
    let stale = |layers: &Layers| -> Vec<String> {
        let stale = layers.stale().unwrap().into_iter();
        stale.map(|node| node.key).collect()
    };
    // One more who says the same of nature, and something else of rock.
    let change = put(
        &layers,
        "c",
        chain(&[("Nature", "all"), ("Rock", "grey")], "Slate"),
    );
    assert!(change.stale.contains(&domain("rock")) && !change.stale.contains(&domain("water")));
    assert_eq!(stale(&layers), ["rock"]);
    // What it is made from now comes along, and with that it is fresh again.
    let node = layers.stale().unwrap().remove(0);
    let inputs = layers.inputs(&node).unwrap().unwrap();
    assert!(inputs.descriptions.contains("grey"), "{inputs:?}");
    assert_eq!(Vec::from_iter(&inputs.within), ["nature"]);
    assert_eq!(Vec::from_iter(inputs.covers.keys()), ["basalt", "slate"]);
    layers.summarise(&inputs, &summary).unwrap();
    assert!(stale(&layers).is_empty());
    layers.delete("c").unwrap();
    assert_eq!(stale(&layers), ["rock"]);
    // Somebody else says it again: it stands as it is.
    put(
        &layers,
        "d",
        chain(&[("Nature", "all"), ("Rock", "grey")], "Slate"),
    );
    assert!(stale(&layers).is_empty());
    let gone = layers.inputs(&domain("water")).unwrap().unwrap();
    layers.delete("b").unwrap();
    assert!(!layers.summarise(&gone, &summary).unwrap());
}

#[test]
fn a_domain_is_stale_by_what_its_own_chunks_say_of_a_thing_and_by_nothing_that_others_do() {
    let layers = layers();
    let said = |under: &str, description: &str| Extracted {
        entities: vec![Entity {
            name: "Basalt".into(),
            description: description.into(),
            ..Entity::default()
        }],
        ..chain(&[(under, "")], "Basalt")
    };
    let summary = Summary {
        text: "Of basalt.".into(),
        model: "somebody".into(),
        prompt: "summary/1".into(),
    };
    let settle = |key: &str| {
        let inputs = layers.inputs(&domain(key)).unwrap().unwrap();
        layers.summarise(&inputs, &summary).unwrap();
        inputs.own
    };
    put(&layers, "a", said("Rock", "dark"));
    put(&layers, "b", said("Harbour", "wet"));
    assert_eq!(Vec::from_iter(&settle("rock")["basalt"]), ["dark"]);
    assert_eq!(Vec::from_iter(&settle("harbour")["basalt"]), ["wet"]);
    // The same chunk under the same chain, read in another way.
    let change = put(&layers, "b", said("Harbour", "salty"));
    assert!(!change.stale.contains(&domain("rock")));
    assert_eq!(layers.stale().unwrap(), [domain("harbour")]);
    assert_eq!(Vec::from_iter(&settle("harbour")["basalt"]), ["salty"]);
    // It comes to lie where the thing lies by another chunk already.
    put(&layers, "b", said("Rock", "salty"));
    assert_eq!(layers.stale().unwrap(), [domain("rock")]);
    assert_eq!(Vec::from_iter(&settle("rock")["basalt"]), ["dark", "salty"]);
    layers.delete("a").unwrap();
    assert_eq!(layers.stale().unwrap(), [domain("rock")]);
}

#[test]
fn inputs_that_changed_while_a_model_wrote_leave_a_stale_summary() {
    let layers = layers();
    put(&layers, "a", chain(&[("Rock", "hard")], "Basalt"));
    let inputs = layers.inputs(&domain("rock")).unwrap().unwrap();
    put(&layers, "b", chain(&[("Rock", "grey")], "Slate"));
    let summary = Summary {
        text: "Hard.".into(),
        model: "somebody".into(),
        prompt: "summary/1".into(),
    };
    layers.summarise(&inputs, &summary).unwrap();
    assert_eq!(layers.stale().unwrap().len(), 1);
}

#[test]
fn a_summary_of_an_entity_is_made_from_what_is_said_and_from_facts() {
    let layers = layers();
    let said = |predicate: &str, description: &str| Extracted {
        entities: vec![Entity {
            name: "Basalt".into(),
            description: description.into(),
            ..Entity::default()
        }],
        triples: vec![Triple {
            subject: "Basalt".into(),
            predicate: predicate.into(),
            object: "lava".into(),
            ..Triple::default()
        }],
        ..Extracted::default()
    };
    put(&layers, "a", said("was", "dark"));
    let node = NodeKey::new(Label::Entity, "basalt");
    let inputs = layers.inputs(&node).unwrap().unwrap();
    assert_eq!(Vec::from_iter(&inputs.descriptions), ["dark"]);
    assert_eq!(inputs.facts.len(), 1);
    let summary = Summary {
        text: "Dark.".into(),
        model: "somebody".into(),
        prompt: "summary/1".into(),
    };
    layers.summarise(&inputs, &summary).unwrap();
    // The same again, and then one fact more.
    put(&layers, "b", said("was", "dark"));
    assert!(layers.stale().unwrap().is_empty());
    put(&layers, "c", said("came of", ""));
    assert_eq!(layers.stale().unwrap().len(), 1);
    let nobody = NodeKey::new(Label::Entity, "nobody");
    assert_eq!(layers.inputs(&nobody).unwrap(), None);
}

#[test]
fn a_summary_of_what_everybody_names_is_made_from_a_sample() {
    let layers = layers();
    let said = |number: usize| Extracted {
        entities: vec![Entity {
            name: "Basalt".into(),
            description: format!("said {number:04}"),
            ..Entity::default()
        }],
        ..Extracted::default()
    };
    // The last first: who came first does not matter.
    for number in (0..300).rev() {
        put(&layers, &format!("{number:04}"), said(number));
    }
    let node = NodeKey::new(Label::Entity, "basalt");
    let inputs = layers.inputs(&node).unwrap().unwrap();
    assert_eq!(inputs.descriptions.len(), 256);
    assert_eq!(inputs.descriptions.last().unwrap(), "said 0255");
}
