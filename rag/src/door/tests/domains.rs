//! Domains that share a thing: rules repeat of it what is a domain's own, and a model is told all.

use super::*;

const BRIDGES: (&str, &str) = (
    "bridges.md",
    "# Bridges\n\nThe bridge at Skerry Point has three arches of sandstone.\n",
);
const LIGHTS: (&str, &str) = (
    "lights.md",
    "# Lighthouses\n\nThe lighthouse at Skerry Point is built of basalt.\n",
);

fn take_in(db: &Database, (id, text): (&str, &str)) {
    let call = "CALL rag.upsertDocument({id: $id, content: $text}) YIELD id";
    let taken = db.query(call, [("id", id), ("text", text)]).unwrap();
    taken.for_each(|row| drop(row.unwrap()));
}

/// A database with domains of these documents, each of which has a summary by rules.
fn summarised(documents: &[(&str, &str)]) -> Database {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('tag')");
    for document in documents {
        take_in(&db, *document);
    }
    rows(&db, "CALL rag.resummarise({domains: true})");
    db
}

/// Every domain with its summary.
fn summaries(db: &Database) -> Vec<(String, String)> {
    let all = "MATCH (d:DomainTag) RETURN d.key AS key, d.summary AS summary ORDER BY key";
    let all = rows(db, all).into_iter();
    all.map(|row| (row.get("key").unwrap(), row.get("summary").unwrap()))
        .collect()
}

fn stale(db: &Database) -> Vec<String> {
    let stale = rows(db, "CALL rag.stale()").into_iter();
    stale.map(|row| row.get("key").unwrap()).collect()
}

fn summary_of(db: &Database, domain: &str) -> String {
    let all = summaries(db).into_iter();
    let mut of = all.filter(|(key, _)| key == domain);
    of.next().unwrap().1
}

#[test]
fn domains_that_share_a_thing_say_by_rules_what_their_own_documents_say_of_it() {
    let db = summarised(&[BRIDGES, LIGHTS]);
    assert_eq!(
        (summary_of(&db, "bridges"), summary_of(&db, "lighthouses")),
        (
            "Bridges: The bridge at Skerry Point has three arches of sandstone.".to_owned(),
            "Lighthouses: The lighthouse at Skerry Point is built of basalt.".to_owned()
        )
    );
}

#[test]
fn an_edit_under_one_domain_makes_its_summary_stale_and_none_of_what_shares_a_thing_with_it() {
    let db = summarised(&[BRIDGES, LIGHTS]);
    let before = summary_of(&db, "bridges");
    // Everything is named as before; only what is said is something else.
    let granite = (
        LIGHTS.0,
        "# Lighthouses\n\nThe lighthouse at Skerry Point is made of granite.\n",
    );
    take_in(&db, granite);
    // The root has the heading's own thing, of which that sentence says what it is.
    assert_eq!(stale(&db), ["all disciplines", "lighthouses"]);
    rows(&db, "CALL rag.resummarise()");
    assert_eq!(summary_of(&db, "bridges"), before);
    assert!(summary_of(&db, "lighthouses").ends_with("granite."));
    assert_eq!(summaries(&db), summaries(&summarised(&[granite, BRIDGES])));
    // A text that comes to lie under the other is said by that.
    let moved = (
        LIGHTS.0,
        "# Bridges\n\nThe lighthouse at Skerry Point is made of granite.\n",
    );
    take_in(&db, moved);
    assert_eq!(stale(&db), ["all disciplines", "bridges"]);
    rows(&db, "CALL rag.resummarise()");
    assert!(summary_of(&db, "bridges").ends_with("granite."));
    assert_eq!(summaries(&db), summaries(&summarised(&[moved, BRIDGES])));
}

#[test]
fn rules_repeat_what_a_domain_itself_says_and_a_model_is_told_all() {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('tag')");
    rows(
        &db,
        "CREATE (own:Chunk {key: 'own'})-[:DESCRIBES {description: 'All that is hard.'}]->(:DomainTag {key: 'rocks', name: 'Rocks'})-[:COVERS]->(slate:Entity {key: 'slate', name: 'slate'}), \
         (own)-[:HAS_TAG {chain: ['rocks']}]->(slate), (own)-[:MENTIONS {description: 'Slate is a rock.'}]->(slate), \
         (:Chunk {key: 'other'})-[:MENTIONS {description: 'Slate splits.'}]->(slate)",
    );
    rows(&db, "CALL rag.resummarise({domains: true})");
    assert_eq!(
        summary_of(&db, "rocks"),
        "Rocks: All that is hard. Slate is a rock."
    );
    let reply = json!({"summary": "Slate is a rock that splits."}).to_string();
    let model = Arc::new(Recorded::by(move |_: &Request| Some(reply.clone())));
    let with = Library::new(&db, Equipment::default().model(Arc::clone(&model) as _, 1));
    with.register().unwrap();
    rows(&db, "CALL rag.resummarise({domains: true})");
    assert_eq!(summary_of(&db, "rocks"), "Slate is a rock that splits.");
    let asked = model.asked();
    let asked = &asked[0].messages.last().unwrap().text;
    assert!(
        asked.contains("Slate is a rock.") && asked.contains("Slate splits."),
        "{asked}"
    );
}

#[test]
fn a_domain_whose_own_say_nothing_repeats_what_others_do() {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('tag')");
    rows(
        &db,
        "CREATE (:Chunk {key: 'own'})-[:DESCRIBES]->(:DomainTag {key: 'rocks', name: 'Rocks'})-[:COVERS]->(slate:Entity {key: 'slate', name: 'slate'}), \
         (:Chunk {key: 'other'})-[:MENTIONS {description: 'Slate splits.'}]->(slate)",
    );
    rows(&db, "CALL rag.resummarise({domains: true})");
    assert_eq!(summary_of(&db, "rocks"), "Rocks: Slate splits.");
}
