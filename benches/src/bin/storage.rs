//! `storage`: the storage floor beside raw RocksDB; see [`stratigraph_bench::storage`].

use clap::Parser;
use stratigraph_bench::storage::{self, Arguments};

fn main() -> anyhow::Result<()> {
    storage::run(&Arguments::parse())
}
