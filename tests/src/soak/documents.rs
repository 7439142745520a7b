//! Documents: one task puts them in and takes them out again, another reads them. No reader may see a part of one, or
//! parts of two versions.

use super::content::{chapters, document, document_word, of_document};
use super::history::Wrong;
use super::world::{DOCUMENTS, Next, World, bring, count};
use serde::Deserialize;
use std::sync::Arc;
use stratigraph_client::{Client, Document, Error, Layers};

/// The presets that find chunks without a model.
const PRESETS: [&str; 3] = ["vector", "bag", "strata"];
const READ: &str = "MATCH (d:Document {id: $id})
OPTIONAL MATCH (d)-[:HAS_CHILD*1..4]->(c:Chunk)
RETURN d.title AS title, c.text AS text";

/// A chunk of a document as a row has it.
#[derive(Debug, Deserialize)]
struct Row {
    title: String,
    text: Option<String>,
}

/// Puts documents in and takes them out, until the server is gone.
pub(super) async fn write(world: Arc<World>, client: Client, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        let number = random.usize(..DOCUMENTS);
        let (was_there, version) = {
            let history = &mut world.documents()[number];
            (history.settled().is_some(), history.next_version())
        };
        let done = if was_there && random.u8(..4) == 0 {
            bring(
                || world.documents(),
                number,
                None,
                take_out(&client, number),
            )
            .await
        } else {
            let call = put_in(&client, number, version);
            bring(|| world.documents(), number, Some(version), call).await
        };
        match done {
            Ok(()) => count(&world.counts.documents),
            Err(error) if world.after("documents", &error).await == Next::End => return,
            Err(_) => {}
        }
        tokio::time::sleep(std::time::Duration::from_millis(random.u64(..300))).await;
    }
}

async fn put_in(client: &Client, number: usize, version: u64) -> Result<(), Error> {
    let layers = Layers::new("bag");
    let mut upserts = client.rag().upsert().layers(layers).start();
    upserts
        .send(Document::new(id(number), document(number, version)))
        .await?;
    upserts.finish().await.map(drop)
}

async fn take_out(client: &Client, number: usize) -> Result<(), Error> {
    client.rag().delete([id(number)]).await.map(drop)
}

fn id(number: usize) -> String {
    format!("{number}.md")
}

/// Reads and retrieves, until the server is gone.
pub(super) async fn read(world: Arc<World>, client: Client, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        let number = random.usize(..DOCUMENTS);
        let preset = PRESETS[random.usize(..PRESETS.len())];
        let done = match random.bool() {
            true => whole(&world, &client, number).await,
            false => retrieve(&world, &client, preset, number).await,
        };
        match done {
            Ok(()) => {}
            Err(error) if world.after("reader of documents", &error).await == Next::End => return,
            Err(_) => {}
        }
    }
}

/// A document, all of it and nothing else.
async fn whole(world: &World, client: &Client, number: usize) -> Result<(), Error> {
    let since = world.documents_now()[number];
    let version = match version_of(client, number).await? {
        Ok(version) => version,
        Err(wrong) => {
            world.wrong_row(wrong);
            return Ok(());
        }
    };
    count(&world.counts.reads);
    let judged = world.documents()[number].judge(since, version);
    world.note(judged, || {
        format!("document {number} was seen as {version:?}")
    });
    Ok(())
}

/// Which version of a document is there; what is wrong with it if it is not all of one.
pub(super) async fn version_of(
    client: &Client,
    number: usize,
) -> Result<Result<Option<u64>, String>, Error> {
    let query = client.query(READ).read_only().param("id", id(number));
    let rows: Vec<Row> = query.all().await?;
    let Some(first) = rows.first() else {
        return Ok(Ok(None));
    };
    let Some((_, version)) = of_document(&first.title) else {
        return Ok(Err(format!(
            "document {number} has the title {:?}",
            first.title
        )));
    };
    let word = document_word(number, version);
    let texts: Vec<&str> = rows.iter().filter_map(|row| row.text.as_deref()).collect();
    let is_of_it = |text: &&str| of_document(text) == Some((number, version));
    let all = texts.concat();
    let is_whole = (1..=chapters(number, version)).all(|chapter| {
        all.matches(&format!("In chapter {chapter} of {word} "))
            .count()
            == 1
    });
    let titled = rows.iter().all(|row| row.title == word);
    Ok(if titled && is_whole && texts.iter().all(is_of_it) {
        Ok(Some(version))
    } else {
        Err(format!(
            "document {number} is not all of one version: {rows:?}"
        ))
    })
}

/// What is found must be of versions that were there.
async fn retrieve(
    world: &World,
    client: &Client,
    preset: &str,
    number: usize,
) -> Result<(), Error> {
    let since = world.documents_now();
    // Before the first is there, there are no layers to ask.
    let Some(version) = world.documents()[number].settled() else {
        return Ok(());
    };
    let about = document_word(number, version);
    let question = format!("What is burnt in chapter 1 of {about}?");
    let retrieved = client.rag().retrieve(preset, question).run().await?;
    count(&world.counts.searches);
    for found in &retrieved.found {
        // Names that chunks share are of no document.
        let Some((number, version)) = of_document(&found.text) else {
            continue;
        };
        let judged = match since.get(number) {
            Some(since) => world.documents()[number].judge(*since, Some(version)),
            None => Err(Wrong::Never),
        };
        world.note(judged, || format!("{preset} gave {:?}", found.text));
    }
    Ok(())
}
