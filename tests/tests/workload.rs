//! The workload on a healthy database: the oracle agrees after every batch, and tells one batch from
//! another.

use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Direction, NodeId, Read};
use stratigraph_tests::workload::{
    BatchNumber, Found, Hand, Model, Verdict, Workload, Writer, judge, verify,
};

/// Every writer's batches one after another, on one database; compares `every` so many.
fn run(seed: u64, batches: u64, every: u64) -> (Database, Workload) {
    let workload = Workload::new(seed);
    let db = Database::in_memory().unwrap();
    let take_up = |writer| Hand::take_up(&db, workload, Writer(writer), BatchNumber(0)).unwrap();
    let mut hands: Vec<Hand> = (0..3).map(take_up).collect();
    let mut models: Vec<Model> = (0..3)
        .map(|writer| Model::new(workload, Writer(writer)))
        .collect();
    for batch in (1..=batches).map(BatchNumber) {
        for (hand, model) in hands.iter_mut().zip(&mut models) {
            hand.commit(&db)
                .unwrap_or_else(|error| panic!("seed {seed}, batch {batch}: {error:#}"));
            model.advance();
            // Whoever takes the writer up afterwards must come to the same.
            if batch.0 % 7 == 3 {
                *hand = Hand::take_up(&db, workload, model.writer(), batch).unwrap();
            }
            // Asking everything takes much longer than a batch.
            if batch.0 % every != 0 && batch.0 != batches {
                continue;
            }
            let verdict = verify(&db, model, batch.next()).unwrap();
            let writer = model.writer();
            let words = |verdict: &Verdict| match verdict {
                Verdict::Torn(_, differences) => {
                    let differences = differences.iter().take(5);
                    differences.map(|of| format!("\n{of}")).collect()
                }
                other => format!("{other:?}"),
            };
            assert!(
                verdict == Verdict::Exact(batch),
                "seed {seed}, {writer}, batch {batch}: {}",
                words(&verdict)
            );
        }
    }
    let report = db.check(&mut Watch::quiet()).unwrap();
    assert!(report.is_clean(), "seed {seed}: {report:?}");
    (db, workload)
}

#[test]
fn the_oracle_agrees_after_every_batch() {
    run(0, 40, 1);
    for seed in 1..4 {
        run(seed, 130, 13);
    }
}

#[test]
fn what_was_lost_or_torn_is_told() {
    let (db, workload) = run(7, 30, 30);
    for writer in [Writer(0), Writer(1)] {
        let found = Found::read(&db, workload, writer).unwrap();
        let at = |batch| Model::at(workload, writer, BatchNumber(batch));
        let exact = Verdict::Exact(BatchNumber(30));
        assert_eq!(judge(&found, &at(29), BatchNumber(30)), exact);
        assert_eq!(judge(&found, &at(30), BatchNumber(31)), exact);
        let lost = judge(&found, &at(33), BatchNumber(34));
        assert_eq!(lost, Verdict::Lost(BatchNumber(30)));
        // A later state than any that was attempted fits none.
        let torn = judge(&found, &at(27), BatchNumber(29));
        assert!(matches!(torn, Verdict::Torn(..)), "{torn:?}");
    }
}

#[test]
fn a_change_behind_the_oracles_back_is_told() {
    let (db, workload) = run(8, 40, 40);
    let model = Model::at(workload, Writer(0), BatchNumber(40));
    let torn_by = |what: &str, change: &dyn Fn(&mut stratigraph::WriteTxn)| {
        // Each on a database of its own.
        let (db, _) = run(8, 40, 40);
        let mut txn = db.write().unwrap();
        change(&mut txn);
        txn.commit().unwrap();
        let verdict = verify(&db, &model, BatchNumber(41)).unwrap();
        assert!(matches!(verdict, Verdict::Torn(..)), "{what}: {verdict:?}");
    };
    let read = db.read().unwrap();
    let node = NodeId::new(read.nodes_with_label("W0").unwrap().max().unwrap());
    let near = NodeId::new(read.nodes_with_label("W0").unwrap().min().unwrap());
    let neighbours = read.neighbours(near, Direction::Outgoing, None).unwrap();
    let link = neighbours.map(Result::unwrap).last().unwrap().relationship;
    torn_by("a property", &|txn| {
        txn.set_property(node, "flags", "none").unwrap();
    });
    torn_by("a label", &|txn| {
        txn.add_label(node, "Stranger").unwrap();
    });
    torn_by("a relationship less", &|txn| {
        txn.delete_relationship(link).unwrap();
    });
    torn_by("a relationship more", &|txn| {
        txn.create_relationship(near, "STRANGE", near, stratigraph::NO_PROPERTIES)
            .unwrap();
    });
    torn_by("a node more", &|txn| {
        txn.create_node(["W0"], [("key", -1)]).unwrap();
    });
    torn_by("a node less", &|txn| {
        txn.detach_delete_node(node).unwrap();
    });
}
