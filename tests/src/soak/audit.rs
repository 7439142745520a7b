//! What is there after a kill: everything that was acknowledged, and nothing in part.

use super::content::{Item, SLOTS};
use super::documents::version_of;
use super::history::State;
use super::keeper::SCHEMA;
use super::reader::{COLUMNS, OF_WRITER, Row};
use super::world::{Backup, DOCUMENTS, WRITERS, World, lock};
use crate::driver::indexes::differences;
use anyhow::{Context, Result};
use std::fmt::Debug;
use std::path::Path;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Node, Read, Value, restore};
use stratigraph_client::Client;

/// How the things on a shelf are counted: by its degree.
const ON_SHELF: &str = "MATCH (s:Shelf {writer: $writer}) RETURN COUNT { (s)<-[:ON]-() } AS n";

/// Declares the schema if it is not there, and compares all rows with what is known. From then on what is there is what
/// is known.
pub(super) async fn compare(world: &World, client: &Client) -> Result<()> {
    for statement in SCHEMA {
        client.query(statement).run().await?;
    }
    for writer in 0..WRITERS {
        let query = client.query([OF_WRITER, COLUMNS].concat()).read_only();
        let rows: Vec<Row> = query.param("writer", writer).all().await?;
        let mut seen = nothing();
        for row in &rows {
            note(world, "after a kill", &mut seen, row.whole(), row);
        }
        let seen = seen.swap_remove(writer);
        let count = seen.iter().flatten().count() as u64;
        for (slot, seen) in seen.into_iter().enumerate() {
            let judged = world.items(writer)[slot].settle(seen);
            world.note(judged, || {
                format!("after a kill: slot {slot} of writer {writer} is {seen:?}")
            });
        }
        let query = client.query(ON_SHELF).param("writer", writer).read_only();
        let on_shelf: Option<(u64,)> = query.optional().await?;
        let on_shelf = on_shelf.map_or(0, |(count,)| count);
        if on_shelf != count {
            world.wrong_row(format!(
                "after a kill: {on_shelf} things on the shelf of writer {writer}, which has {count}"
            ));
        }
    }
    for number in 0..DOCUMENTS {
        match version_of(client, number).await? {
            Ok(version) => {
                let judged = world.documents()[number].settle(version);
                world.note(judged, || {
                    format!("after a kill: document {number} is {version:?}")
                });
            }
            Err(wrong) => world.wrong_row(format!("after a kill: {wrong}")),
        }
    }
    Ok(())
}

/// Opens the database without a server, and holds its indexes against what is stored.
pub(super) fn examine(world: &World, dir: &Path) -> Result<()> {
    let db = Database::open(dir).context("cannot open the database after a kill")?;
    for finding in db.check(&mut Watch::quiet())?.findings {
        world.index_difference(format!("{}: {}", finding.place, finding.what));
    }
    for difference in differences(&db)? {
        world.index_difference(difference);
    }
    db.close().context("cannot close it again")
}

/// Restores the backup that was made last: it must be of some moment while it was made.
pub(super) fn restore_last(world: &World, backups: &Path, into: &Path) -> Result<bool> {
    let Some(backup) = lock(&world.backup).take() else {
        return Ok(false);
    };
    let mut watch = Watch::quiet();
    restore(backups, Some(backup.number), into, &mut watch)?;
    let db = Database::open(into).context("cannot open what was restored")?;
    let read = db.read()?;
    let mut seen = nothing();
    for id in read.nodes_with_label("Item")? {
        let node = read
            .node(stratigraph::NodeId::new(id))?
            .context("a label without a node")?;
        note(world, "in a backup", &mut seen, whole(&node), &node);
    }
    judge_backup(world, &backup, &seen);
    drop(read);
    db.close().context("cannot close what was restored")?;
    std::fs::remove_dir_all(into).context("cannot remove what was restored")?;
    Ok(true)
}

/// The versions that are there, by writer and slot.
type Seen = Vec<[State; SLOTS]>;

fn nothing() -> Seen {
    vec![[None; SLOTS]; WRITERS]
}

/// Notes what is stored as one thing; each is there once, and all of it.
fn note(world: &World, when: &str, seen: &mut Seen, item: Option<Item>, stored: &impl Debug) {
    let place = item.and_then(|item| {
        let place = seen.get_mut(item.writer)?.get_mut(item.slot)?;
        Some((place, item.version))
    });
    match place {
        Some((place @ None, version)) => *place = Some(version),
        _ => world.wrong_row(format!("{when}: {stored:?} is in part, or there twice")),
    }
}

fn judge_backup(world: &World, backup: &Backup, seen: &Seen) {
    for (writer, slots) in seen.iter().enumerate() {
        for (slot, seen) in slots.iter().enumerate() {
            let (since, until) = (backup.since[writer][slot], backup.until[writer][slot]);
            let judged = world.items(writer)[slot].judge_until(since, until, *seen);
            world.note(judged, || {
                format!("in a backup: slot {slot} of writer {writer} is {seen:?}")
            });
        }
    }
}

/// A stored thing, if it belongs together.
fn whole(node: &Node) -> Option<Item> {
    let number = |name| node.get(name).and_then(Value::as_int);
    let item = Item {
        writer: usize::try_from(number("writer")?).ok()?,
        slot: usize::try_from(number("slot")?).ok()?,
        version: u64::try_from(number("version")?).ok()?,
    };
    let Some(Value::Vector(vector)) = node.get("embedding") else {
        return None;
    };
    let text = node.get("text").and_then(Value::as_str)?;
    item.is(text, number("number")?, vector.as_slice())
        .then_some(item)
}
