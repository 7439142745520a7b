//! Writers: each has things of its own, and brings one of them to its next version, or takes it away.

use super::content::{Item, SLOTS};
use super::world::{Counts, Next, World, bring, count};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use stratigraph_client::{Client, Error, Query, Summary};

/// How one change is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Statement,
    /// Several statements in one transaction: none of them may be seen without the others.
    Transaction,
    /// A transaction that is taken back: nothing of it may ever be seen.
    TakenBack,
}

impl Way {
    /// What is counted once it was answered: only what is committed was acknowledged.
    fn counter(self, counts: &Counts) -> &AtomicU64 {
        match self {
            Way::Statement | Way::Transaction => &counts.writes,
            Way::TakenBack => &counts.taken_back,
        }
    }
}

const CREATE: &str = "MERGE (s:Shelf {writer: $writer})
CREATE (i:Item {writer: $writer, slot: $slot, version: $version, text: $text, number: $number, embedding: $embedding})-[:ON]->(s)";
const CHANGE: &str = "MATCH (i:Item {writer: $writer, slot: $slot})
SET i.version = $version, i.text = $text, i.number = $number, i.embedding = $embedding";
const CHANGE_FIRST: &str =
    "MATCH (i:Item {writer: $writer, slot: $slot}) SET i.text = $text, i.embedding = $embedding";
const CHANGE_THEN: &str =
    "MATCH (i:Item {writer: $writer, slot: $slot}) SET i.version = $version, i.number = $number";
const DELETE: &str = "MATCH (i:Item {writer: $writer, slot: $slot}) DETACH DELETE i";

/// Writes until the server is gone.
pub(super) async fn run(world: Arc<World>, client: Client, writer: usize, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        let slot = random.usize(..SLOTS);
        let way = match random.u8(..20) {
            0 => Way::TakenBack,
            1..=8 => Way::Transaction,
            _ => Way::Statement,
        };
        let (was_there, version) = {
            let history = &mut world.items(writer)[slot];
            (history.settled().is_some(), history.next_version())
        };
        let item = Item {
            writer,
            slot,
            version,
        };
        let statements: &[&str] = match (was_there, random.u8(..10)) {
            (false, _) => &[CREATE],
            (true, 0..3) => &[DELETE],
            (true, _) if way == Way::Statement => &[CHANGE],
            (true, _) => &[CHANGE_FIRST, CHANGE_THEN],
        };
        let state = (statements != [DELETE]).then_some(version);
        let call = make(&world, &client, way, item, statements);
        let done = match way {
            Way::TakenBack => call.await,
            _ => bring(|| world.items(writer), slot, state, call).await,
        };
        match done {
            Ok(()) => count(way.counter(&world.counts)),
            Err(error) if world.after("writer", &error).await == Next::End => return,
            Err(_) => {}
        }
    }
}

async fn make(
    world: &World,
    client: &Client,
    way: Way,
    item: Item,
    statements: &[&str],
) -> Result<(), Error> {
    if way == Way::Statement {
        let done = with(client.query(statements.concat()), item).run().await?;
        expect_one(world, item, &done);
        return Ok(());
    }
    let transaction = client.transaction().begin_write().await?;
    for statement in statements {
        let done = with(transaction.query(*statement), item).run().await?;
        expect_one(world, item, &done);
    }
    match way {
        Way::TakenBack => transaction.rollback().await,
        _ => transaction.commit().await.map(drop),
    }
}

fn with(query: Query, item: Item) -> Query {
    query
        .param("writer", item.writer)
        .param("slot", item.slot)
        .param("version", item.version)
        .param("text", item.text())
        .param("number", item.number())
        .param("embedding", item.vector())
}

/// Each statement is about one thing, which is there if the acknowledgements are true.
fn expect_one(world: &World, item: Item, done: &Summary) {
    let made = done.counters;
    let touched = made.properties_set + made.nodes_deleted;
    if touched == 0 || made.nodes_deleted > 1 {
        world.wrong_row(format!(
            "writer: a statement about {item:?} changed {made:?}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_back_is_not_acknowledged() {
        let counts = Counts::default();
        for way in [Way::Statement, Way::Transaction, Way::TakenBack] {
            count(way.counter(&counts));
        }
        let Counts {
            writes, taken_back, ..
        } = counts;
        assert_eq!((writes.into_inner(), taken_back.into_inner()), (2, 1));
    }
}
