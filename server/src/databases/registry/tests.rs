use super::*;

fn databases(folder: &Path) -> Databases {
    let mut config = crate::Flags::default().resolve().unwrap();
    config.cache_size = crate::Size(1 << 20);
    Databases::open(folder, &Arc::new(config), &Equipment::default()).unwrap()
}

#[test]
fn the_name_of_a_dropped_database_is_taken_until_its_last_reader_has_left() {
    let folder = tempfile::tempdir().unwrap();
    let databases = databases(folder.path());
    let (first, _) = databases.create("library", false).unwrap();
    first.engine.query("CREATE (:P)", ()).unwrap();
    let reader = first.engine.read().unwrap();
    drop(first);
    assert!(databases.drop_one("library", || {}).unwrap());
    let refused = databases.create("library", false).map(drop).unwrap_err();
    assert!(
        matches!(
            refused,
            Failure::State {
                code: "DatabaseBeingDropped",
                ..
            }
        ),
        "{refused}"
    );
    assert!(
        databases.create("other", false).is_ok(),
        "others are not held up"
    );
    drop(reader);
    let (second, made) = databases.create("library", false).unwrap();
    assert!(made);
    let rows = second.engine.query("MATCH (n) RETURN count(n) AS n", ());
    let count: Vec<i64> = rows
        .unwrap()
        .map(|row| row.unwrap().to::<(i64,)>().unwrap().0)
        .collect();
    assert_eq!(count, [0]);
    let left = folder.path().read_dir().unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.to_string_lossy().into_owned()
    });
    let mut left: Vec<String> = left.collect();
    left.sort();
    assert_eq!(left, ["default", "library", "other"]);
}

#[test]
fn what_holds_a_database_is_named_and_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let databases = databases(folder.path());
    let (library, _) = databases.create("library", false).unwrap();
    let held = [
        library.holds.hold("bulk write"),
        library.holds.hold("backup"),
    ];
    let refused = databases.drop_one("library", || {}).unwrap_err();
    assert!(
        refused.to_string().contains("1 backup, 1 bulk write"),
        "{refused}"
    );
    assert!(!library.is_closing() && databases.get("library").is_some());
    drop(held);
    drop(library);
    assert!(databases.drop_one("library", || {}).unwrap());
    assert!(!databases.drop_one("library", || {}).unwrap());
}

#[test]
fn named_queries_lie_in_the_folder_of_their_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alone");
    stratigraph::Database::create(&path)
        .unwrap()
        .close()
        .unwrap();
    let query = super::super::NamedQuery {
        text: "RETURN 1".to_owned(),
        description: String::new(),
    };
    for run in 0..2 {
        let databases = databases(&path);
        let alone = databases.get("default").unwrap();
        assert_eq!(alone.named.all().len(), run);
        alone.named.save("one", query.clone()).unwrap();
        drop(alone);
        databases.close();
    }
    assert!(path.join(NAMED_QUERIES).is_file());
    assert_eq!(
        folder.path().read_dir().unwrap().count(),
        1,
        "nothing is beside it"
    );
    // The engine is not bothered by it.
    stratigraph::Database::open(&path).unwrap().close().unwrap();
}
