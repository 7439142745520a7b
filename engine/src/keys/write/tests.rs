//! Tests of what the layers above ask of a [`KeyWriteTxn`]: room, to stop, and what it has read.

use super::*;
use crate::database::Database;

const F: Family = Family::Nodes;

#[test]
fn below_a_savepoint_changes_need_room_for_the_way_back_as_well() {
    let db = Database::builder()
        .transaction_bytes(10_000)
        .in_memory()
        .unwrap();
    let mut txn = db.key_write().unwrap();
    txn.ensure_room(8_000).unwrap();
    let savepoint = txn.savepoint();
    let refused = txn.ensure_room(8_000).unwrap_err();
    assert!(
        matches!(refused, Error::TransactionTooLarge { bytes: 16_000, .. }),
        "{refused}"
    );
    txn.ensure_room(5_000).unwrap();
    txn.release(savepoint).unwrap();
    txn.ensure_room(8_000).unwrap();
}

#[test]
fn one_that_goes_on_is_stopped_by_its_new_token() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.key_write().unwrap();
    txn.put(F, b"key", b"value").unwrap();
    let token = CancelToken::new();
    txn.stop_by(token.clone());
    txn.put(F, b"key", b"another").unwrap();
    token.cancel();
    for refused in [txn.put(F, b"key", b"a third"), txn.ensure_room(0)] {
        assert!(matches!(refused, Err(Error::Cancelled)), "{refused:?}");
    }
    assert!(matches!(txn.get(F, b"key"), Err(Error::Cancelled)));
    assert!(matches!(txn.commit(), Err(Error::Cancelled)));
}

#[test]
fn what_is_read_from_the_store_is_counted() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.key_write().unwrap();
    txn.put(F, b"key", &[7; 1_000]).unwrap();
    txn.commit().unwrap();
    let txn = db.key_write().unwrap();
    assert_eq!(txn.read_bytes(), 0);
    assert!(txn.get(F, b"key").unwrap().is_some());
    let once = txn.read_bytes();
    assert!((1_000..1_100).contains(&once), "{once}");
    txn.get(F, b"key").unwrap();
    assert_eq!(txn.read_bytes(), 2 * once);
}
