//! Bulk loads and dumps.

use super::*;
use stratigraph::{Constraint, HierarchyOptions, LoadOptions, NO_PROPERTIES, ServedBy};

const DIMENSIONS: usize = 4;

fn declared(db: &Database) {
    let index = VectorIndex::on_nodes("N", "v", DIMENSIONS).filterable(["year"]);
    db.create_vector_index(index.named("n")).unwrap();
    let index = VectorIndex::on_any_relationship("w", 3)
        .metric(Metric::Dot)
        .links(8);
    db.create_vector_index(index.named("r")).unwrap();
}

#[test]
fn a_bulk_load_brings_its_vectors_to_the_index() {
    let db = Database::in_memory().unwrap();
    declared(&db);
    let old = db.read().unwrap();
    let mut rng = Rng::with_seed(1);
    let mut load = db.bulk_load().unwrap();
    let rows: Vec<Vec<f32>> = (0..3000).map(|_| random(&mut rng, DIMENSIONS)).collect();
    for row in &rows {
        load.add_node(["N"], [("v", value(row.clone()))]).unwrap();
    }
    let other = load.add_node(["M"], [("v", value([0.0; 9]))]).unwrap();
    let error = load.add_node(["N"], [("v", value([1.0; 9]))]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a vector of 9 dimensions met one of 4"),
        "{error}"
    );
    load.add_relationship(other, "R", other, [("w", value([1.0, 2.0, 3.0]))])
        .unwrap();
    load.add_relationship(other, "R", other, NO_PROPERTIES)
        .unwrap();
    load.finish(&mut Watch::quiet()).unwrap();
    for waits in [false, true] {
        if waits {
            wait(&db);
        }
        let read = db.read().unwrap();
        for (id, row) in rows.iter().enumerate().step_by(100) {
            let answer = read
                .search_vectors("n", &VectorSearch::new(row, 1))
                .unwrap();
            assert_eq!(answer.hits[0].entity.number(), id as u64);
            assert!(!waits || answer.served_by == ServedBy::Index);
        }
        let answer = read
            .search_vectors("r", &VectorSearch::new(&[1.0, 0.0, 0.0], 9))
            .unwrap();
        assert_eq!((answer.hits.len(), answer.hits[0].score), (1, 1.0));
        let search = VectorSearch::new(&rows[0], 9);
        assert!(
            old.search_vectors("n", &search).unwrap().hits.is_empty(),
            "it was before"
        );
    }
}

#[test]
fn a_dump_has_the_declarations() {
    let db = Database::in_memory().unwrap();
    declared(&db);
    let mut txn = db.write().unwrap();
    txn.create_node(
        ["N"],
        [("v", value([1.0, 2.0, 3.0, 4.0])), ("year", 7.into())],
    )
    .unwrap();
    txn.commit().unwrap();
    let watch = &mut Watch::quiet();
    let mut dump = Vec::new();
    db.dump(&mut dump, watch).unwrap();
    let text = String::from_utf8(dump.clone()).unwrap();
    assert!(text.contains(r#"{"vector_index":"n","label":"N","property":"v","dimensions":4,"metric":"cosine","coding":"bytes","links":16,"breadth":128,"filters":["year"]}"#), "{text}");
    assert!(text.contains(r#"{"vector_index":"r","any":"relationship","property":"w","dimensions":3,"metric":"dot","coding":"bytes","links":8,"breadth":128}"#), "{text}");
    let copy = Database::in_memory().unwrap();
    copy.load(dump.as_slice(), &LoadOptions::default(), watch)
        .unwrap();
    let defs = |db: &Database| -> Vec<String> {
        let infos = db.vector_indexes().unwrap();
        infos
            .iter()
            .map(|info| info.definition.name.to_string())
            .collect()
    };
    assert_eq!(defs(&copy), defs(&db));
    let search = VectorSearch::new(&[1.0, 2.0, 3.0, 4.0], 1).where_equal("year", 7);
    assert_eq!(
        copy.read()
            .unwrap()
            .search_vectors("n", &search)
            .unwrap()
            .hits
            .len(),
        1
    );
    let mut again = Vec::new();
    copy.dump(&mut again, watch).unwrap();
    let body = |dump: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(dump).into_owned();
        text.lines()
            .filter(|line| {
                !line.starts_with("{\"end\"") && !line.starts_with("{\"stratigraph_dump\"")
            })
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(body(&again), body(&dump));
}

/// The property indexes by name, and whether each proves a constraint.
fn property_indexes(db: &Database) -> Vec<(String, bool)> {
    let read = db.read().unwrap();
    let indexes = read.catalog().indexes();
    let mut all: Vec<_> = indexes
        .map(|index| (index.name.to_string(), index.unique))
        .collect();
    all.sort();
    all
}

/// Filters once got their indexes before constraints were declared, and those were refused then.
#[test]
fn what_filters_are_looked_up_in_is_the_same_after_a_load() {
    let db = Database::in_memory().unwrap();
    db.create_constraint(Constraint::on_nodes("N").unique(["id"]))
        .unwrap();
    // The index of the other filter would have been called so.
    db.create_hierarchy(HierarchyOptions::new("index_N_year", "PART"))
        .unwrap();
    let index = VectorIndex::on_nodes("N", "v", 2).filterable(["id", "year"]);
    db.create_vector_index(index.named("n")).unwrap();
    let mut txn = db.write().unwrap();
    let properties = [
        ("id", Value::Int(1)),
        ("year", Value::Int(7)),
        ("v", value([1.0, 2.0])),
    ];
    txn.create_node(["N"], properties).unwrap();
    txn.commit().unwrap();
    let watch = &mut Watch::quiet();
    let mut dump = Vec::new();
    db.dump(&mut dump, watch).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copies = [
        Database::in_memory().unwrap(),
        // Here the index writes itself down while the load goes on.
        Database::create(folder.path().join("copy")).unwrap(),
    ];
    for copy in copies {
        copy.load(dump.as_slice(), &LoadOptions::default(), watch)
            .unwrap();
        assert_eq!(
            property_indexes(&copy),
            [
                ("index_N_year_2".to_owned(), false),
                ("unique_N_id".to_owned(), true)
            ]
        );
        assert_eq!(property_indexes(&copy), property_indexes(&db));
        let read = copy.read().unwrap();
        for (property, held) in [("id", 1), ("year", 7)] {
            let search = VectorSearch::new(&[1.0, 2.0], 1).where_equal(property, held);
            let answer = read.search_vectors("n", &search).unwrap();
            assert_eq!(answer.hits.len(), 1, "{property}");
        }
        assert!(copy.check(watch).unwrap().is_clean());
    }
}

#[test]
fn a_commit_that_an_index_has_no_memory_for_is_refused_whole() {
    const EACH: u64 = 500;
    let builder = Database::builder().vector_index_bytes(2 << 20);
    let db = builder.in_memory().unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 64).named("n"))
        .unwrap();
    let mut rng = Rng::with_seed(1);
    let mut add = || {
        let mut txn = db.write().unwrap();
        for _ in 0..EACH {
            let row = random(&mut rng, 64);
            txn.create_node(["N"], [("v", value(row))]).unwrap();
        }
        txn.commit()
    };
    let mut taken = 0;
    let error = loop {
        match add() {
            Ok(_) => taken += EACH,
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("the index is full"), "{error}");
    assert!((500..10_000).contains(&taken), "{taken}");
    let read = db.read().unwrap();
    assert_eq!(read.node_count(Some("N")).unwrap(), taken);
    let query = random(&mut Rng::with_seed(2), 64);
    let search = VectorSearch::new(&query, 10);
    assert_eq!(read.search_vectors("n", &search).unwrap().hits.len(), 10);
}
