//! Readers at many snapshots while a writer works, and somebody declares and drops.
//!
//! Every commit writes into one node what the whole graph has to add up to. A reader adds it up by
//! itself, in every way that there is, and looks again later at snapshots it has kept.
//!
//! `GRAPH_CONCURRENCY_COMMITS=20000` runs that many commits.

use fastrand::Rng;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use stratigraph::catalog::Readiness;
use stratigraph::storage::range;
use stratigraph::{
    Constraint, Database, Direction, Durability, Error, HierarchyOptions, Index, NO_PROPERTIES,
    NodeId, Read, ReadTxn, RelationshipId, WriteTxn,
};

const READERS: u64 = 4;
/// The node with the totals.
const TOTALS: NodeId = NodeId::new(0);
/// A node that no writer touches, and that keeps to no constraint.
const ODD: NodeId = NodeId::new(1);

/// What the writer keeps of the graph, to know what the totals are.
#[derive(Default)]
struct Known {
    nodes: BTreeMap<NodeId, bool>,
    relationships: BTreeMap<RelationshipId, (NodeId, NodeId)>,
    sum: i64,
    keys: BTreeMap<NodeId, i64>,
}

impl Known {
    fn any_node(&self, rng: &mut Rng) -> Option<NodeId> {
        rng.choice(self.nodes.keys()).copied()
    }

    /// Makes one commit.
    fn commit(&mut self, db: &Database, rng: &mut Rng) {
        let mut txn = db.write().unwrap();
        for _ in 0..rng.u32(1..12) {
            match rng.u32(0..10) {
                0..3 => self.create(&mut txn, rng),
                3..7 => self.connect(&mut txn, rng),
                7 => self.label(&mut txn, rng),
                8 if self.relationships.len() > 30 => self.disconnect(&mut txn, rng),
                9 if self.nodes.len() > 60 => self.delete(&mut txn, rng),
                _ => self.change(&mut txn, rng),
            }
        }
        let marked = self.nodes.values().filter(|marked| **marked).count();
        let total = |count: usize| i64::try_from(count).unwrap();
        txn.set_properties(
            TOTALS,
            [
                ("nodes", total(self.nodes.len())),
                ("relationships", total(self.relationships.len())),
                ("marked", total(marked)),
                ("sum", self.sum),
            ],
        )
        .unwrap();
        txn.commit().unwrap();
    }

    fn create(&mut self, txn: &mut WriteTxn, rng: &mut Rng) {
        let key = rng.i64(0..1000);
        let node = txn.create_node(["N"], [("key", key)]).unwrap();
        self.nodes.insert(node, false);
        self.keys.insert(node, key);
        self.sum += key;
    }

    fn connect(&mut self, txn: &mut WriteTxn, rng: &mut Rng) {
        let (Some(one), Some(other)) = (self.any_node(rng), self.any_node(rng)) else {
            return;
        };
        // From the older to the younger, so that there is no cycle; or anything, of another type.
        let (from, of, to) = match rng.bool() {
            true if one != other => (one.min(other), "OVER", one.max(other)),
            _ => (one, "SEES", other),
        };
        let made = txn.create_relationship(from, of, to, NO_PROPERTIES);
        self.relationships.insert(made.unwrap(), (from, to));
    }

    fn label(&mut self, txn: &mut WriteTxn, rng: &mut Rng) {
        let Some(node) = self.any_node(rng) else {
            return;
        };
        let marked = self.nodes.get_mut(&node).unwrap();
        *marked = !*marked;
        match *marked {
            true => txn.add_label(node, "Marked").unwrap(),
            false => txn.remove_label(node, "Marked").unwrap(),
        }
    }

    fn disconnect(&mut self, txn: &mut WriteTxn, rng: &mut Rng) {
        let relationship = *rng.choice(self.relationships.keys()).unwrap();
        txn.delete_relationship(relationship).unwrap();
        self.relationships.remove(&relationship);
    }

    fn delete(&mut self, txn: &mut WriteTxn, rng: &mut Rng) {
        let node = self.any_node(rng).unwrap();
        txn.detach_delete_node(node).unwrap();
        self.nodes.remove(&node);
        self.sum -= self.keys.remove(&node).unwrap();
        self.relationships
            .retain(|_, (from, to)| *from != node && *to != node);
    }

    fn change(&mut self, txn: &mut WriteTxn, rng: &mut Rng) {
        let Some(node) = self.any_node(rng) else {
            return;
        };
        let key = rng.i64(0..1000);
        // Taken back at once, some of the time.
        let savepoint = txn.savepoint().unwrap();
        txn.set_property(node, "key", key).unwrap();
        if rng.bool() {
            txn.rollback_to(savepoint).unwrap();
        } else {
            self.sum += key - self.keys.insert(node, key).unwrap();
        }
    }
}

/// What every commit keeps, found out in every way that there is. Returns what the snapshot adds up
/// to, which must be the same whenever it is asked.
fn add_up(read: &ReadTxn) -> [u64; 6] {
    let total = |name: &str| read.property(TOTALS, name).unwrap().as_int().unwrap_or(0);
    let (mut out, mut incoming, mut walked_out, mut walked_in) = (0, 0, 0, 0);
    let (mut nodes, mut marked, mut sum, mut both) = (0, 0, 0, 0);
    for node in read.node_ids().unwrap() {
        let node = node.unwrap();
        let degree = |direction| read.degree(node, direction, None).unwrap();
        let walk = |direction| {
            let walk = read.neighbours(node, direction, None).unwrap();
            walk.map(Result::unwrap).count() as u64
        };
        out += degree(Direction::Outgoing);
        incoming += degree(Direction::Incoming);
        walked_out += walk(Direction::Outgoing);
        walked_in += walk(Direction::Incoming);
        both += walk(Direction::Both);
        if node > ODD {
            nodes += 1;
            let whole = read.node(node).unwrap().unwrap();
            sum += whole.get("key").unwrap().as_int().unwrap();
            marked += u64::from(whole.has_label("Marked"));
            assert_eq!(
                whole.has_label("Marked"),
                read.has_label(node, "Marked").unwrap()
            );
        }
    }
    let (mut relationships, mut loops) = (0, 0);
    for id in read.relationship_ids().unwrap() {
        let id = id.unwrap();
        let relationship = read.relationship(id).unwrap().unwrap();
        loops += u64::from(relationship.source() == relationship.target());
        relationships += 1;
    }
    let counted = read.relationship_count(None).unwrap();
    let of_types = ["OVER", "SEES"].map(|of| {
        let count = read.relationship_count(Some(of)).unwrap();
        assert_eq!(read.relationships_of_type(of).unwrap().len(), count);
        count
    });
    assert_eq!(
        [
            out,
            incoming,
            walked_out,
            walked_in,
            counted,
            of_types[0] + of_types[1]
        ],
        [relationships; 6],
        "degrees, neighbours and counts"
    );
    assert_eq!(both, relationships * 2 - loops);
    assert_eq!(
        i64::try_from(relationships).unwrap(),
        total("relationships")
    );
    assert_eq!(i64::try_from(nodes).unwrap(), total("nodes"));
    assert_eq!(i64::try_from(marked).unwrap(), total("marked"));
    assert_eq!(sum, total("sum"));
    assert_eq!(read.node_count(Some("N")).unwrap(), nodes);
    assert_eq!(read.node_count(Some("Marked")).unwrap(), marked);
    assert_eq!(read.nodes_with_label("Marked").unwrap().len(), marked);
    let declared = add_up_declared(read, nodes);
    [
        nodes,
        relationships,
        marked,
        sum.cast_unsigned(),
        declared,
        read.commit_seq().get(),
    ]
}

/// What is declared at the snapshot is whole there.
fn add_up_declared(read: &ReadTxn, nodes: u64) -> u64 {
    let mut seen = 0;
    let ready = |name: &str| {
        let index = read.catalog().index_named(name);
        index.is_some_and(|index| index.readiness == Readiness::Ready)
    };
    if ready("by_key") {
        let index = read.index("by_key").unwrap();
        let mut last = i64::MIN;
        for entity in index.all(range::Direction::Forward).unwrap() {
            let key = read.property(entity.unwrap(), "key").unwrap();
            let key = key.as_int().unwrap();
            assert!(key >= last, "the index is in order");
            last = key;
            seen += 1;
        }
        assert_eq!(seen, nodes, "the index has every node");
        assert_eq!(index.entries().unwrap(), nodes);
    }
    if read.catalog().hierarchy_named("over").is_some() {
        let hierarchy = read.hierarchy("over").unwrap();
        let mut members = 0;
        for level in 0..hierarchy.depth().unwrap() {
            let at_level = hierarchy.members(level).unwrap();
            assert!(!at_level.is_empty(), "level {level}");
            members += at_level.len();
            for node in &at_level {
                let node = NodeId::new(node);
                assert_eq!(hierarchy.level(node).unwrap(), Some(level));
                let parents = read.neighbours(node, Direction::Incoming, Some("OVER"));
                let above = parents.unwrap().map(|parent| {
                    let level = hierarchy.level(parent.unwrap().node).unwrap();
                    level.expect("a parent is a member") + 1
                });
                assert_eq!(above.min().unwrap_or(0), level, "level of {node}");
            }
        }
        assert_eq!(hierarchy.member_count().unwrap(), members);
        seen += members;
    }
    seen
}

/// Declares and drops, again and again.
fn declare(db: &Database, done: &AtomicBool) -> u64 {
    let mut rounds = 0;
    while !done.load(Ordering::Acquire) {
        db.create_index(Index::on_nodes("N", ["key"]).named("by_key"))
            .unwrap();
        db.create_hierarchy(HierarchyOptions::new("over", "OVER"))
            .unwrap();
        let constraint = Constraint::on_nodes("N").exists("key").named("has_key");
        db.create_constraint(constraint).unwrap();
        // What the graph does not keep to is refused, whoever writes meanwhile.
        let refused = db.create_constraint(Constraint::on_nodes("Odd").exists("never"));
        assert!(
            matches!(refused, Err(Error::ConstraintViolation(_))),
            "{refused:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
        db.drop_index("by_key").unwrap();
        db.drop_hierarchy("over").unwrap();
        db.drop_constraint("has_key").unwrap();
        rounds += 1;
    }
    rounds
}

fn read_on(db: &Database, seed: u64, done: &AtomicBool, reads: &AtomicU64) {
    let mut rng = Rng::with_seed(seed);
    let mut kept: Vec<(ReadTxn, [u64; 6])> = Vec::new();
    let mut last = 0;
    while !done.load(Ordering::Acquire) {
        let read = db.read().unwrap();
        let sums = add_up(&read);
        assert!(sums[5] >= last, "commits do not go back");
        last = sums[5];
        reads.fetch_add(1, Ordering::Relaxed);
        if rng.u8(0..4) == 0 {
            kept.push((read, sums));
        }
        if kept.len() > 4 || rng.u8(0..6) == 0 && !kept.is_empty() {
            let (read, sums) = kept.swap_remove(rng.usize(0..kept.len()));
            assert_eq!(add_up(&read), sums, "an old snapshot has moved");
        }
    }
    for (read, sums) in kept {
        assert_eq!(add_up(&read), sums, "an old snapshot has moved");
    }
}

fn run(db: &Database, seed: u64) {
    println!("seed {seed}");
    let commits = std::env::var("GRAPH_CONCURRENCY_COMMITS")
        .map_or(250, |commits| commits.parse().expect("a number"));
    let mut txn = db.write().unwrap();
    assert_eq!(txn.create_node(["Totals"], NO_PROPERTIES).unwrap(), TOTALS);
    assert_eq!(txn.create_node(["Odd"], NO_PROPERTIES).unwrap(), ODD);
    txn.commit().unwrap();
    let (done, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    /// Whoever panics must not leave the others running.
    struct Ends<'a>(&'a AtomicBool);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let (done, reads) = (&done, &reads);
            scope.spawn(move || {
                let _ends_if_it_panics = Ends(done);
                read_on(db, seed + reader, done, reads);
            });
        }
        let declarer = scope.spawn(|| {
            let _ends_if_it_panics = Ends(&done);
            declare(db, &done)
        });
        let ends = Ends(&done);
        let mut rng = Rng::with_seed(seed);
        let mut known = Known::default();
        for commit in 0..commits {
            if done.load(Ordering::Acquire) {
                break;
            }
            known.commit(db, &mut rng);
            if commit % 100 == 50 {
                db.flush().unwrap();
            }
        }
        // On a machine that is busy, the readers have come to nothing yet.
        while reads.load(Ordering::Relaxed) < READERS * 2 && !done.load(Ordering::Acquire) {
            known.commit(db, &mut rng);
        }
        drop(ends);
        let rounds = declarer.join().unwrap();
        println!(
            "{} reads, {rounds} rounds of declarations",
            reads.load(Ordering::Relaxed)
        );
    });
    add_up(&db.read().unwrap());
}

#[test]
fn snapshots_in_memory_add_up_while_others_write() {
    run(&Database::in_memory().unwrap(), 1);
}

#[test]
fn snapshots_on_disk_add_up_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::builder()
        .create_if_missing(true)
        .write_buffer_bytes(64 << 10)
        .durability(Durability::Periodic(Duration::from_secs(1)))
        .open(folder.path().join("db"))
        .unwrap();
    run(&db, 2);
}
