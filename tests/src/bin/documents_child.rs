//! The process that puts documents into a database and that is killed while it does.
//!
//! ```text
//! documents_child DIR SEED COUNT FROM
//!
//! begins N     step N begins
//! paid HASH    a model was asked, and its reply is safe
//! made N       step N is committed
//! ```

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use stratigraph::Database;
use stratigraph_tests::documents::hand::Hand;
use stratigraph_tests::documents::program::{profile, steps};

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [dir, seed, count, from] = words.as_slice() else {
        bail!("documents_child DIR SEED COUNT FROM");
    };
    let (seed, from): (u64, usize) = (seed.parse()?, from.parse()?);
    let builder = Database::builder().disk_reserve_bytes(0);
    let db = builder.create_if_missing(true).open(Path::new(dir))?;
    let mut hand = Hand::at(&db, profile(seed))?;
    hand.tell = Some(|asked| say(&format!("paid {asked:016x}")));
    for (number, step) in steps(seed, count.parse()?).iter().enumerate().skip(from) {
        say(&format!("begins {number}"))?;
        hand.make(step)?;
        say(&format!("made {number}"))?;
    }
    Ok(())
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
