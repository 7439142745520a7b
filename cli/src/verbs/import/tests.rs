//! The parts of `import` that need no files.

use super::*;
use stratigraph::{Constraint, HierarchyOptions, Index};

#[test]
fn what_an_import_had_declared_is_dropped_whatever_it_is_called() {
    let db = Database::in_memory().unwrap();
    db.create_index(Index::on_nodes("A", ["x"]).named("stays"))
        .unwrap();
    let before = Names::of(&db).unwrap();
    for name in [r"a\", r"a\b", r"a\`b"] {
        db.create_index(Index::on_nodes(name, ["x"]).named(name))
            .unwrap();
    }
    let constraint = Constraint::on_nodes("A").unique(["y"]);
    db.create_constraint(constraint.named(r"c\")).unwrap();
    db.create_hierarchy(HierarchyOptions::new(r"h\", "T"))
        .unwrap();
    before.restore(&db);
    let after = Names::of(&db).unwrap();
    assert_eq!(after.indexes, ["stays"]);
    assert!(after.constraints.is_empty() && after.hierarchies.is_empty());
}

#[test]
fn signs_are_one_character() {
    assert_eq!(sign("TAB"), Ok('\t'));
    assert_eq!(sign("|"), Ok('|'));
    for bad in ["", "ab", "\n"] {
        assert!(sign(bad).is_err(), "{bad:?}");
    }
}
