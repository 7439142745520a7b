//! A server that is killed while clients write: what it has acknowledged is there when it is back, and nothing is there
//! in part.
//!
//! ```text
//! serve ──> compare with what was acknowledged ──> writers ask without a rest ──> SIGKILL ──> serve ...
//! ```
//! A writer numbers its transactions and begins the next when the last is acknowledged, so of each writer one at most
//! may be there that nobody was told of. Half of them are single statements, the others transactions of several calls.
//! In the end the database is opened without a server and checked.

use super::clients::{Client, channel, drain, statement};
use super::{Found, RunArgs};
use crate::serving::{PATIENCE, PATIENT_SETTINGS, Served};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use stratigraph::Database;
use stratigraph::storage::cancel::Watch;
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use stratigraph_proto::v1::transaction_service_client::TransactionServiceClient;
use stratigraph_proto::v1::value::Kind;
use stratigraph_proto::v1::{
    BeginTransactionRequest, CommitTransactionRequest, QueryRequest, RunInTransactionRequest,
    TransactionMode, Value, query_response::Part, run_in_transaction_response,
};
use tokio::task::JoinSet;
use tonic::Status;
use tonic::transport::Channel;

const WRITERS: usize = 6;
/// How many nodes a transaction makes. Their number is what shows that it is whole.
const PARTS: i64 = 7;
/// The server is killed when so many transactions were acknowledged since it was back, or fewer.
const MOST_ACKNOWLEDGED: u64 = 60;

/// Some of the nodes of a transaction, each with a relationship to the one that they all belong to.
const WRITE: &str = "MERGE (of:Whole {writer: $writer, number: $number}) WITH of
UNWIND range($first, $last) AS part CREATE (of)-[:HAS]->(:Part {writer: $writer, number: $number, part: part})";
const INDEXES: [&str; 2] = [
    "CREATE INDEX wholes IF NOT EXISTS FOR (n:Whole) ON (n.writer, n.number)",
    "CREATE INDEX parts IF NOT EXISTS FOR (n:Part) ON (n.writer)",
];
/// What is there of each transaction, by the index and by the relationships.
const FOUND: &str = "MATCH (of:Whole {writer: $writer})
RETURN of.number AS number, COUNT { (of)-[:HAS]->(:Part) } AS parts ORDER BY number";
const COUNTED: &str = "MATCH (n:Part {writer: $writer}) RETURN count(n) AS parts";

/// What is known of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Nobody has heard what became of it.
    Begun,
    /// It was acknowledged, or seen after a restart: it stays.
    Made,
    /// It was not there after a restart: it never comes.
    Gone,
}

/// The transactions of a writer, by their numbers.
type Writer = Mutex<Vec<Known>>;

/// Kills it as often as was asked for.
pub(super) async fn run(args: &RunArgs, seed: u64, folder: &Path) -> Result<Found> {
    let mut found = Found::default();
    let mut random = fastrand::Rng::with_seed(seed);
    let writers: Arc<Vec<Writer>> = Arc::new((0..WRITERS).map(|_| Writer::default()).collect());
    let (mut under_way, mut unheard) = (0, 0);
    let settings = format!("{PATIENT_SETTINGS}cache_size = \"64MiB\"\n");
    for _ in 0..args.kills {
        let server = Served::start_with(folder, &settings, args.plant.as_deref())?;
        unheard += compare(&server.address, &writers, &mut found).await?;
        under_way += write_until_killed(server, &writers, &mut random).await?;
    }
    let server = Served::start_with(folder, &settings, args.plant.as_deref())?;
    unheard += compare(&server.address, &writers, &mut found).await?;
    drop(server);
    let findings = check(&folder.join("data/default"))?;
    found.require(findings.is_empty(), || {
        format!("the check says: {}", findings.join("; "))
    });
    found.require(under_way > 0, || {
        "nothing was under way at any kill, so this proves nothing".to_owned()
    });
    let made = |writer: &Writer| {
        let known = lock(writer);
        known.iter().filter(|known| **known == Known::Made).count()
    };
    let made: usize = writers.iter().map(made).sum();
    found.figure("kills", args.kills);
    found.figure("acknowledged", made - unheard);
    found.figure("under_way", under_way);
    found.figure("unheard", unheard);
    Ok(found)
}

/// Lets all writers write, and kills the server among them. How many transactions were under way then.
async fn write_until_killed(
    server: Served,
    writers: &Arc<Vec<Writer>>,
    random: &mut fastrand::Rng,
) -> Result<usize> {
    let acknowledged = Arc::new(AtomicU64::new(0));
    let wanted = random.u64(1..=MOST_ACKNOWLEDGED);
    let mut work = JoinSet::new();
    for writer in 0..WRITERS {
        let channel = channel(&server.address).await?;
        let (writers, acknowledged) = (Arc::clone(writers), Arc::clone(&acknowledged));
        work.spawn(async move {
            loop {
                let number = {
                    let mut known = lock(&writers[writer]);
                    known.push(Known::Begun);
                    known.len() - 1
                };
                if let Err(status) = write(&channel, (writer, number)).await {
                    return status;
                }
                lock(&writers[writer])[number] = Known::Made;
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    let began = Instant::now();
    while acknowledged.load(Ordering::SeqCst) < wanted {
        if let Some(ended) = work.try_join_next() {
            bail!("a writer was refused: {}", ended?);
        }
        ensure!(
            began.elapsed() < PATIENCE,
            "nothing is acknowledged any more"
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // Anywhere within what is done next.
    tokio::time::sleep(Duration::from_micros(random.u64(0..3000))).await;
    tokio::task::block_in_place(|| drop(server));
    let mut cut = 0;
    while let Some(ended) = work.join_next().await {
        let _: Status = ended?;
        cut += 1;
    }
    Ok(cut)
}

/// One transaction, until it is acknowledged.
async fn write(channel: &Channel, (writer, number): (usize, usize)) -> Result<(), Status> {
    if number % 2 == 0 {
        let mut client = QueryServiceClient::new(channel.clone());
        let request = QueryRequest {
            statement: statement(WRITE),
            parameters: parameters((writer, number), (1, PARTS)),
            ..QueryRequest::default()
        };
        return drain(client.query(request).await?.into_inner())
            .await
            .map(drop);
    }
    let mut client = TransactionServiceClient::new(channel.clone());
    let begin = BeginTransactionRequest {
        mode: TransactionMode::Write.into(),
        ..BeginTransactionRequest::default()
    };
    let transaction_id = client
        .begin_transaction(begin)
        .await?
        .into_inner()
        .transaction_id;
    for parts in [(1, PARTS / 2), (PARTS / 2 + 1, PARTS)] {
        let request = RunInTransactionRequest {
            transaction_id: transaction_id.clone(),
            statement: statement(WRITE),
            parameters: parameters((writer, number), parts),
            ..RunInTransactionRequest::default()
        };
        let mut answer = client.run_in_transaction(request).await?.into_inner();
        let mut ended = false;
        while let Some(message) = answer.message().await? {
            ended = matches!(
                message.part,
                Some(run_in_transaction_response::Part::Summary(_))
            );
        }
        if !ended {
            return Err(Status::data_loss("an answer without an end"));
        }
    }
    let commit = CommitTransactionRequest {
        transaction_id,
        ..CommitTransactionRequest::default()
    };
    client.commit_transaction(commit).await.map(drop)
}

fn parameters(
    (writer, number): (usize, usize),
    (first, last): (i64, i64),
) -> BTreeMap<String, Value> {
    let all = [
        ("writer", writer as i64),
        ("number", number as i64),
        ("first", first),
        ("last", last),
    ];
    all.map(|(name, value)| (name.to_owned(), Kind::IntValue(value).into()))
        .into()
}

/// Compares what is there with what is known. How many are there that nobody was told of.
async fn compare(address: &str, writers: &[Writer], found: &mut Found) -> Result<usize> {
    let mut client = QueryServiceClient::new(channel(address).await?);
    for index in INDEXES {
        rows(&mut client, index, 0).await?;
    }
    let mut unheard = 0;
    for (writer, known) in writers.iter().enumerate() {
        let there = rows(&mut client, FOUND, writer).await?;
        let there: BTreeMap<i64, i64> = there.iter().map(|row| (row[0], row[1])).collect();
        let counted = rows(&mut client, COUNTED, writer).await?;
        let counted = counted.first().context("no count")?[0];
        let torn: Vec<_> = there.iter().filter(|(_, parts)| **parts != PARTS).collect();
        found.require(torn.is_empty(), || {
            format!("writer {writer}: there in part, as number and nodes: {torn:?}")
        });
        found.require(counted == there.len() as i64 * PARTS, || {
            let transactions = there.len();
            format!("writer {writer}: {transactions} transactions have {counted} nodes")
        });
        let mut known = lock(known);
        found.require(
            there.keys().all(|number| *number < known.len() as i64),
            || format!("writer {writer}: something is there that was never begun"),
        );
        for (number, known) in known.iter_mut().enumerate() {
            let is_there = there.contains_key(&(number as i64));
            found.require(is_there || *known != Known::Made, || {
                format!("writer {writer}: transaction {number} was acknowledged and is gone")
            });
            found.require(!is_there || *known != Known::Gone, || {
                format!("writer {writer}: transaction {number} was gone and is back")
            });
            if *known == Known::Begun {
                unheard += usize::from(is_there);
                *known = if is_there { Known::Made } else { Known::Gone };
            }
        }
    }
    Ok(unheard)
}

/// The rows of a statement, which are numbers.
async fn rows(client: &mut Client, text: &str, writer: usize) -> Result<Vec<Vec<i64>>> {
    let request = QueryRequest {
        statement: statement(text),
        parameters: [("writer".to_owned(), Kind::IntValue(writer as i64).into())].into(),
        ..QueryRequest::default()
    };
    let mut answer = client.query(request).await?.into_inner();
    let (mut rows, mut ended) = (Vec::new(), false);
    while let Some(message) = answer.message().await? {
        match message.part {
            Some(Part::Rows(batch)) => rows.extend(batch.rows.iter().map(|row| {
                let number = |value: &Value| match value.kind {
                    Some(Kind::IntValue(number)) => number,
                    _ => i64::MIN,
                };
                row.values.iter().map(number).collect::<Vec<_>>()
            })),
            Some(Part::Summary(_)) => ended = true,
            _ => {}
        }
    }
    ensure!(ended, "an answer without an end");
    Ok(rows)
}

/// What the engine's own check finds.
fn check(dir: &Path) -> Result<Vec<String>> {
    let db = Database::open(dir).context("cannot open the database after the kills")?;
    let report = db.check(&mut Watch::quiet())?;
    let findings = report
        .findings
        .iter()
        .map(|one| format!("{}: {}", one.place, one.what));
    Ok(findings.collect())
}

/// Whoever has panicked with it has ended the run.
fn lock(writer: &Writer) -> MutexGuard<'_, Vec<Known>> {
    writer.lock().unwrap_or_else(PoisonError::into_inner)
}
