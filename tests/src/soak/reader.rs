//! Readers: whatever they are given must have been so at some moment between their question and the answer.

use super::content::{Item, NUMBERS, SLOTS};
use super::world::{Moments, Next, WRITERS, World, count};
use serde::Deserialize;
use std::sync::Arc;
use stratigraph_client::value::Vector;
use stratigraph_client::{Client, Error, Hit, TextQuery, VectorQuery};

/// A thing as a row has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Row {
    pub(super) writer: usize,
    pub(super) slot: usize,
    version: u64,
    text: String,
    number: i64,
    embedding: Vector,
}

const OF_SLOT: &str = "MATCH (i:Item {writer: $writer, slot: $slot}) RETURN ";
const OF_SHELF: &str = "MATCH (:Shelf {writer: $writer})<-[:ON]-(i) RETURN ";
const OF_NUMBER: &str = "MATCH (i:Item) WHERE i.number = $number RETURN ";
pub(super) const OF_WRITER: &str = "MATCH (i:Item {writer: $writer}) RETURN ";
pub(super) const COLUMNS: &str = "i.writer AS writer, i.slot AS slot, i.version AS version, i.text AS text, i.number AS number, i.embedding AS embedding";

/// Reads until the server is gone.
pub(super) async fn run(world: Arc<World>, client: Client, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        let about = (random.usize(..WRITERS), random.usize(..SLOTS));
        let done = match random.u8(..10) {
            0..3 => slot(&world, &client, about).await,
            3 => shelf(&world, &client, about.0).await,
            4 => number(&world, &client, random.u64(..NUMBERS) as i64).await,
            5..8 => near(&world, &client, about, random.bool()).await,
            _ => word(&world, &client, about).await,
        };
        match done {
            Ok(()) => {}
            Err(error) if world.after("reader", &error).await == Next::End => return,
            Err(_) => {}
        }
    }
}

impl Row {
    /// Which version it is; none if it does not fit together.
    pub(super) fn whole(&self) -> Option<Item> {
        let item = Item {
            writer: self.writer,
            slot: self.slot,
            version: self.version,
        };
        item.is(&self.text, self.number, &self.embedding.0)
            .then_some(item)
    }
}

/// Judges rows, and that none is missing of those that were to be there.
fn judge(
    world: &World,
    how: &str,
    since: &Moments,
    rows: &[Row],
    is_wanted: impl Fn(Item) -> bool,
) {
    for row in rows {
        match row.whole() {
            Some(item) => world.judge(how, since, item),
            None => world.wrong_row(format!("{how}: what does not belong together: {row:?}")),
        }
    }
    for (writer, slots) in since.iter().enumerate() {
        let histories = world.items(writer);
        for (slot, (history, since)) in histories.iter().zip(slots).enumerate() {
            let Some(version) = history.settled().filter(|_| history.is_at_rest(*since)) else {
                continue;
            };
            let item = Item {
                writer,
                slot,
                version,
            };
            let times = rows
                .iter()
                .filter(|row| row.writer == writer && row.slot == slot);
            if is_wanted(item) && times.count() != 1 {
                world.wrong_row(format!("{how}: {item:?} is not there once"));
            }
        }
    }
}

async fn slot(world: &World, client: &Client, (writer, slot): (usize, usize)) -> Result<(), Error> {
    let since = world.now();
    let query = client.query([OF_SLOT, COLUMNS].concat()).read_only();
    let rows: Vec<Row> = query
        .param("writer", writer)
        .param("slot", slot)
        .all()
        .await?;
    count(&world.counts.reads);
    judge(world, "by its slot", &since, &rows, |item| {
        (item.writer, item.slot) == (writer, slot)
    });
    Ok(())
}

async fn shelf(world: &World, client: &Client, writer: usize) -> Result<(), Error> {
    let since = world.now();
    let query = client.query([OF_SHELF, COLUMNS].concat()).read_only();
    let rows: Vec<Row> = query.param("writer", writer).all().await?;
    count(&world.counts.reads);
    judge(world, "by its shelf", &since, &rows, |item| {
        item.writer == writer
    });
    Ok(())
}

async fn number(world: &World, client: &Client, number: i64) -> Result<(), Error> {
    let since = world.now();
    let query = client.query([OF_NUMBER, COLUMNS].concat()).read_only();
    let rows: Vec<Row> = query.param("number", number).all().await?;
    count(&world.counts.reads);
    judge(world, "by its number", &since, &rows, |item| {
        item.number() == number
    });
    Ok(())
}

/// What is nearest to the vector of a thing. An exact search must find that itself.
async fn near(
    world: &World,
    client: &Client,
    about: (usize, usize),
    exact: bool,
) -> Result<(), Error> {
    let since = world.now();
    let Some(item) = there(world, about) else {
        return Ok(());
    };
    let query = VectorQuery::new("meaning", item.vector().0, 5);
    let query = if exact { query.exact() } else { query };
    let answer = client
        .search()
        .returning(["writer", "slot", "version"])
        .vectors(query)
        .await?;
    count(&world.counts.searches);
    let found = judge_hits(world, "by its vector", &since, &answer.hits);
    if !is_at_rest(world, &since, about) || found.first() == Some(&item) {
        return Ok(());
    }
    if exact {
        world.wrong_row(format!(
            "by its vector: {item:?} is not found exactly, but {found:?}"
        ));
    } else {
        count(&world.counts.missed);
    }
    Ok(())
}

/// What has a word that only this version of a thing has.
async fn word(world: &World, client: &Client, about: (usize, usize)) -> Result<(), Error> {
    let since = world.now();
    let Some(item) = there(world, about) else {
        return Ok(());
    };
    let answer = client
        .search()
        .returning(["writer", "slot", "version"])
        .text(TextQuery::new("words", item.word(), 3))
        .await?;
    count(&world.counts.searches);
    let found = judge_hits(world, "by its word", &since, &answer.hits);
    if is_at_rest(world, &since, about) && found != [item] {
        world.wrong_row(format!(
            "by its word: {item:?} is wanted, and found is {found:?}"
        ));
    }
    Ok(())
}

fn judge_hits(world: &World, how: &str, since: &Moments, hits: &[Hit]) -> Vec<Item> {
    let number = |hit: &Hit, name: &str| {
        let value = hit.properties.get(name)?;
        value.get::<u64>().ok()
    };
    let mut items = Vec::new();
    for hit in hits {
        let parts = (
            number(hit, "writer"),
            number(hit, "slot"),
            number(hit, "version"),
        );
        let (Some(writer), Some(slot), Some(version)) = parts else {
            world.wrong_row(format!("{how}: a hit that is nothing: {hit:?}"));
            continue;
        };
        let (writer, slot) = (writer as usize, slot as usize);
        let item = Item {
            writer,
            slot,
            version,
        };
        world.judge(how, since, item);
        items.push(item);
    }
    items
}

/// A thing as it was acknowledged, if it is there.
fn there(world: &World, (writer, slot): (usize, usize)) -> Option<Item> {
    let version = world.items(writer)[slot].settled()?;
    Some(Item {
        writer,
        slot,
        version,
    })
}

fn is_at_rest(world: &World, since: &Moments, (writer, slot): (usize, usize)) -> bool {
    world.items(writer)[slot].is_at_rest(since[writer][slot])
}
