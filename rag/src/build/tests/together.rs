//! What comes at once, or while others write.

use super::*;

#[test]
fn what_others_take_away_meanwhile_is_made_again() {
    let db = Database::in_memory().unwrap();
    let meddling = Arc::new(Meddling::default());
    let layers = Layers::open(&db, Profile::all(), meddling.clone()).unwrap();
    put(&layers, "a", names(&["Basalt"]));
    // While the vectors of `b` are computed, the entity that it counts on goes.
    let other = layers.clone();
    meddling.next(move || drop(other.delete("a").unwrap()));
    put(&layers, "b", names(&["Basalt"]));
    assert_eq!(layers.documents().unwrap(), ["b"]);
    let vector = property(&layers, &NodeKey::new(Label::Entity, "basalt"), "embedding");
    assert!(vector.unwrap().as_vector().is_some());
    // And somebody else may have made of it just what it was to become.
    let other = layers.clone();
    meddling.next(move || drop(put(&other, "c", names(&["Slate"]))));
    let change = put(&layers, "c", names(&["Slate"]));
    assert_eq!((change.written, change.keys), (0, 0));
}

#[test]
fn all_that_a_document_before_it_took_away_is_made_again_at_once() {
    let layers = layers();
    let many: Vec<String> = (0..100).map(|number| format!("Rock {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    put(&layers, "a", names(&many));
    let profile = layers.profile();
    let documents = [
        contribution("a", "Nothing.\n", Extracted::default(), profile),
        contribution("b", "Rocks.\n", names(&many), profile),
    ];
    let change = layers.upsert_all(&documents).unwrap();
    // Entities and instances.
    assert!(change.vectors >= 200, "{change:?}");
    let node = NodeKey::new(Label::Entity, "rock 99");
    let vector = property(&layers, &node, "embedding").unwrap();
    assert!(vector.as_vector().is_some());
}

#[test]
fn several_documents_come_one_after_the_other() {
    let layers = layers();
    put(&layers, "a", names(&["Basalt"]));
    let profile = layers.profile();
    let text = "Something else.\n";
    // The first takes away what the second names, and the third is the second once more.
    let documents = [
        contribution("a", text, names(&["Lava"]), profile),
        contribution("b", text, names(&["Basalt"]), profile),
        contribution("b", text, names(&["Slate"]), profile),
    ];
    layers.upsert_all(&documents).unwrap();
    let read = layers.database().read().unwrap();
    assert_eq!(read.node_count(Some("Entity")).unwrap(), 2);
    assert_eq!(entity_name(&layers, "slate").as_deref(), Some("Slate"));
}
