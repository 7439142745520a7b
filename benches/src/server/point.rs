//! One node by its id: how long it takes, and how many there are in a second, with 1, 16 and 256 connections.

use super::bare::UNARY;
use super::content::{POINT, client, point, prepare};
use super::load::{Answered, Clients};
use super::process::{Both, Child};
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::{Rounds, median};
use crate::measure::{Setup, allocations};
use anyhow::{Result, ensure};
use std::path::Path;
use std::time::{Duration, Instant};
use stratigraph::{Database, Parameters};
use stratigraph_proto::v1::{QueryRequest, QueryResponse};
use tonic::codegen::http::uri::PathAndQuery;
use tonic_prost::ProstCodec;

/// The library alone, in this process, with one thread.
pub(super) fn library(setup: &Setup, dir: &Path, people: usize, report: &mut Report) -> Result<()> {
    setup.progress("point: the library alone");
    let db = Database::open(dir)?;
    let prepared = db.prepare(POINT)?;
    let mut random = fastrand::Rng::with_seed(setup.seed);
    let mut took = Vec::new();
    let mut allocated = 0;
    for round in 0..setup.choose(20_000, 100_000) {
        let begun = Instant::now();
        let parameters = Parameters::new().with("id", random.usize(..people) as i64);
        let rows = prepared.query(parameters)?.count();
        ensure!(rows == 1, "{rows} rows");
        if round == 1000 {
            allocated = allocations::so_far();
        }
        if round >= 1000 {
            took.push(begun.elapsed().as_nanos() as f64 / 1000.0);
        }
    }
    let allocated = (allocations::so_far() - allocated) as f64 / took.len() as f64;
    report.count("library_p50", median(&took), None, "us", None);
    report.count(
        "library_allocations",
        allocated.round(),
        None,
        "a query",
        None,
    );
    db.close()?;
    Ok(())
}

/// Over gRPC.
pub(super) async fn measure(
    setup: &Setup,
    both: &Both,
    people: usize,
    report: &mut Report,
) -> Result<()> {
    let (rounds, length) = setup.choose((3, 300), (9, 1000));
    println!(
        "point      {rounds} rounds of {length} ms on each side; one call under way on each connection"
    );
    let length = Duration::from_millis(length);
    for connections in [1, 16, 256] {
        let ours = Clients::connect(&both.ours.address, connections, people).await?;
        let bare = Clients::connect(&both.bare.address, connections, people).await?;
        let (mut p50, mut p99, mut per_second, mut processor) = (
            Rounds::default(),
            Rounds::default(),
            Rounds::default(),
            Rounds::default(),
        );
        for round in 0..=rounds {
            setup.progress(&format!(
                "point: {connections} connections, round {round} of {rounds}"
            ));
            let seed = setup.seed.wrapping_add(round as u64 * 1000);
            let ask_ours = asked(&both.ours, &ours, seed, length);
            let ask_bare = asked(&both.bare, &bare, seed, length);
            let ((of_ours, ours_took), (of_bare, bare_took)) = if round % 2 == 0 {
                let first = ask_ours.await?;
                (first, ask_bare.await?)
            } else {
                let first = ask_bare.await?;
                (ask_ours.await?, first)
            };
            if round > 0 {
                p50.push(of_ours.p50, of_bare.p50);
                p99.push(of_ours.p99, of_bare.p99);
                per_second.push(of_ours.per_second, of_bare.per_second);
                processor.push(ours_took, bare_took);
            }
        }
        // The summary's figures have no number of connections in their names.
        let name = |figure: &str, summary: usize| {
            if connections == summary {
                format!("{figure}_vs_echo")
            } else {
                format!("{figure}_vs_echo_{connections}")
            }
        };
        let mark = (connections == 1).then_some(Mark::AtMost(1.6));
        report.compare(name("p50", 1), &p50, "us", mark);
        report.compare(name("p99", 1), &p99, "us", None);
        let mark = (connections == 16).then_some(Mark::AtLeast(0.6));
        report.compare(name("qps", 16), &per_second, "queries/s", mark);
        report.compare(name("processor", 1), &processor, "us", None);
    }
    let least = unary(setup, &both.bare.address).await?;
    report.count("bare_unary_p50", least, None, "us", None);
    Ok(())
}

/// A round, and how long a call had the server's processors.
async fn asked(
    server: &Child,
    clients: &Clients,
    seed: u64,
    length: Duration,
) -> Result<(Answered, f64)> {
    let before = server.processor_us()?;
    let answered = clients.ask(seed, length).await?;
    let took = server.processor_us()? - before;
    let of_one = took / answered.calls.max(1) as f64;
    Ok((answered, of_one))
}

/// One message there and one back at the bare server: what a call costs at least.
async fn unary(setup: &Setup, address: &str) -> Result<f64> {
    let mut preparing = client(address).await?;
    let prepared = prepare(&mut preparing).await?;
    let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{address}"))?;
    let mut grpc = tonic::client::Grpc::new(endpoint.connect().await?);
    let mut took = Vec::new();
    for round in 0..setup.choose(2000, 10_000) {
        let begun = Instant::now();
        grpc.ready().await?;
        let codec = ProstCodec::<QueryRequest, QueryResponse>::default();
        let request = tonic::Request::new(point(&prepared, round));
        let path = PathAndQuery::from_static(UNARY);
        grpc.unary(request, path, codec).await?;
        took.push(begun.elapsed().as_nanos() as f64 / 1000.0);
    }
    Ok(median(&took))
}
