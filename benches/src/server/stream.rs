//! Many rows: bytes in a second beside the same messages from memory.

use super::content::{SCAN, STREAM, client, scan, stream};
use super::process::Both;
use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Context, Result, ensure};
use prost::Message as _;
use std::time::Instant;
use stratigraph_proto::v1::QueryRequest;
use stratigraph_proto::v1::query_response::Part;

/// What a stream was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    messages: usize,
    rows: usize,
}

/// Rows that cost nothing to make, which the mark is for, and then all nodes of the database.
pub(super) async fn measure(
    setup: &Setup,
    both: &Both,
    rows: usize,
    report: &mut Report,
) -> Result<()> {
    println!("stream     {STREAM}");
    let (bytes, seconds) = compare(setup, both, "stream", &stream(rows)).await?;
    let megabytes = seconds.map(|seconds| bytes as f64 / 1e6 / seconds);
    let mark = Some(Mark::AtLeast(0.7));
    report.compare("stream_vs_bare", &megabytes, "MB/s", mark);
    let per_second = seconds.map(|seconds| rows as f64 / seconds);
    report.compare("rows_vs_bare", &per_second, "rows/s", None);
    println!("scan       {SCAN}");
    let (_, seconds) = compare(setup, both, "scan", &scan()).await?;
    let per_second = seconds.map(|seconds| rows as f64 / seconds);
    report.compare("scan_vs_bare", &per_second, "rows/s", None);
    Ok(())
}

/// Takes an answer from both in turns; how many bytes of messages it has, and how long it takes.
async fn compare(
    setup: &Setup,
    both: &Both,
    name: &str,
    request: &QueryRequest,
) -> Result<(usize, Rounds)> {
    let rounds = setup.choose(5, 15);
    let mut client_of_ours = client(&both.ours.address).await?;
    let mut client_of_bare = client(&both.bare.address).await?;
    let bytes = bytes(&mut client_of_bare, request).await?;
    let mut seconds = Rounds::default();
    let mut rows = 0;
    for round in 0..=rounds {
        setup.progress(&format!("{name}: round {round} of {rounds}"));
        let (ours, bare) = if round % 2 == 0 {
            let first = take(&mut client_of_ours, request).await?;
            (first, take(&mut client_of_bare, request).await?)
        } else {
            let first = take(&mut client_of_bare, request).await?;
            (take(&mut client_of_ours, request).await?, first)
        };
        ensure!(ours.1.rows == bare.1.rows, "{ours:?} is not {bare:?}");
        rows = ours.1.rows;
        if round > 0 {
            seconds.push(ours.0, bare.0);
        }
    }
    println!(
        "           {rows} rows in {bytes} bytes of messages, {rounds} rounds; the client decodes every row"
    );
    Ok((bytes, seconds))
}

type Client =
    stratigraph_proto::v1::query_service_client::QueryServiceClient<tonic::transport::Channel>;

/// Takes a whole answer; how many seconds that took, and what it was.
async fn take(client: &mut Client, request: &QueryRequest) -> Result<(f64, Size)> {
    let begun = Instant::now();
    let mut parts = client.query(request.clone()).await?.into_inner();
    let mut size = Size {
        messages: 0,
        rows: 0,
    };
    let mut told = None;
    while let Some(message) = parts.message().await? {
        size.messages += 1;
        match message.part {
            Some(Part::Rows(batch)) => size.rows += batch.rows.len(),
            Some(Part::Summary(summary)) => told = Some(summary.rows),
            _ => {}
        }
    }
    let took = begun.elapsed().as_secs_f64();
    let told = told.context("an answer without an end")?;
    ensure!(
        told == size.rows as u64,
        "{told} rows told, {} came",
        size.rows
    );
    Ok((took, size))
}

/// How many bytes the messages have, with the five that gRPC puts before each.
async fn bytes(client: &mut Client, request: &QueryRequest) -> Result<usize> {
    let mut parts = client.query(request.clone()).await?.into_inner();
    let mut bytes = 0;
    while let Some(message) = parts.message().await? {
        bytes += 5 + message.encoded_len();
    }
    Ok(bytes)
}
