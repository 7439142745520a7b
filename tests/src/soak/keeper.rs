//! Whoever keeps the server: backups, changes of the schema, checks, and a look at its numbers, all under load.

use super::world::{Backup, Next, World, count, lock};
use std::sync::Arc;
use std::time::Duration;
use stratigraph_client::{Client, Error};

/// What is there from the beginning.
pub(super) const SCHEMA: [&str; 5] = [
    "CREATE INDEX slots IF NOT EXISTS FOR (i:Item) ON (i.writer, i.slot)",
    "CREATE INDEX shelves IF NOT EXISTS FOR (s:Shelf) ON (s.writer)",
    "CREATE INDEX ids IF NOT EXISTS FOR (d:Document) ON (d.id)",
    "CREATE VECTOR INDEX meaning IF NOT EXISTS FOR (i:Item) ON i.embedding OPTIONS {indexConfig: {`vector.dimensions`: 32}}",
    "CREATE FULLTEXT INDEX words IF NOT EXISTS FOR (i:Item) ON EACH [i.text]",
];
/// What comes and goes while others read and write.
const CHANGES: [&str; 8] = [
    "CREATE INDEX numbers IF NOT EXISTS FOR (i:Item) ON (i.number)",
    "CREATE CONSTRAINT own_texts IF NOT EXISTS FOR (i:Item) REQUIRE i.text IS UNIQUE",
    "CREATE VECTOR INDEX meaning_again IF NOT EXISTS FOR (i:Item) ON i.embedding OPTIONS {indexConfig: {`vector.dimensions`: 32}}",
    "CREATE FULLTEXT INDEX words_again IF NOT EXISTS FOR (i:Item) ON EACH [i.text]",
    "DROP INDEX numbers IF EXISTS",
    "DROP CONSTRAINT own_texts IF EXISTS",
    "DROP INDEX meaning_again IF EXISTS",
    "DROP INDEX words_again IF EXISTS",
];

/// Goes on until the server is gone.
pub(super) async fn run(world: Arc<World>, client: Client, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        tokio::time::sleep(Duration::from_millis(random.u64(100..1500))).await;
        let done = match random.u8(..10) {
            0..2 => back_up(&world, &client).await,
            2 => check(&world, &client).await,
            3 => client.admin().statistics().await.map(drop),
            4 => client.admin().compact(|_| ()).await.map(drop),
            _ => {
                let change = CHANGES[random.usize(..CHANGES.len())];
                let done = client.query(change).run().await;
                done.map(|_| count(&world.counts.schema_changes))
            }
        };
        match done {
            Ok(()) => {}
            Err(error) if world.after("keeper", &error).await == Next::End => return,
            Err(_) => {}
        }
    }
}

async fn back_up(world: &World, client: &Client) -> Result<(), Error> {
    let since = world.now();
    let number = client.admin().backup(|_| ()).await?.number;
    let until = world.end();
    *lock(&world.backup) = Some(Backup {
        number,
        since,
        until,
    });
    count(&world.counts.backups);
    Ok(())
}

/// The server's own check, beside everything else.
async fn check(world: &World, client: &Client) -> Result<(), Error> {
    let report = client.admin().check(|_| ()).await?;
    for finding in &report.findings {
        world.index_difference(format!("{}: {}", finding.place, finding.what));
    }
    Ok(())
}
