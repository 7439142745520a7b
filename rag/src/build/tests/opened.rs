//! How a database says how it was built, and who is refused.

use super::*;

#[test]
fn another_embedder_or_profile_is_refused_by_name() {
    let layers = layers();
    let db = layers.database();
    let trained: Arc<dyn Embedder> = Arc::new(Lexical::trained(["rocks are old", "rocks"]));
    let refused = Layers::open(db, Profile::all(), trained).err().unwrap();
    let message = refused.to_string();
    assert!(
        message.contains("lexical-1 (384 numbers)") && message.contains("lexical-1-"),
        "{message}"
    );
    let embedder: Arc<dyn Embedder> = Arc::new(Lexical::new());
    let refused = Layers::open(db, Profile::bag(), embedder.clone()).err();
    assert!(matches!(refused, Some(BuildError::OtherProfile { .. })));
    let more = Profile::all().parameter("chunks", "text 1024/0");
    let refused = Layers::open(db, more, embedder.clone()).err().unwrap();
    assert!(
        refused.to_string().contains("parameter chunks"),
        "{refused}"
    );
    let taken = Profile::all().filterable(["text"]);
    let fresh = Database::in_memory().unwrap();
    let refused = Layers::open(&fresh, taken, embedder.clone()).err();
    assert!(matches!(refused, Some(BuildError::BadFilter { .. })));
    assert!(Layers::open(db, Profile::all(), embedder).is_ok());
}

#[test]
fn a_database_of_an_older_layout_is_refused_with_what_to_do() {
    let layers = layers();
    let db = layers.database();
    let mut txn = db.write().unwrap();
    let settings = txn.nodes_with_label("LayerSettings").unwrap().min();
    let settings = stratigraph::NodeId::new(settings.unwrap());
    txn.set_property(settings, "layout", "3").unwrap();
    txn.commit().unwrap();
    let refused = Layers::open(db, Profile::all(), Arc::new(Lexical::new()));
    let message = refused.err().unwrap().to_string();
    assert!(
        message.contains("layout = \"3\", not \"4\"") && message.contains("build a new database"),
        "{message}"
    );
    assert!(matches!(Built::of(db), Err(BuildError::NotAsBuilt { .. })));
}

#[test]
fn a_database_says_how_it_was_built() {
    let profile = Profile::bag()
        .filterable(["year", "a, b"])
        .parameter("chunks", "headings 128/2")
        .analysis(stratigraph::Analysis::Chinese)
        .without_headings_in_vectors();
    for profile in [profile, Profile::triples(), Profile::structure()] {
        let db = Database::in_memory().unwrap();
        Layers::open(&db, profile.clone(), Arc::new(Lexical::new())).unwrap();
        let built = Built::of(&db).unwrap().unwrap();
        assert_eq!((built.profile, built.dimensions), (profile, 384));
    }
}

#[test]
fn who_comes_first_says_how_it_is_built() {
    let db = Database::in_memory().unwrap();
    let meddling = Arc::new(Meddling::default());
    let opened = |number: &str, embedder: Arc<dyn Embedder>| {
        Layers::open(
            &db,
            Profile::structure().parameter("number", number),
            embedder,
        )
    };
    // Somebody else opens them between the look and the first word about how they are built.
    let other = db.clone();
    meddling.when_measured(move || {
        let profile = Profile::structure().parameter("number", "1");
        Layers::open(&other, profile, Arc::new(Lexical::new())).unwrap();
    });
    let refused = opened("2", meddling).err();
    assert!(
        matches!(refused, Some(BuildError::OtherProfile { .. })),
        "{refused:?}"
    );
    assert!(opened("1", Arc::new(Lexical::new())).is_ok());
    let read = db.read().unwrap();
    assert_eq!(read.node_count(Some("LayerSettings")).unwrap(), 1);
}
