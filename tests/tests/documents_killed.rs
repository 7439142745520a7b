//! A process that puts documents into a database is killed again and again: each document is there as it was before
//! or as it was to be, and no model is paid twice.

use stratigraph_tests::documents::hand::Reader;
use stratigraph_tests::documents::killed::Killed;
use stratigraph_tests::documents::taken::Taken;

const PROGRAM: &str = env!("CARGO_BIN_EXE_law");

#[test]
fn each_document_is_as_it_was_or_as_it_was_to_be() {
    let mut killed = Killed::new(PROGRAM.into());
    // Profiles with all layers come first.
    for seed in 3..5 {
        for reader in Reader::ALL {
            if let Err(error) = killed.run(seed, reader) {
                panic!("seed {seed}: {error:?}");
            }
        }
    }
    assert!(killed.kills > 0, "nobody was killed");
}

#[test]
fn who_is_killed_while_it_takes_documents_in_goes_on_and_asks_nothing_twice() {
    let mut taken = Taken::new(PROGRAM.into());
    for seed in 3..5 {
        for reader in Reader::ALL {
            if let Err(error) = taken.run(seed, reader) {
                panic!("seed {seed}: {error:?}");
            }
        }
    }
    assert!(taken.kills > 4 && taken.asked > 20, "{taken:?}");
}
