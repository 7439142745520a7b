use super::*;
use http_body_util::{BodyExt as _, Full, StreamBody};
use std::convert::Infallible;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

fn bounds() -> Bounds {
    Bounds {
        message_bytes: 10_000,
        weight: 100_000,
        stall: Duration::from_millis(20),
    }
}

fn frame(packed: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&[packed], &length[..], payload].concat()
}

fn query() -> Option<&'static Method> {
    stratigraph_proto::method("/stratigraph.v1.QueryService/Query")
}

fn bulk() -> Option<&'static Method> {
    stratigraph_proto::method("/stratigraph.v1.BulkService/BulkWrite")
}

/// A request with a database of so many bytes.
fn request(bytes: usize) -> Vec<u8> {
    let request = stratigraph_proto::v1::QueryRequest {
        database: "a".repeat(bytes),
        ..Default::default()
    };
    prost::Message::encode_to_vec(&request)
}

async fn taken(
    bytes: Vec<u8>,
    packing: Option<Packing>,
    budget: &Arc<Budget>,
) -> Result<(Vec<u8>, Held), Failure> {
    let body = Body::new(Full::new(Bytes::from(bytes)));
    let (intake, held) = Intake::of(body, query(), packing, bounds(), budget);
    let collected = intake.collect().await;
    let collected = collected.map_err(|status| why_none(&status))?;
    Ok((collected.to_bytes().to_vec(), held))
}

#[tokio::test]
async fn messages_come_out_as_they_were_and_weigh_until_they_are_answered() {
    let budget = Budget::new(1_000_000);
    let plain = frame(0, &request(5000));
    let (out, held) = taken(plain.clone(), None, &budget).await.unwrap();
    assert_eq!(out, plain);
    assert!((5000..6000).contains(&budget.taken()), "{}", budget.taken());
    drop(held);
    assert_eq!(budget.taken(), 0);
    let packed = frame(1, &zstd::encode_all(&request(5000)[..], 3).unwrap());
    let (out, _held) = taken(packed, Some(Packing::Zstd), &budget).await.unwrap();
    assert_eq!(out, plain);
}

#[tokio::test]
async fn what_is_too_large_too_heavy_or_no_message_is_refused_and_costs_nothing() {
    let budget = Budget::new(1_000_000);
    let bomb = zstd::encode_all(&vec![0; 50_000_000][..], 3).unwrap();
    let empty_values = {
        let list = [0x0a, 0x00].repeat(2000);
        let value = [&[0x3a, 0xa0, 0x1f], &list[..]].concat();
        let entry = [&[0x0a, 1, b'p', 0x12, 0xa3, 0x1f], &value[..]].concat();
        [&[0x1a, 0xa9, 0x1f], &entry[..]].concat()
    };
    assert!(
        <stratigraph_proto::v1::QueryRequest as prost::Message>::decode(&empty_values[..]).is_ok()
    );
    for (bytes, packing, limit) in [
        // The head alone says it.
        (frame(0, &request(10_001))[..20].to_vec(), None, true),
        (frame(1, &bomb), Some(Packing::Zstd), true),
        (frame(0, &empty_values), None, true),
        (frame(1, b"x"), None, false),
        (frame(7, b"x"), None, false),
        (frame(0, b"no message"), None, false),
        (frame(0, &request(50))[..20].to_vec(), None, false),
    ] {
        let refused = taken(bytes, packing, &budget).await.map(drop).unwrap_err();
        assert_eq!(matches!(refused, Failure::Limit { .. }), limit, "{refused}");
        assert_eq!(budget.taken(), 0, "{refused}");
    }
}

/// A body that goes on for as long as somebody sends.
fn stream() -> (mpsc::Sender<Result<Frame<Bytes>, Infallible>>, Body) {
    let (sender, receiver) = mpsc::channel(16);
    (
        sender,
        Body::new(StreamBody::new(ReceiverStream::new(receiver))),
    )
}

async fn send(to: &mpsc::Sender<Result<Frame<Bytes>, Infallible>>, bytes: Vec<u8>) {
    to.send(Ok(Frame::data(bytes.into()))).await.unwrap();
}

#[tokio::test]
async fn half_messages_of_all_connections_have_one_budget_and_a_time() {
    let budget = Budget::new(10_000);
    let (one, body) = stream();
    let (mut first, _) = Intake::of(body, query(), None, bounds(), &budget);
    send(&one, frame(0, &request(9000))[..6000].to_vec()).await;
    let waited = first.frame().await.unwrap().unwrap_err();
    assert!(
        matches!(why_none(&waited), Failure::Unsent { .. }),
        "{waited}"
    );
    assert_eq!(budget.taken(), 0);

    let (_open, body) = stream();
    let patient = Bounds {
        stall: Duration::from_secs(3600),
        ..bounds()
    };
    let (mut first, _) = Intake::of(body, query(), None, patient, &budget);
    first.take(&Bytes::from(vec![0; 6000])).unwrap();
    let refused = taken(frame(0, &request(5000)), None, &budget).await;
    assert!(matches!(refused.map(drop), Err(Failure::Busy { .. })));
    drop(first);
    assert!(taken(frame(0, &request(5000)), None, &budget).await.is_ok());
}

#[tokio::test]
async fn a_stream_holds_its_last_messages_and_may_rest_between_two() {
    let budget = Budget::new(1_000_000);
    let (one, body) = stream();
    let (mut intake, held) = Intake::of(body, bulk(), None, bounds(), &budget);
    for _ in 0..10 {
        send(&one, frame(0, &[0x2a, 0x00])).await;
        intake.frame().await.unwrap().unwrap();
    }
    assert_eq!(held.lock().len(), HELD_OF_STREAM);
    let rested = tokio::time::timeout(Duration::from_millis(100), intake.frame()).await;
    assert!(rested.is_err(), "nothing happens");
    drop(one);
    assert!(intake.frame().await.is_none());
    drop((intake, held));
    assert_eq!(budget.taken(), 0);
}

#[test]
fn why_the_next_message_does_not_come_is_known_behind_the_errors_of_layers() {
    let too_late = refused(Failure::Unsent {
        limit: Duration::from_secs(1),
    });
    assert!(matches!(why_none(&too_late), Failure::Unsent { .. }));
    let wrapped = std::io::Error::other(std::io::Error::other(too_late));
    let status = Status::from_error(Box::new(wrapped));
    assert!(
        matches!(why_none(&status), Failure::Unsent { .. }),
        "{status:?}"
    );
    let theirs = Status::unknown("a connection that broke");
    assert!(matches!(why_none(&theirs), Failure::Cancelled));
}
