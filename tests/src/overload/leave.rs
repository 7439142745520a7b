//! Clients that leave in the middle of all kinds of work: nothing of them is left, and what they began stops soon.
//!
//! How soon is measured from outside: a client notes when it leaves, and the server keeps with each of its slow
//! statements, which are all of them here, when it has ended. Both clocks are the machine's.

use super::clients::{ENDLESS, channel, client, request, run as ask, statement};
use super::{Found, RunArgs};
use crate::serving::{Holdings, PATIENCE, Served};
use anyhow::Result;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use stratigraph_proto::v1::transaction_service_client::TransactionServiceClient;
use stratigraph_proto::v1::{
    BeginTransactionRequest, ListSlowQueriesRequest, RunInTransactionRequest, TransactionMode,
};
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Request, Status};

/// How many clients there are at a time.
const AT_ONCE: usize = 8;
/// A statement runs so long before its client leaves, or less.
const STAY: Duration = Duration::from_millis(12);

const SETTINGS: &str = "max_queries = 6\nslow_query_time = \"0ms\"\nmax_slow_queries = 100000\nmax_response_size = \"1GiB\"\n\
    cache_size = \"64MiB\"\nmax_total_memory = \"512MiB\"\nmax_transaction_idle = \"1s\"\n";

/// What is left in the middle.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// Computes, and gives nothing.
    Compute,
    /// Gives rows that nobody takes.
    Rows,
    /// Goes from node to node.
    Traverse,
    /// Looks for neighbours of vectors.
    Neighbours,
    /// Writes.
    Write,
    /// Its time is over, and nobody says anything.
    Deadline,
    /// Within a transaction, which is left as well.
    Transaction,
}

impl Work {
    const ALL: [Self; 7] = [
        Self::Compute,
        Self::Rows,
        Self::Traverse,
        Self::Neighbours,
        Self::Write,
        Self::Deadline,
        Self::Transaction,
    ];

    fn text(self) -> &'static str {
        match self {
            Self::Compute | Self::Deadline | Self::Transaction => ENDLESS,
            Self::Rows => {
                "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b RETURN a, b, 'some text' AS c"
            }
            Self::Traverse => "MATCH (a:Left)-[:TO*1..9]->(b) RETURN count(b) AS n",
            Self::Neighbours => {
                "UNWIND range(1, 1000000) AS i MATCH (a:Left) SEARCH a IN (VECTOR INDEX near FOR [0.5, 1.0] LIMIT 9) RETURN count(a) AS n"
            }
            Self::Write => "UNWIND range(1, 100000000) AS i CREATE (:Gone {i: i})",
        }
    }
}

pub(super) async fn run(args: &RunArgs, seed: u64, folder: &Path) -> Result<Found> {
    let mut server = Served::start(folder, SETTINGS)?;
    let mut found = Found::default();
    let mut asking = client(&server.address).await?;
    let nodes = "UNWIND range(1, 60) AS i CREATE (:Left {i: i, v: vector([i, 7])})";
    ask(&mut asking, request("CREATE VECTOR INDEX near FOR (n:Left) ON n.v OPTIONS {indexConfig: {`vector.dimensions`: 2}}", 0)).await?;
    ask(&mut asking, request(nodes, 0)).await?;
    let dense = "MATCH (a:Left), (b:Left) WHERE a.i <> b.i CREATE (a)-[:TO]->(b)";
    ask(&mut asking, request(dense, 0)).await?;
    // So that threads, connections and memory are there that a server has anyway.
    let warm = leave_all(&server, AT_ONCE * 8, seed ^ 1).await?;
    let before = settled(&server, None).await?;
    let memory_before = server.memory_use()?.all;
    drop(warm);

    let left = leave_all(&server, args.leave, seed).await?;
    settled(&server, Some(&before)).await?;
    let idle = idle(&server).await?;
    found.require(idle, || "it is still busy with something".to_owned());
    let gone = ask(
        &mut asking,
        request("MATCH (n:Gone) RETURN count(n) AS n", 0),
    )
    .await?;
    found.require(gone == 0, || {
        format!("{gone} nodes are left of those who left")
    });

    let memory_after = server.memory_use()?.all;
    let stopped = stop_times(&server, &left).await?;
    found.figure("left", left.len());
    found.figure("left_at_work", stopped.len());
    if let Some(last) = stopped.len().checked_sub(1) {
        for (name, share) in [
            ("stop_p50_ms", 0.5),
            ("stop_p99_ms", 0.99),
            ("stop_most_ms", 1.0),
        ] {
            found.figure(name, stopped[(last as f64 * share) as usize].0);
        }
        found.figure(
            "stop_most_of",
            format!("{:?}", stopped[last].1).to_lowercase(),
        );
    }
    found.figure(
        "left_rise_mib",
        memory_after.saturating_sub(memory_before) >> 20,
    );
    found.require(stopped.len() > left.len() / 2, || {
        format!(
            "this proves nothing: {} of {} were at work",
            stopped.len(),
            left.len()
        )
    });
    if let Err(why) = server.memory_is_fine() {
        found.wrong.push(why);
    }
    Ok(found)
}

/// When each client left, by the id of its request, in milliseconds, and what it left.
type Left = HashMap<String, (u64, Work)>;

/// So many clients come, begin something, and leave.
async fn leave_all(server: &Served, count: usize, seed: u64) -> Result<Left> {
    let mut clients = JoinSet::new();
    let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    for number in 0..AT_ONCE {
        let (channel, next) = (channel(&server.address).await?, Arc::clone(&next));
        let mut random = fastrand::Rng::with_seed(seed.wrapping_add(number as u64));
        clients.spawn(async move {
            let mut left = Left::new();
            loop {
                let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if number >= count {
                    return left;
                }
                let id = format!("left-{seed}-{number}");
                let work = Work::ALL[number % Work::ALL.len()];
                let stay = STAY.mul_f64(random.f64());
                if begin_and_leave(&channel, work, &id, stay).await.is_ok() {
                    left.insert(id, (now(), work));
                }
            }
        });
    }
    let mut all = Left::new();
    while let Some(left) = clients.join_next().await {
        all.extend(left?);
    }
    Ok(all)
}

/// Begins something and leaves while it runs. A refusal is no answer to leave.
async fn begin_and_leave(
    channel: &Channel,
    work: Work,
    id: &str,
    stay: Duration,
) -> Result<(), Status> {
    let id = id.parse().map_err(|_| Status::internal("an odd id"))?;
    match work {
        Work::Transaction => {
            let mut client = TransactionServiceClient::new(channel.clone());
            let begin = BeginTransactionRequest {
                mode: TransactionMode::Read.into(),
                ..BeginTransactionRequest::default()
            };
            let begun = client.begin_transaction(begin).await?.into_inner();
            let mut request = Request::new(RunInTransactionRequest {
                transaction_id: begun.transaction_id,
                statement: statement(work.text()),
                ..RunInTransactionRequest::default()
            });
            request.metadata_mut().insert("x-request-id", id);
            let _answer = client.run_in_transaction(request).await?;
            tokio::time::sleep(stay).await;
        }
        Work::Deadline => {
            let mut request = Request::new(request(work.text(), 0));
            request.metadata_mut().insert("x-request-id", id);
            request.set_timeout(stay + Duration::from_millis(2));
            let ended = ask_late(channel, request).await;
            return ended.map_or(Ok(()), |_| Err(Status::internal("it has ended")));
        }
        _ => {
            let mut request = Request::new(request(work.text(), 0));
            request.metadata_mut().insert("x-request-id", id);
            let mut client = QueryServiceClient::new(channel.clone());
            let _answer = client.query(request).await?;
            tokio::time::sleep(stay).await;
        }
    }
    Ok(())
}

/// Waits for an answer until its time is over; the answer, if it came before.
async fn ask_late(
    channel: &Channel,
    request: Request<stratigraph_proto::v1::QueryRequest>,
) -> Option<i64> {
    let mut client = QueryServiceClient::new(channel.clone());
    let parts = client.query(request).await.ok()?.into_inner();
    super::clients::drain(parts).await.ok()
}

fn now() -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// Waits until nothing runs any more, and until no more is held than before.
async fn settled(server: &Served, before: Option<&Holdings>) -> Result<Holdings> {
    server
        .until("nothing is left", |now| {
            now.running + now.waiting + now.writers + now.transactions == 0
                && before.is_none_or(|before| {
                    now.threads <= before.threads
                        && now.connections <= before.connections
                        && now.snapshots == before.snapshots
                        && now.memory_free == before.memory_free
                })
        })
        .await
}

/// Whether it comes to use hardly any processor time.
async fn idle(server: &Served) -> Result<bool> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let (before, from) = (server.processor_time()?, Instant::now());
        tokio::time::sleep(Duration::from_millis(500)).await;
        let used = server.processor_time()?.saturating_sub(before);
        if used < from.elapsed() / 5 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How many milliseconds after its client each statement has ended, sorted; those that had begun.
async fn stop_times(server: &Served, left: &Left) -> Result<Vec<(u64, Work)>> {
    let mut admin =
        AdminServiceClient::new(channel(&server.address).await?).max_decoding_message_size(1 << 30);
    let list = ListSlowQueriesRequest {
        limit: 100_000,
        ..ListSlowQueriesRequest::default()
    };
    let slow = admin.list_slow_queries(list).await?.into_inner().queries;
    let ended = slow.iter().filter_map(|query| {
        let (left, work) = left.get(&query.request_id)?;
        Some((query.ended_at_ms.saturating_sub(*left), *work))
    });
    let mut ended: Vec<(u64, Work)> = ended.collect();
    ended.sort_unstable_by_key(|(millis, _)| *millis);
    Ok(ended)
}
