//! EmPULIA: facts with their sources from pieces of which three are joined, relations of one meaning under one name
//! (DBSCAN with eps 0.05 and two that are near), and names that differ by a negation apart, to be looked through.

use std::sync::Arc;

use serde_json::json;
use stratigraph::storage::cancel::Watch;
use stratigraph_models::{Placed, Recorded, Request};
use stratigraph_rag::build::Contribution;
use stratigraph_rag::chunk::Words;
use stratigraph_rag::extract::{Calls, Extracted, MemoryCache, Run};
use stratigraph_rag::ingest::{Recipe, System};
use stratigraph_rag::relations::{Clustering, Negations, Relations, rename};

use super::shown::{compare, graph};
use super::{document, layers, place};

const LAW: &str = "\
# Codice

## Art. 1

Il codice si applica ai lavori. Il codice disciplina i servizi.

## Art. 2

Il codice non si applica ai prestiti.

## Art. 3

La stazione nomina il responsabile.

## Art. 4

La stazione designa il responsabile. Il responsabile vigila.
";

/// What a model reads in each article; some of it twice, some of it of a thing and itself.
fn reads(request: &Request) -> Option<String> {
    let text = place(request, "text");
    let facts: [(&str, [&str; 4]); 7] = [
        ("## Art. 1", ["codice", "si applica a", "lavori", "Art. 1"]),
        (
            "## Art. 1",
            [
                "codice",
                "disciplina",
                "servizi",
                "Art. 1: disciplina i servizi",
            ],
        ),
        (
            "## Art. 2",
            ["codice", "non si applica a", "prestiti", "Art. 2"],
        ),
        (
            "## Art. 3",
            ["stazione", "nomina", "responsabile", "Art. 3"],
        ),
        (
            "## Art. 4",
            ["stazione", "designa", "responsabile", "Art. 4"],
        ),
        (
            "## Art. 4",
            ["stazione", "nomina", "responsabile", "Art. 4"],
        ),
        (
            "## Art. 4",
            ["responsabile", "vigila su", "responsabile", "Art. 4"],
        ),
    ];
    let said = |heading: &str| match heading {
        "## Art. 1" => text.contains("ai lavori"),
        "## Art. 2" => text.contains("ai prestiti"),
        "## Art. 3" => text.contains("nomina il"),
        _ => text.contains("designa il"),
    };
    let facts = facts.iter().filter(|(heading, _)| said(heading));
    let facts = facts.map(|(_, [subject, relation, object, source])| {
        json!({"subject": subject, "relation": relation, "object": object, "source": source})
    });
    Some(json!({"triples": facts.collect::<Vec<_>>()}).to_string())
}

/// Each name at an angle in degrees. 1 - cos of 18 degrees is 0.049, of 19 degrees 0.054.
const ANGLES: [(&str, f32); 6] = [
    ("si applica a", 0.0),
    ("non si applica a", 4.0),
    ("disciplina", 17.0),
    ("nomina", 90.0),
    ("designa", 108.0),
    ("vigila su", 128.0),
];

/// Clusters the relations of what was extracted, and gives it their names.
fn clustered(pieces: &mut [Extracted], clustering: Clustering) -> Relations {
    let mut watch = Watch::quiet();
    let names = pieces.iter().flat_map(|piece| &piece.triples);
    let names = names.map(|triple| triple.predicate.as_str());
    let angles = Placed::at_angles(ANGLES, None);
    let relations = Relations::cluster(names, &angles, clustering, &mut watch).unwrap();
    for piece in pieces {
        rename(&mut piece.triples, &relations);
    }
    relations
}

fn extracted(
    model: &Arc<Recorded>,
    recipe: &Recipe,
) -> (
    stratigraph_rag::Document,
    Vec<stratigraph_rag::chunk::Piece>,
    Vec<Extracted>,
) {
    let document = document("codice.md", LAW);
    let pieces = recipe.chunker(&Words).pieces(&document);
    let calls = Calls::new(Arc::clone(model) as _, Arc::new(MemoryCache::default()));
    let extractor = recipe.extractor(Some(calls));
    let mut done = Run::new(&*extractor).extract(&[(&document, &pieces)], &|_| ());
    let done = done.remove(0).unwrap();
    (document, pieces, done.pieces)
}

#[test]
fn facts_have_one_name_for_one_relation_and_their_sources() {
    assert_eq!(
        (Clustering::default().eps, Clustering::default().least),
        (0.05, 2)
    );
    let recipe = Recipe::new(System::Triples, 16);
    let model = Arc::new(Recorded::by(reads));
    let (document, pieces, mut read) = extracted(&model, &recipe);
    // Four articles, of which three are read at once.
    assert_eq!((pieces.len(), model.asked().len()), (2, 2));
    let relations = clustered(&mut read, Clustering::default());
    let clusters: Vec<(&str, Vec<&str>)> = { relations.clusters().iter() }
        .map(|cluster| {
            let members = cluster.members.iter().map(|(name, _)| name.as_str());
            (cluster.representative.as_str(), members.collect())
        })
        .collect();
    assert_eq!(
        clusters,
        [
            ("designa", vec!["designa", "nomina"]),
            ("disciplina", vec!["disciplina", "si applica a"]),
        ]
    );
    // For somebody to look through: what differs by a negation is never put together.
    let opposites: Vec<_> = { relations.opposites().iter() }
        .map(|pair| (pair.opposite.as_str(), pair.name.as_str(), pair.together))
        .collect();
    assert_eq!(
        opposites,
        [
            ("disciplina", "non si applica a", false),
            ("si applica a", "non si applica a", false),
        ]
    );

    let layers = layers(&recipe);
    let contribution = Contribution::new(&document, &pieces, &read, layers.profile()).unwrap();
    layers.upsert(&contribution).unwrap();
    compare(
        &graph(layers.database()),
        "
        Document codice.md
        Section codice.md#Codice
        Section codice.md#Codice/Art. 1
        Section codice.md#Codice/Art. 2
        Section codice.md#Codice/Art. 3
        Section codice.md#Codice/Art. 4
        Chunk codice.md@10 {text=## Art. 1||Il codice si applica ai lavori. Il codice disciplina i servizi.||## Art. 2||Il codice non si applica ai prestiti.||## Art. 3||La stazione nomina il responsabile.}
        Chunk codice.md@195 {text=La stazione designa il responsabile. Il responsabile vigila.}
        Entity codice {name=codice}
        Entity lavori {name=lavori}
        Entity servizi {name=servizi}
        Entity prestiti {name=prestiti}
        Entity stazione {name=stazione}
        Entity responsabile {name=responsabile}
        codice.md -HAS_CHILD-> codice.md#Codice
        codice.md#Codice -HAS_CHILD-> codice.md#Codice/Art. 1
        codice.md#Codice -HAS_CHILD-> codice.md#Codice/Art. 2
        codice.md#Codice -HAS_CHILD-> codice.md#Codice/Art. 3
        codice.md#Codice -HAS_CHILD-> codice.md#Codice/Art. 4
        codice.md#Codice -HAS_CHILD-> codice.md@10
        codice.md#Codice/Art. 4 -HAS_CHILD-> codice.md@195
        codice.md@10 -MENTIONS-> codice {name=codice}
        codice.md@10 -MENTIONS-> lavori {name=lavori}
        codice.md@10 -MENTIONS-> servizi {name=servizi}
        codice.md@10 -MENTIONS-> prestiti {name=prestiti}
        codice.md@10 -MENTIONS-> stazione {name=stazione}
        codice.md@10 -MENTIONS-> responsabile {name=responsabile}
        codice.md@195 -MENTIONS-> stazione {name=stazione}
        codice.md@195 -MENTIONS-> responsabile {name=responsabile}
        codice -FACT-> lavori {predicate=disciplina, source=[Codice]: Art. 1}
        codice -FACT-> servizi {predicate=disciplina, source=[Codice]: Art. 1: disciplina i servizi}
        codice -FACT-> prestiti {predicate=non si applica a, source=[Codice]: Art. 2}
        stazione -FACT-> responsabile {predicate=designa, source=[Codice]: Art. 3}
        stazione -FACT-> responsabile {predicate=designa, source=[Codice]: Art. 4}
        ",
    );
}

#[test]
fn as_published_a_negation_is_a_name_as_all_others() {
    let recipe = Recipe::new(System::Triples, 16);
    let model = Arc::new(Recorded::by(reads));
    let (_, _, mut read) = extracted(&model, &recipe);
    let published = Clustering {
        negations: Negations::AsOthers,
        ..Clustering::default()
    };
    let mut relations = clustered(&mut read, published);
    assert_eq!(
        relations.name_for("non si applica a"),
        relations.name_for("si applica a")
    );
    // That is what the review is for: each such pair says that it was put together, and can be taken apart.
    let together = |relations: &Relations| -> Vec<bool> {
        relations
            .opposites()
            .iter()
            .map(|pair| pair.together)
            .collect()
    };
    assert_eq!(together(&relations), [true, true]);
    assert!(relations.take_out("non si applica a"));
    assert_eq!(together(&relations), [false, false]);
    assert_eq!(
        relations.name_for("non si applica a"),
        Some("non si applica a")
    );
}
