//! Large requests that wait for their turn: small on the wire, and each of them most of what a request may be when it
//! is unpacked. What waits in the line must not take all the memory there is.

use super::clients::{Client, ENDLESS, Ending, channel, client, request, run as ask};
use super::{Found, RunArgs};
use crate::serving::Served;
use anyhow::{Context, Result};
use http_body_util::Full;
use prost::Message as _;
use prost::bytes::Bytes;
use std::path::Path;
use stratigraph_proto::v1::value::Kind;
use tokio::task::JoinSet;
use tonic::body::Body;
use tonic::codegen::http;
use tonic::{Code, Status};
use tower::ServiceExt as _;

/// The text in a request, of the most that this server allows one to be.
const TEXT_BYTES: usize = 15 << 20;
/// Twice what may wait.
const REQUESTS: usize = 512;
const CONNECTIONS: usize = 8;
const LIMITED: &str = "max_request_size = \"16MiB\"\nmax_queries = 4\ncache_size = \"64MiB\"\nmax_queue_wait = \"5s\"\nmax_total_memory = \"512MiB\"\n";

pub(super) async fn run(_: &RunArgs, folder: &Path) -> Result<Found> {
    let mut server = Served::start(folder, LIMITED)?;
    let mut found = Found::default();
    let mut asking = client(&server.address).await?;
    let held = hold(&mut asking).await?;
    let before = server.memory_use()?.all;
    let body = bomb()?;
    found.figure("request_bytes", body.len());
    let mut calls = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let channel = channel(&server.address).await?;
        for _ in 0..REQUESTS / CONNECTIONS {
            let (channel, body) = (channel.clone(), body.clone());
            let uri = format!(
                "http://{}/stratigraph.v1.QueryService/Query",
                server.address
            );
            calls.spawn(async move {
                let request = http::Request::post(uri)
                    .header("content-type", "application/grpc")
                    .header("te", "trailers")
                    .header("grpc-encoding", "zstd")
                    .body(Body::new(Full::new(body)))
                    .map_err(|error| Status::internal(error.to_string()))?;
                let answer = channel.oneshot(request).await;
                let answer = answer.map_err(|error| Status::unavailable(error.to_string()))?;
                match Status::from_header_map(answer.headers()) {
                    Some(status) if status.code() != Code::Ok => Err(status),
                    _ => Ok(()),
                }
            });
        }
    }
    let (mut shed, mut wrong) = (0, Vec::new());
    while let Some(ended) = calls.join_next().await {
        match Ending::of(&ended?) {
            Ending::Shed => shed += 1,
            // It had a place before those that hold them did.
            Ending::Answered => {}
            Ending::Wrong(what) => wrong.push(what),
        }
    }
    if let Err(why) = server.memory_is_fine() {
        found.wrong.push(why);
        return Ok(found);
    }
    drop(held);
    let most = server.memory_use()?.most;
    found.figure("hoard_shed", shed);
    found.figure("hoard_rise_mib", most.saturating_sub(before) >> 20);
    found.require(wrong.is_empty(), || {
        format!(
            "{} calls ended in another way, such as {}",
            wrong.len(),
            wrong[0]
        )
    });
    found.require(shed > REQUESTS / 2, || {
        format!("this proves nothing: {shed} were refused")
    });
    server
        .until("nothing runs any more", |now| {
            now.running + now.waiting == 0
        })
        .await?;
    let answered = ask(&mut asking, request("RETURN $n AS n", 7)).await;
    found.require(answered.as_ref().is_ok_and(|n| *n == 7), || {
        format!("afterwards {answered:?}")
    });
    Ok(found)
}

type Held = Vec<tonic::Streaming<stratigraph_proto::v1::QueryResponse>>;

/// Takes all places.
async fn hold(client: &mut Client) -> Result<Held> {
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(client.query(request(ENDLESS, 0)).await?.into_inner());
    }
    Ok(held)
}

/// A request that is small only as long as it is packed, as a frame of gRPC.
fn bomb() -> Result<Bytes> {
    let mut request = request("RETURN size($text) AS n", 0);
    let text = Kind::StringValue("a".repeat(TEXT_BYTES)).into();
    request.parameters.insert("text".to_owned(), text);
    let packed = zstd::encode_all(request.encode_to_vec().as_slice(), 3).context("cannot pack")?;
    let mut frame = vec![1];
    frame.extend(u32::try_from(packed.len())?.to_be_bytes());
    frame.extend(packed);
    Ok(frame.into())
}
