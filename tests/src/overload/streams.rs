//! Thousands of calls at a time, all of which write: what was acknowledged is there, and nothing is left of them.
//!
//! An open transaction holds the writer's place until all of them are under way, so that they are so at the same time.

use super::clients::{channel, client, request, run as ask, statement};
use super::{Found, RunArgs};
use crate::serving::{Holdings, Served};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use stratigraph_proto::v1::transaction_service_client::TransactionServiceClient;
use stratigraph_proto::v1::{BeginTransactionRequest, CommitTransactionRequest, TransactionMode};
use tokio::task::JoinSet;

/// How many calls a connection may have under way, here.
const PER_CONNECTION: usize = 128;
const PATIENT: &str = "max_connections = 6000\nmax_queued = 60000\nmax_queue_wait = \"600s\"\nmax_write_queue_wait = \"600s\"\n\
    max_query_time = \"600s\"\nmax_transaction_idle = \"600s\"\nmax_transaction_time = \"600s\"\nmax_streams_per_connection = 128\n\
    cache_size = \"64MiB\"\nmax_total_memory = \"512MiB\"\n";

pub(super) async fn run(args: &RunArgs, folder: &Path) -> Result<Found> {
    let mut found = Found::default();
    let mut server = Served::start(folder, PATIENT)?;
    let mut asking = client(&server.address).await?;
    ask(&mut asking, request("CREATE (:Before {n: $n})", 0)).await?;
    let before = server.holdings()?;

    let mut transactions = TransactionServiceClient::new(channel(&server.address).await?);
    let begin = BeginTransactionRequest {
        mode: TransactionMode::Write.into(),
        ..BeginTransactionRequest::default()
    };
    let holder = transactions.begin_transaction(begin).await?.into_inner();
    let mut calls = Calls::default();
    for number in 0..args.connections {
        let share = args.streams * (number + 1) / args.connections
            - args.streams * number / args.connections;
        ensure!(
            share <= PER_CONNECTION,
            "more than {PER_CONNECTION} calls a connection"
        );
        calls.open(&server.address, share).await?;
    }
    let held = args.streams as u64 + 1;
    server
        .until("all calls are under way", |now| now.writers == held)
        .await?;
    // One connection more, which asks for more than it may have.
    calls.open(&server.address, PER_CONNECTION * 2).await?;
    let most = held + PER_CONNECTION as u64;
    let at_once = server
        .until("one connection has all that it may have", |now| {
            now.writers >= most
        })
        .await?;
    found.require(at_once.writers == most, || {
        format!(
            "one connection had {} calls under way",
            at_once.writers - held
        )
    });
    let memory = server.memory_use()?.all;
    let commit = CommitTransactionRequest {
        transaction_id: holder.transaction_id,
        ..CommitTransactionRequest::default()
    };
    transactions.commit_transaction(commit).await?;
    let (acknowledged, wrong) = calls.end().await?;
    found.require(wrong.is_empty(), || {
        format!("{} calls failed, such as {}", wrong.len(), wrong[0])
    });
    let there = ask(
        &mut asking,
        request("MATCH (a:Acknowledged) RETURN count(a) AS n", 0),
    )
    .await?;
    found.require(there == acknowledged, || {
        format!("{acknowledged} were acknowledged, {there} are there")
    });
    drop(transactions);
    server
        .until("nothing is left of them", |now| {
            now.connections <= before.connections && now.writers == 0 && now.running == 0
        })
        .await?;
    found.figure("streams", at_once.writers - 1);
    found.figure("streams_mib", memory >> 20);
    found.figure("acknowledged", acknowledged);
    separate(args, &server, &before, &mut found).await?;
    if let Err(why) = server.memory_is_fine() {
        found.wrong.push(why);
    }
    Ok(found)
}

/// Calls that write a node each.
#[derive(Default)]
struct Calls {
    under_way: JoinSet<Result<i64, tonic::Status>>,
    count: i64,
}

impl Calls {
    /// So many over a new connection, which ends with the last of them.
    async fn open(&mut self, address: &str, count: usize) -> Result<()> {
        let channel = channel(address).await?;
        for _ in 0..count {
            let mut client = QueryServiceClient::new(channel.clone());
            let request = request("CREATE (:Acknowledged {n: $n})", self.count);
            self.count += 1;
            self.under_way
                .spawn(async move { ask(&mut client, request).await });
        }
        Ok(())
    }

    /// Waits for all of them; how many were acknowledged, and how the others ended.
    async fn end(&mut self) -> Result<(i64, Vec<String>)> {
        let (mut acknowledged, mut wrong) = (0, Vec::new());
        while let Some(ended) = self.under_way.join_next().await {
            match ended? {
                Ok(_) => acknowledged += 1,
                Err(status) => wrong.push(status.to_string()),
            }
        }
        Ok((acknowledged, wrong))
    }
}

/// Many connections at a time, with a call each.
async fn separate(
    args: &RunArgs,
    server: &Served,
    before: &Holdings,
    found: &mut Found,
) -> Result<()> {
    let count = args.separate.min(files_left()?);
    if count < args.separate {
        eprintln!("overload: only {count} connections: the system allows no more open files");
    }
    let mut channels = Vec::new();
    for _ in 0..count {
        channels.push(channel(&server.address).await?);
    }
    server
        .until("all of them are connected", |now| now.connections >= count)
        .await?;
    let mut calls = JoinSet::new();
    for channel in channels {
        calls.spawn(async move {
            let mut client = QueryServiceClient::new(channel);
            let request = stratigraph_proto::v1::QueryRequest {
                statement: statement("RETURN 7 AS n"),
                ..stratigraph_proto::v1::QueryRequest::default()
            };
            ask(&mut client, request).await
        });
    }
    let mut answered = 0;
    while let Some(ended) = calls.join_next().await {
        match ended? {
            Ok(7) => answered += 1,
            other => found
                .wrong
                .push(format!("a connection of its own got {other:?}")),
        }
    }
    found.figure("separate", answered);
    server
        .until("all connections have ended", |now| {
            now.connections <= before.connections
        })
        .await?;
    Ok(())
}

/// How many more files may be open, here and in the server.
fn files_left() -> Result<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits")?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let soft = line
        .and_then(|line| line.split_whitespace().next())
        .context("no limit")?;
    let soft: usize = soft.parse().unwrap_or(usize::MAX);
    Ok(soft.saturating_sub(600))
}
