//! What readers and writers see of a text index.

use super::*;
use stratigraph::{Error, NO_LABELS, NO_PROPERTIES, Value};

fn books(db: &Database) -> Vec<NodeId> {
    let mut txn = db.write().unwrap();
    let titles = [
        "Moby-Dick; or, The Whale",
        "Twenty Thousand Leagues Under the Seas",
        "The Old Man and the Sea",
    ];
    let made = titles.map(|title| txn.create_node(["Book"], [("title", title)]).unwrap());
    txn.commit().unwrap();
    made.to_vec()
}

fn titles() -> TextIndex {
    TextIndex::on_nodes("Book", ["title"]).named("titles")
}

#[test]
fn an_index_holds_what_was_there_and_what_comes() {
    let db = Database::in_memory().unwrap();
    let books = books(&db);
    db.create_text_index(titles()).unwrap();
    let read = db.read().unwrap();
    assert_eq!(found(&read, "titles", "whales"), [books[0].into()]);
    assert_eq!(found(&read, "titles", "sea").len(), 2);
    let mut txn = db.write().unwrap();
    let new = txn
        .create_node(["Book"], [("title", "The Sea, the Sea")])
        .unwrap();
    txn.set_property(books[0], "title", "Typee").unwrap();
    txn.remove_label(books[1], "Book").unwrap();
    txn.delete_node(books[2]).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    assert_eq!(found(&read, "titles", "sea"), [new.into()]);
    assert!(found(&read, "titles", "whale").is_empty());
    assert_eq!(found(&read, "titles", "typee"), [books[0].into()]);
}

#[test]
fn a_transaction_sees_its_own_changes_and_nobody_else_does() {
    let db = Database::in_memory().unwrap();
    db.create_text_index(titles()).unwrap();
    let books = books(&db);
    let old = db.read().unwrap();
    let mut txn = db.write().unwrap();
    let new = txn
        .create_node(["Book"], [("title", "Whales and men")])
        .unwrap();
    assert_eq!(
        found(&txn, "titles", "whale men"),
        [new.into(), books[0].into()]
    );
    let before = txn.savepoint().unwrap();
    txn.set_property(new, "title", "Nothing").unwrap();
    txn.delete_node(books[0]).unwrap();
    assert!(found(&txn, "titles", "whale").is_empty());
    txn.rollback_to(before).unwrap();
    assert_eq!(found(&txn, "titles", "whale").len(), 2);
    txn.set_property(books[1], "title", "A whale").unwrap();
    assert_eq!(found(&txn, "titles", "whale").len(), 3);
    assert_eq!(
        found(&db.read().unwrap(), "titles", "whale"),
        [books[0].into()]
    );
    txn.commit().unwrap();
    assert_eq!(found(&db.read().unwrap(), "titles", "whale").len(), 3);
    assert_eq!(
        found(&old, "titles", "whale"),
        [books[0].into()],
        "it was before"
    );
    let mut txn = db.write().unwrap();
    txn.delete_node(new).unwrap();
    txn.rollback();
    assert_eq!(found(&db.read().unwrap(), "titles", "whale").len(), 3);
}

#[test]
fn several_properties_weigh_as_they_are_told() {
    let db = Database::in_memory().unwrap();
    let index = TextIndex::on_any_node(["body"]).weighted("title", 4.0);
    db.create_text_index(index.named("all")).unwrap();
    let mut txn = db.write().unwrap();
    let in_body = txn
        .create_node(
            NO_LABELS,
            [("title", "Granite"), ("body", "marble and marble")],
        )
        .unwrap();
    let in_title = txn
        .create_node(
            ["Stone"],
            [("title", "Marble"), ("body", "a stone of lime")],
        )
        .unwrap();
    let list = Value::from(vec![Value::from("slate"), Value::from("marble slab")]);
    let in_list = txn.create_node(["Stone"], [("body", list)]).unwrap();
    txn.create_node(["Stone"], [("body", 7)]).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let all = found(&read, "all", "marble");
    assert_eq!(all[0], in_title.into());
    assert_eq!(all.len(), 3);
    let search = TextSearch::new("marble", 10).labelled("Stone");
    let answer = read.search_text("all", &search).unwrap();
    let stones: Vec<Entity> = answer.hits.iter().map(|hit| hit.entity).collect();
    assert!(!stones.contains(&in_body.into()) && stones.contains(&in_list.into()));
    let among = [in_body.get()].into_iter().collect();
    let search = TextSearch::new("marble", 10).among(&among);
    assert_eq!(read.search_text("all", &search).unwrap().hits.len(), 1);
    let search = TextSearch::new("marble", 10).threshold(100.0);
    assert!(read.search_text("all", &search).unwrap().hits.is_empty());
    assert_eq!(found(&read, "all", "\"marble slab\""), [in_list.into()]);
    // What lies on two sides of a comma of a list is no phrase, but in one document.
    assert!(!found(&read, "all", "marble -slab").contains(&in_list.into()));
    assert_eq!(
        found(&read, "all", "+marble -granite -slab"),
        [in_title.into()]
    );
    assert_eq!(found(&read, "all", "gran*"), [in_body.into()]);
}

#[test]
fn relationships_have_texts_too() {
    let db = Database::in_memory().unwrap();
    let index = TextIndex::on_relationships("SAYS", ["words"]).analysis(Analysis::Italian);
    db.create_text_index(index.named("sayings")).unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(NO_LABELS, NO_PROPERTIES).unwrap();
    let says = txn
        .create_relationship(node, "SAYS", node, [("words", "dell'acqua alta")])
        .unwrap();
    txn.create_relationship(node, "HEARS", node, [("words", "acqua")])
        .unwrap();
    txn.commit().unwrap();
    assert_eq!(
        found(&db.read().unwrap(), "sayings", "l'acqua"),
        [says.into()]
    );
    let mut txn = db.write().unwrap();
    txn.delete_relationship(says).unwrap();
    txn.commit().unwrap();
    assert!(found(&db.read().unwrap(), "sayings", "acqua").is_empty());
}

#[test]
fn declarations_are_looked_at() {
    let db = Database::in_memory().unwrap();
    let refused = |index: TextIndex| db.create_text_index(index).unwrap_err();
    let nothing: [&str; 0] = [];
    assert!(matches!(
        refused(TextIndex::on_any_node(nothing)),
        Error::BadDeclaration { .. }
    ));
    assert!(matches!(
        refused(TextIndex::on_any_node(["a", "a"])),
        Error::BadDeclaration { .. }
    ));
    assert!(matches!(
        refused(TextIndex::on_any_node(["a"]).weighted("b", 0.1)),
        Error::BadDeclaration { .. }
    ));
    assert!(matches!(
        refused(TextIndex::on_any_node(["a"]).parameters(-1.0, 0.5)),
        Error::BadDeclaration { .. }
    ));
    db.create_text_index(titles()).unwrap();
    assert!(matches!(refused(titles()), Error::AlreadyDeclared { .. }));
    db.create_text_index(titles().if_missing()).unwrap();
    db.drop_text_index("titles").unwrap();
    let error = db.drop_text_index("titles").unwrap_err();
    assert_eq!(error.to_string(), "there is no text index titles");
    let read = db.read().unwrap();
    let error = read
        .search_text("titles", &TextSearch::new("x", 1))
        .unwrap_err();
    assert_eq!(error.to_string(), "there is no text index titles");
    db.create_text_index(titles()).unwrap();
    assert!(found(&db.read().unwrap(), "titles", "whale").is_empty());
}

/// A search keeps what it has brought in of the transaction's own texts; what comes later must show all the same.
#[test]
fn own_changes_show_in_every_search_between_them() {
    let (db, mut nodes) = with_texts(Analysis::English, &["a graph", "the graph index"]);
    let mut txn = db.write().unwrap();
    let hits = |read: &dyn Fn(&TextSearch<'_>) -> stratigraph::TextAnswer| {
        read(&TextSearch::new("graph index grap*", 100)).hits
    };
    for round in 0..30_usize {
        let text = format!("graph {} index", "word ".repeat(round % 7));
        nodes.push(txn.create_node(["N"], [("text", text.as_str())]).unwrap());
        assert_eq!(
            hits(&|search| txn.search_text("texts", search).unwrap()).len(),
            nodes.len()
        );
        let changed = nodes[round / 2];
        txn.set_property(changed, "text", "index of graphs")
            .unwrap();
        if round % 5 == 0 {
            let before = txn.savepoint().unwrap();
            txn.delete_node(changed).unwrap();
            assert_eq!(
                hits(&|search| txn.search_text("texts", search).unwrap()).len(),
                nodes.len() - 1
            );
            txn.rollback_to(before).unwrap();
        }
        if round % 7 == 0 {
            txn.delete_node(nodes.pop().unwrap()).unwrap();
        }
    }
    let own = hits(&|search| txn.search_text("texts", search).unwrap());
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let committed = hits(&|search| read.search_text("texts", search).unwrap());
    assert_eq!(own, committed, "score for score");
    let report = db.check(&mut Watch::quiet()).unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
}
