//! Vector indexes come and go while others write.

use super::*;
use stratigraph::{Constraint, Error, ServedBy, VectorIndexState};

fn on(label: &str) -> VectorIndex {
    VectorIndex::on_nodes(label, "v", 2)
}

#[test]
fn an_index_has_a_name_and_is_there_once() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(on("A")).unwrap();
    let infos = db.vector_indexes().unwrap();
    assert_eq!(&*infos[0].definition.name, "vectors_A_v");
    let error = db.create_vector_index(on("A").named("other")).unwrap_err();
    assert!(matches!(error, Error::AlreadyDeclared { .. }), "{error}");
    db.create_vector_index(on("A").if_missing()).unwrap();
    let error = db
        .create_vector_index(on("B").named("vectors_A_v"))
        .unwrap_err();
    assert!(matches!(error, Error::AlreadyDeclared { .. }), "{error}");
    db.drop_vector_index("vectors_A_v").unwrap();
    let error = db.drop_vector_index("vectors_A_v").unwrap_err();
    assert_eq!(error.to_string(), "there is no vector index vectors_A_v");
    assert!(db.vector_indexes().unwrap().is_empty());
    db.create_vector_index(on("A")).unwrap();
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let db = Database::in_memory().unwrap();
    for (index, wanted) in [
        (VectorIndex::on_nodes("A", "v", 0), "dimensions is 0"),
        (
            VectorIndex::on_nodes("A", "v", 70_000),
            "dimensions is 70000",
        ),
        (on("A").links(1), "links is 1"),
        (on("A").breadth(0), "breadth is 0"),
        (
            on("A").filterable((0..17).map(|n| n.to_string())),
            "more than 16 properties",
        ),
    ] {
        let error = db.create_vector_index(index).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
    assert!(db.vector_indexes().unwrap().is_empty());
}

#[test]
fn what_is_there_and_does_not_fit_is_named() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    txn.create_node(["A"], [("v", value([1.0, 2.0]))]).unwrap();
    let odd = txn
        .create_node(["A"], [("v", value([1.0, 2.0, 3.0]))])
        .unwrap();
    txn.commit().unwrap();
    let error = db
        .create_vector_index(on("A").filterable(["year"]))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with(&format!("node {odd} has a vector that")),
        "{error}"
    );
    assert!(db.vector_indexes().unwrap().is_empty(), "it was taken back");
    assert_eq!(db.read().unwrap().catalog().indexes().count(), 0);
    // In the background there is nobody to tell: it stays, and says why.
    db.create_vector_index_in_background(on("A").named("bad"))
        .unwrap();
    let failed = loop {
        match db.vector_indexes().unwrap()[0].state.clone() {
            VectorIndexState::Building { .. } => std::thread::yield_now(),
            state => break state,
        }
    };
    assert!(matches!(
        failed,
        VectorIndexState::Failed(Error::VectorRefused { .. })
    ));
    let read = db.read().unwrap();
    let error = read
        .search_vectors("bad", &VectorSearch::new(&[1.0, 0.0], 1))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("drop the index and create it again"),
        "{error}"
    );
    db.drop_vector_index("bad").unwrap();
}

#[test]
fn others_write_and_search_while_it_is_made() {
    let db = Database::in_memory().unwrap();
    let mut rng = Rng::with_seed(1);
    for _ in 0..20 {
        let mut txn = db.write().unwrap();
        for _ in 0..500 {
            txn.create_node(["A"], [("v", value(random(&mut rng, 8)))])
                .unwrap();
        }
        txn.commit().unwrap();
    }
    db.create_vector_index_in_background(VectorIndex::on_nodes("A", "v", 8).named("a"))
        .unwrap();
    let (mut built, mut direct) = (0, 0);
    for round in 0_u16..200 {
        let vector = random(&mut rng, 8);
        let mut txn = db.write().unwrap();
        let node = txn
            .create_node(["A"], [("v", value(vector.clone()))])
            .unwrap();
        txn.delete_node(NodeId::new(u64::from(round))).unwrap();
        txn.commit().unwrap();
        let read = db.read().unwrap();
        let search = VectorSearch::new(&vector, 20);
        let answer = read.search_vectors("a", &search).unwrap();
        assert!(entities(&answer).contains(&node.into()), "round {round}");
        assert!(
            answer
                .hits
                .iter()
                .all(|hit| hit.entity.number() > u64::from(round))
        );
        match answer.served_by {
            ServedBy::Index => built += 1,
            _ => direct += 1,
        }
    }
    wait(&db);
    assert_eq!(db.vector_indexes().unwrap()[0].vectors, 10_000);
    assert!(built + direct == 200);
}

#[test]
fn an_index_for_a_filter_comes_and_goes_with_it() {
    let db = Database::in_memory().unwrap();
    db.create_index(stratigraph::Index::on_nodes("A", ["kept"]))
        .unwrap();
    db.create_vector_index(on("A").filterable(["year", "kept"]).named("a"))
        .unwrap();
    assert_eq!(index_names(&db), ["index_A_kept", "index_A_year"]);
    let error = db.drop_index("index_A_year").unwrap_err();
    assert!(
        error.to_string().contains("vector index a is filtered by")
            || error.to_string().contains("is what vector index a"),
        "{error}"
    );
    db.drop_vector_index("a").unwrap();
    assert_eq!(index_names(&db), ["index_A_kept"]);
}

#[test]
fn an_index_for_a_filter_is_in_the_way_of_no_constraint() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let properties = || [("id", Value::Int(1)), ("v", value([1.0, 2.0]))];
    txn.create_node(["A"], properties()).unwrap();
    let other = txn.create_node(["A"], properties()).unwrap();
    txn.commit().unwrap();
    db.create_vector_index(on("A").filterable(["id"]).named("a"))
        .unwrap();
    let unique = || Constraint::on_nodes("A").unique(["id"]);
    let found = || {
        let search = VectorSearch::new(&[1.0, 2.0], 9).where_equal("id", 1);
        let read = db.read().unwrap();
        read.search_vectors("a", &search).unwrap().hits.len()
    };
    let refused = db.create_constraint(unique()).unwrap_err();
    assert!(
        matches!(refused, Error::ConstraintViolation(_)),
        "{refused}"
    );
    assert_eq!(index_names(&db), ["index_A_id"]);
    assert_eq!(found(), 2);
    let mut txn = db.write().unwrap();
    txn.set_property(other, "id", 2).unwrap();
    txn.commit().unwrap();
    db.create_constraint(unique()).unwrap();
    assert_eq!(index_names(&db), ["index_A_id", "unique_A_id"]);
    assert_eq!(found(), 1);
    assert!(db.check(&mut Watch::quiet()).unwrap().is_clean());
    // Each goes with what it belongs to.
    db.drop_constraint("unique_A_id").unwrap();
    assert_eq!(index_names(&db), ["index_A_id"]);
    assert_eq!(found(), 1);
    db.create_constraint(unique()).unwrap();
    db.drop_vector_index("a").unwrap();
    assert_eq!(index_names(&db), ["unique_A_id"]);
    // What somebody has asked for stays, and is in the way.
    db.create_index(stratigraph::Index::on_nodes("A", ["year"]))
        .unwrap();
    let years = Constraint::on_nodes("A").unique(["year"]);
    let error = db.create_constraint(years).unwrap_err();
    assert!(matches!(error, Error::PropertiesIndexed { .. }), "{error}");
}

#[test]
fn a_filter_that_is_named_twice_counts_once() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(on("A").filterable(["a", "a", "b"]))
        .unwrap();
    assert_eq!(index_names(&db), ["index_A_a", "index_A_b"]);
    let infos = db.vector_indexes().unwrap();
    assert_eq!(infos[0].definition.filters.len(), 2);
    // Sixteen are allowed.
    let one_twice = (0..17_u8).map(|n| (n % 16).to_string());
    db.create_vector_index(on("B").filterable(one_twice))
        .unwrap();
    assert_eq!(index_names(&db).len(), 2 + 16);
}
