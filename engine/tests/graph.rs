//! The graph through its public face: what is written is read, what is refused changes nothing.

use stratigraph::value::ValueKind;
use stratigraph::{
    Constraint, Database, Direction, Error, HierarchyOptions, Index, NO_LABELS, NO_PROPERTIES,
    NodeId, Read, Value, Vector, WriteTxn,
};

fn person(txn: &mut WriteTxn, name: &str) -> NodeId {
    txn.create_node(["Person"], [("name", name)]).unwrap()
}

fn names(txn: &impl Read, node: NodeId, direction: Direction) -> Vec<u64> {
    txn.neighbours(node, direction, None)
        .unwrap()
        .map(|neighbour| neighbour.unwrap().node.get())
        .collect()
}

#[test]
fn nodes_and_relationships_come_back_with_everything() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let long = "x".repeat(5000);
    let ann = txn
        .create_node(
            ["Person", "Admin", "Person"],
            [
                ("name", Value::from("Ann")),
                ("age", Value::from(41)),
                ("bio", Value::from(long.as_str())),
                ("gone", Value::Null),
                ("emb", Value::Vector(Vector::new(vec![0.5, -1.0]).unwrap())),
            ],
        )
        .unwrap();
    let bob = person(&mut txn, "Bob");
    let knows = txn
        .create_relationship(ann, "KNOWS", bob, [("since", 2020)])
        .unwrap();
    txn.create_relationship(ann, "KNOWS", bob, NO_PROPERTIES)
        .unwrap();
    txn.create_relationship(ann, "LIKES", ann, NO_PROPERTIES)
        .unwrap();
    let seen = (
        names(&txn, ann, Direction::Outgoing),
        names(&txn, ann, Direction::Both),
    );
    assert_eq!(seen.0, [bob.get(), bob.get(), ann.get()]);
    assert_eq!(
        seen.1,
        [bob.get(), bob.get(), ann.get()],
        "a loop comes once"
    );
    txn.commit().unwrap();

    let read = db.read().unwrap();
    let node = read.node(ann).unwrap().unwrap();
    assert_eq!(node.labels().collect::<Vec<_>>(), ["Person", "Admin"]);
    assert_eq!(node.get("age").unwrap().as_int(), Some(41));
    assert_eq!(node.get("bio").unwrap().as_str(), Some(long.as_str()));
    assert!(node.get("gone").is_none());
    assert!(matches!(node.get("emb"), Some(Value::Vector(v)) if v.as_slice() == [0.5, -1.0]));
    assert_eq!(
        names(&read, bob, Direction::Incoming),
        [ann.get(), ann.get()]
    );
    assert_eq!(
        read.degree(ann, Direction::Outgoing, Some("KNOWS"))
            .unwrap(),
        2
    );
    assert_eq!(read.degree(ann, Direction::Both, None).unwrap(), 4);
    assert_eq!(read.node_count(Some("Person")).unwrap(), 2);
    assert_eq!(read.relationship_count(Some("LIKES")).unwrap(), 1);
    let relationship = read.relationship(knows).unwrap().unwrap();
    assert_eq!((relationship.source(), relationship.target()), (ann, bob));
    assert_eq!(relationship.relationship_type(), "KNOWS");
    assert!(read.has_label(ann, "Admin").unwrap());
    assert!(!read.has_label(bob, "Admin").unwrap());
}

#[test]
fn deleting_leaves_nothing_behind() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let (ann, bob) = (person(&mut txn, "Ann"), person(&mut txn, "Bob"));
    txn.create_relationship(ann, "KNOWS", bob, NO_PROPERTIES)
        .unwrap();
    txn.commit().unwrap();
    let mut txn = db.write().unwrap();
    assert!(matches!(
        txn.delete_node(ann),
        Err(Error::HasRelationships {
            relationships: 1,
            ..
        })
    ));
    assert_eq!(txn.detach_delete_node(ann).unwrap(), 1);
    assert!(txn.node(ann).unwrap().is_none());
    assert_eq!(txn.degree(bob, Direction::Both, None).unwrap(), 0);
    txn.commit().unwrap();
    let read = db.read().unwrap();
    assert_eq!(read.node_count(None).unwrap(), 1);
    assert_eq!(read.relationship_count(None).unwrap(), 0);
    assert_eq!(read.nodes_with_label("Person").unwrap().len(), 1);
    assert!(read.relationships_of_type("KNOWS").unwrap().is_empty());
    // Its id is not given again.
    let mut txn = db.write().unwrap();
    assert!(person(&mut txn, "Cid") > bob);
}

#[test]
fn savepoints_take_back_what_is_collected_too() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let ann = person(&mut txn, "Ann");
    let savepoint = txn.savepoint().unwrap();
    let bob = txn.create_node(["Robot"], [("name", "Bob")]).unwrap();
    txn.create_relationship(ann, "KNOWS", bob, NO_PROPERTIES)
        .unwrap();
    txn.add_label(ann, "Admin").unwrap();
    txn.rollback_to(savepoint).unwrap();
    assert_eq!(txn.node_count(None).unwrap(), 1);
    assert_eq!(txn.degree(ann, Direction::Outgoing, None).unwrap(), 0);
    assert!(!txn.has_label(ann, "Admin").unwrap());
    assert!(txn.catalog().labels.id("Robot").is_none());
    txn.commit().unwrap();
    assert_eq!(
        db.read().unwrap().nodes_with_label("Admin").unwrap().len(),
        0
    );
}

#[test]
fn an_id_that_was_handed_out_is_not_given_again_after_a_rollback() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let kept = person(&mut txn, "Ann");
    let before = txn.savepoint().unwrap();
    let gone = person(&mut txn, "Bob");
    let loved = txn
        .create_relationship(kept, "LOVES", gone, NO_PROPERTIES)
        .unwrap();
    txn.rollback_to(before).unwrap();
    let next = person(&mut txn, "Cy");
    let known = txn
        .create_relationship(kept, "KNOWS", next, NO_PROPERTIES)
        .unwrap();
    assert!(next > gone && known > loved, "{gone:?} {next:?}");
    txn.commit().unwrap();
    let read = db.read().unwrap();
    assert!(read.node(gone).unwrap().is_none());
    assert!(read.relationship(loved).unwrap().is_none());
}

#[test]
fn a_unique_constraint_refuses_old_and_new_duplicates() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let (ann, other) = (person(&mut txn, "Ann"), person(&mut txn, "Ann"));
    txn.commit().unwrap();
    let unique = || {
        Constraint::on_nodes("Person")
            .unique(["name"])
            .named("one_name")
    };
    let refused = db.create_constraint(unique()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "constraint one_name on Person (name) refuses node {other}: node {ann} has 'Ann' already"
        )
    );
    let mut txn = db.write().unwrap();
    txn.set_property(other, "name", "Bob").unwrap();
    txn.commit().unwrap();
    assert!(db.read().unwrap().catalog().constraints().next().is_none());
    db.create_constraint(unique()).unwrap();
    let mut txn = db.write().unwrap();
    assert!(matches!(
        txn.create_node(["Person"], [("name", "Bob")]),
        Err(Error::ConstraintViolation(_))
    ));
    assert!(txn.create_node(["Dog"], [("name", "Bob")]).is_ok());
    txn.set_property(other, "name", "Cid").unwrap();
    txn.create_node(["Person"], [("name", "Bob")]).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let index = read.index("one_name").unwrap();
    let found: Vec<_> = index
        .equal(&["Cid".into()])
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(found, [other.into()]);
    assert_eq!(
        (index.entries().unwrap(), index.distinct().unwrap()),
        (3, 3)
    );
}

#[test]
fn presence_is_looked_at_when_the_transaction_commits() {
    let db = Database::in_memory().unwrap();
    db.create_constraint(Constraint::on_nodes("Person").exists("name"))
        .unwrap();
    db.create_constraint(Constraint::on_nodes("Person").kind("age", ValueKind::Integer))
        .unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["Person"], NO_PROPERTIES).unwrap();
    assert!(txn.set_property(node, "age", "old").is_err());
    txn.set_property(node, "name", "Ann").unwrap();
    txn.commit().unwrap();
    let mut txn = db.write().unwrap();
    txn.remove_property(node, "name").unwrap();
    let refused = txn.commit().unwrap_err();
    assert!(
        matches!(refused, Error::ConstraintViolation(_)),
        "{refused}"
    );
    assert!(refused.to_string().ends_with("it has no name"), "{refused}");
}

#[test]
fn an_index_answers_equality_ranges_and_prefixes() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let mut ids = Vec::new();
    for age in 0..200_i64 {
        ids.push(
            txn.create_node(
                ["P"],
                [
                    ("age", Value::from(age)),
                    ("name", format!("n{age:03}").into()),
                ],
            )
            .unwrap(),
        );
    }
    txn.create_node(["P"], [("age", "old")]).unwrap();
    txn.create_node(NO_LABELS, [("age", 7)]).unwrap();
    txn.commit().unwrap();
    db.create_index(Index::on_nodes("P", ["age"]).named("age"))
        .unwrap();
    db.create_index(Index::on_nodes("P", ["name"]).named("name"))
        .unwrap();
    let read = db.read().unwrap();
    let age = read.index("age").unwrap();
    assert_eq!(age.entries().unwrap(), 201);
    assert_eq!(
        age.equal(&[7.into()])
            .unwrap()
            .map(Result::unwrap)
            .collect::<Vec<_>>(),
        [ids[7].into()]
    );
    assert_eq!(age.equal(&[Value::from(7.0)]).unwrap().count(), 1);
    assert_eq!(age.range(Value::from(190)..).unwrap().count(), 10);
    assert_eq!(age.range(..Value::from(5)).unwrap().count(), 5);
    assert_eq!(
        age.range(Value::from(5)..=Value::from(7)).unwrap().count(),
        3
    );
    assert_eq!(
        age.any_of(&[1.into(), 1.into(), 900.into()]).unwrap().len(),
        1
    );
    let name = read.index("name").unwrap();
    assert_eq!(name.starts_with("n01").unwrap().count(), 10);
    assert_eq!(name.starts_with("").unwrap().count(), 200);
}

#[test]
fn a_hierarchy_keeps_levels_and_refuses_cycles() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let nodes: Vec<NodeId> = (0..5)
        .map(|_| txn.create_node(["S"], NO_PROPERTIES).unwrap())
        .collect();
    txn.create_relationship(nodes[0], "HAS", nodes[1], NO_PROPERTIES)
        .unwrap();
    txn.create_relationship(nodes[1], "HAS", nodes[2], NO_PROPERTIES)
        .unwrap();
    txn.commit().unwrap();
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS").tree())
        .unwrap();
    let mut txn = db.write().unwrap();
    txn.create_relationship(nodes[2], "HAS", nodes[3], NO_PROPERTIES)
        .unwrap();
    let refused = txn
        .create_relationship(nodes[3], "HAS", nodes[0], NO_PROPERTIES)
        .unwrap_err();
    assert!(
        refused.to_string().contains("0 -> 1 -> 2 -> 3 -> 0"),
        "{refused}"
    );
    assert!(matches!(
        txn.create_relationship(nodes[4], "HAS", nodes[3], NO_PROPERTIES),
        Err(Error::HierarchyParent { .. })
    ));
    txn.add_member("outline", nodes[4]).unwrap();
    let outline = txn.hierarchy("outline").unwrap();
    assert_eq!(outline.level(nodes[3]).unwrap(), Some(3));
    assert_eq!(outline.depth().unwrap(), 4);
    assert_eq!(outline.member_count().unwrap(), 5);
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let outline = read.hierarchy("outline").unwrap();
    assert_eq!(
        outline.roots().unwrap().iter().collect::<Vec<_>>(),
        [nodes[0].get(), nodes[4].get()]
    );
    assert_eq!(outline.level(nodes[3]).unwrap(), Some(3));
    assert_eq!(
        outline.members(2).unwrap().iter().collect::<Vec<_>>(),
        [nodes[2].get()]
    );
    assert_eq!(outline.depth().unwrap(), 4);
    let mut txn = db.write().unwrap();
    txn.detach_delete_node(nodes[1]).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let outline = read.hierarchy("outline").unwrap();
    assert_eq!(outline.level(nodes[3]).unwrap(), Some(1));
    assert_eq!(
        outline.level(nodes[0]).unwrap(),
        None,
        "its last relationship is gone"
    );
}

/// Everything there is, so that a check has all of it to look at.
#[test]
fn levels_asked_for_while_a_tree_grows_are_those_of_a_fresh_look() {
    let db = Database::in_memory().unwrap();
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS_PART"))
        .unwrap();
    let mut random = fastrand::Rng::with_seed(3);
    let mut txn = db.write().unwrap();
    let mut nodes = vec![person(&mut txn, "root")];
    let mut edges = Vec::new();
    for step in 0..600 {
        if step % 7 == 6 {
            let edge = edges.swap_remove(random.usize(..edges.len()));
            txn.delete_relationship(edge).unwrap();
        } else if step % 97 == 50 {
            txn.savepoint().unwrap();
        } else {
            let parent = nodes[random.usize(..nodes.len())];
            let child = match step % 5 {
                4 => nodes[random.usize(..nodes.len())],
                _ => person(&mut txn, "child"),
            };
            nodes.push(child);
            edges.extend(txn.create_relationship(parent, "HAS_PART", child, NO_PROPERTIES));
        }
        if random.u8(..4) == 0 {
            let outline = txn.hierarchy("outline").unwrap();
            let seen = outline.level(nodes[nodes.len() - 1]).unwrap();
            assert_eq!(
                seen.is_some(),
                seen.is_some_and(|level| {
                    let members = outline.members(level).unwrap();
                    members.contains(nodes[nodes.len() - 1].get())
                })
            );
        }
    }
    let levels = |txn: &dyn Fn(NodeId) -> Option<u32>| -> Vec<_> {
        nodes.iter().map(|node| txn(*node)).collect()
    };
    let outline = txn.hierarchy("outline").unwrap();
    let (within, count) = (
        levels(&|node| outline.level(node).unwrap()),
        outline.member_count().unwrap(),
    );
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let outline = read.hierarchy("outline").unwrap();
    assert_eq!(levels(&|node| outline.level(node).unwrap()), within);
    assert_eq!(outline.member_count().unwrap(), count);
    assert_eq!(findings(&db), Vec::<String>::new());
}

fn furnished() -> Database {
    let db = Database::in_memory().unwrap();
    db.create_constraint(Constraint::on_nodes("Person").key(["name"]))
        .unwrap();
    db.create_index(Index::on_relationships("KNOWS", ["since"]).named("since"))
        .unwrap();
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let people: Vec<NodeId> = (0..20)
        .map(|n| person(&mut txn, &format!("p{n}")))
        .collect();
    for pair in people.windows(2) {
        txn.create_relationship(pair[0], "KNOWS", pair[1], [("since", 2000)])
            .unwrap();
        txn.create_relationship(pair[0], "HAS", pair[1], NO_PROPERTIES)
            .unwrap();
    }
    txn.set_property(people[3], "bio", "y".repeat(3000))
        .unwrap();
    txn.set_property(people[4], "emb", Vector::new(vec![1.0; 8]).unwrap())
        .unwrap();
    txn.add_label(people[5], "Admin").unwrap();
    txn.add_member("outline", people[6]).unwrap();
    txn.commit().unwrap();
    let mut txn = db.write().unwrap();
    txn.detach_delete_node(people[10]).unwrap();
    txn.remove_label(people[5], "Admin").unwrap();
    txn.set_property(people[3], "bio", "short").unwrap();
    txn.commit().unwrap();
    db
}

fn findings(db: &Database) -> Vec<String> {
    let report = db.check(&mut stratigraph::storage::cancel::Watch::new(
        &mut |_| {},
        Default::default(),
    ));
    let findings = report.unwrap().findings;
    findings
        .into_iter()
        .map(|finding| format!("{}: {}", finding.place, finding.what))
        .collect()
}

#[test]
fn a_check_finds_nothing_in_a_graph_that_was_only_written_by_us() {
    assert_eq!(findings(&furnished()), [""; 0]);
}

#[test]
fn a_check_finds_every_pair_that_is_missing_and_every_one_too_much() {
    use stratigraph::keys::KeyRead;
    use stratigraph::storage::family::Family;
    use stratigraph::storage::range::KeyRange;
    let pairs: Vec<(Family, Vec<u8>, Vec<u8>)> = {
        let db = furnished();
        let read = db.key_read().unwrap();
        let mut pairs = Vec::new();
        for family in Family::all() {
            let mut scan = read.scan(family, &KeyRange::all()).unwrap();
            while let Some(entry) = scan.next().unwrap() {
                pairs.push((family, entry.key.to_vec(), entry.value.to_vec()));
            }
        }
        pairs
    };
    let mut undetected = Vec::new();
    // What the floor keeps, names, definitions, estimates and members by name are no copy of
    // anything else.
    let is_copy = |family: Family, key: &[u8]| match family {
        Family::Meta => key[0] == 23,
        Family::Hierarchy => key[4] != 2,
        _ => true,
    };
    for (family, key, value) in pairs
        .iter()
        .filter(|(family, key, _)| is_copy(*family, key))
    {
        let db = furnished();
        let mut txn = db.key_write().unwrap();
        txn.delete(*family, key).unwrap();
        txn.commit().unwrap();
        if findings(&db).is_empty() {
            undetected.push(format!("{} {key:02x?} missing", family.name()));
        }
        let mut other = key.clone();
        *other.last_mut().unwrap() ^= 0x40;
        if pairs
            .iter()
            .any(|(of, key, _)| of == family && *key == other)
        {
            continue;
        }
        let db = furnished();
        let mut txn = db.key_write().unwrap();
        txn.put(*family, &other, value).unwrap();
        txn.commit().unwrap();
        if findings(&db).is_empty() {
            undetected.push(format!("{} {other:02x?} too much", family.name()));
        }
    }
    assert!(undetected.is_empty(), "{undetected:#?}");
}
