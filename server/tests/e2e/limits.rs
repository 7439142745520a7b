//! What is too much is refused, and nobody else suffers from it.

use super::harness::{ENDLESS, Fixture, ask, read, reason, run, running, until};
use std::time::Duration;
use stratigraph_proto::v1::admin_service_client::AdminServiceClient;
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use stratigraph_proto::v1::{self, value::Kind};
use tonic::codec::CompressionEncoding;
use tonic::{Code, Request};
use tonic_types::StatusExt as _;

fn with(text: &str, options: v1::QueryOptions) -> v1::QueryRequest {
    let mut request = ask(text);
    request.options = Some(options);
    request
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_limits_hold_whatever_the_client_says() {
    let fixture = Fixture::start(|config, _| {
        config.max_rows = 100;
        config.max_steps = 100_000;
        config.max_query_time = "20s".parse().unwrap();
        config.max_query_memory = "4MiB".parse().unwrap();
    })
    .await;
    let mut client = fixture.queries().await;
    let rows = v1::QueryOptions {
        max_rows: Some(1_000_000),
        timeout_ms: Some(1_000_000),
        memory_bytes: Some(u64::MAX),
        ..v1::QueryOptions::default()
    };
    let refused = run(
        &mut client,
        with("UNWIND range(1, 101) AS n RETURN n", rows),
    )
    .await
    .unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::ResourceExhausted, "RowLimit")
    );
    let refused = run(&mut client, with(ENDLESS, rows)).await.unwrap_err();
    assert_eq!(reason(&refused), "StepLimit");
    let refused = run(
        &mut client,
        with(
            "RETURN reduce(s = [1], x IN range(1, 60) | s + s) AS s",
            rows,
        ),
    )
    .await
    .unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::ResourceExhausted, "MemoryLimit")
    );
    let none = v1::QueryOptions {
        max_rows: Some(0),
        ..v1::QueryOptions::default()
    };
    assert_eq!(
        run(&mut client, with("RETURN 1", none))
            .await
            .unwrap_err()
            .code(),
        Code::InvalidArgument
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn deadlines_are_the_clients_and_the_servers() {
    let fixture =
        Fixture::start(|config, _| config.max_query_time = "500ms".parse().unwrap()).await;
    let late = run(&mut fixture.queries().await, ask(ENDLESS)).await;
    assert_eq!(late.unwrap_err().code(), Code::DeadlineExceeded);
    let fixture = Fixture::start(|config, _| config.max_query_time = "1h".parse().unwrap()).await;
    let mut client = fixture.queries().await;
    // The header alone: the client's own timer is not asked.
    let mut request = Request::new(ask(ENDLESS));
    request
        .metadata_mut()
        .insert("grpc-timeout", "60m".parse().unwrap());
    let late = run(&mut client, request).await.unwrap_err();
    assert!(
        matches!(late.code(), Code::DeadlineExceeded | Code::Cancelled),
        "{late}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_at_once_is_shed_with_a_word_when_to_come_again() {
    let fixture = Fixture::start(|config, _| {
        config.max_queries = 2;
        config.max_queued = 2;
        config.max_queue_wait = "60s".parse().unwrap();
    })
    .await;
    let mut client = fixture.queries().await;
    let mut held = Vec::new();
    for _ in 0..2 {
        held.push(client.query(ask(ENDLESS)).await.unwrap());
    }
    let mut others = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let mut client = client.clone();
        others.spawn(async move { run(&mut client, ask("RETURN 1 AS n")).await });
    }
    // Two wait.
    for _ in 0..18 {
        let refused = others.join_next().await.unwrap().unwrap().unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        let details = refused.get_error_details();
        assert!(
            details
                .retry_info()
                .and_then(|info| info.retry_delay)
                .is_some(),
            "{refused}"
        );
        assert_eq!(details.error_info().unwrap().metadata["retryable"], "true");
        assert_eq!(reason(&refused), "ServerBusy");
    }
    drop(held);
    while let Some(waited) = others.join_next().await {
        assert_eq!(waited.unwrap().unwrap().number(), 1);
    }
    assert_eq!(
        run(&mut client, ask("RETURN 7 AS n"))
            .await
            .unwrap()
            .number(),
        7
    );
}

/// More than fits into the windows of HTTP/2 and the channel.
const LONG: &str = "UNWIND range(1, 300000) AS n RETURN n, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' AS x";

#[tokio::test(flavor = "multi_thread")]
async fn readers_that_stop_hold_up_no_writer() {
    let fixture = Fixture::start(|config, _| {
        config.max_stall = "1h".parse().unwrap();
        config.max_query_time = "1h".parse().unwrap();
        config.max_queries = 4;
    })
    .await;
    let mut stalled = Vec::new();
    for _ in 0..4 {
        let mut client = fixture.queries().await;
        stalled.push(client.query(ask(LONG)).await.unwrap());
    }
    let mut client = fixture.queries().await;
    run(&mut client, ask("CREATE (:P)")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_stops_loses_its_statement_and_is_told_so_whenever_it_comes_back() {
    let fixture = Fixture::start(|config, _| config.max_stall = "500ms".parse().unwrap()).await;
    let mut client = fixture.queries().await;
    let mut stream = client.query(ask(LONG)).await.unwrap().into_inner();
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    // Before its first part it may not even have begun.
    let mut rows = usize::from(stream.message().await.unwrap().is_some());
    until("it is stopped", Duration::from_secs(30), async || {
        running(&mut admin).await.is_empty()
    })
    .await;
    let ended = loop {
        match stream.message().await {
            Ok(Some(part)) => rows += usize::from(part.part.is_some()),
            Ok(None) => panic!("it has all its rows"),
            Err(status) => break status,
        }
    };
    assert!(rows > 0);
    assert_eq!(
        (ended.code(), reason(&ended).as_str()),
        (Code::Aborted, "ClientStalled")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_waits_for_its_reader_has_a_deadline_and_can_be_killed() {
    let fixture = Fixture::start(|config, _| config.max_stall = "1h".parse().unwrap()).await;
    let mut client = fixture.queries().await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let options = v1::QueryOptions {
        timeout_ms: Some(500),
        ..v1::QueryOptions::default()
    };
    let late = client.query(with(LONG, options)).await.unwrap();
    let mut late = late.into_inner();
    // Before its first part it may not even have begun.
    assert!(late.message().await.unwrap().is_some());
    until("its time is over", Duration::from_secs(30), async || {
        running(&mut admin).await.is_empty()
    })
    .await;
    let late = read(late).await.unwrap_err();
    assert_eq!(late.code(), Code::DeadlineExceeded, "{late}");

    let unread = client.query(ask(LONG)).await.unwrap();
    until("it runs", Duration::from_secs(30), async || {
        !running(&mut admin).await.is_empty()
    })
    .await;
    let kill = v1::KillQueryRequest {
        query_id: running(&mut admin).await.remove(0).query_id,
        ..v1::KillQueryRequest::default()
    };
    admin.kill_query(kill).await.unwrap();
    until("it is killed", Duration::from_secs(30), async || {
        running(&mut admin).await.is_empty()
    })
    .await;
    let killed = read(unread.into_inner()).await.unwrap_err();
    assert_eq!(reason(&killed), "Killed");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_the_rows_of_a_write_lying_hears_that_it_is_committed() {
    let fixture = Fixture::start(|config, _| config.max_stall = "500ms".parse().unwrap()).await;
    let mut client = fixture.queries().await;
    let mut admin = AdminServiceClient::new(fixture.channel().await);
    let mut request = ask("UNWIND range(1, 2000) AS n CREATE (:P) RETURN n, $text AS text");
    let text = Kind::StringValue("x".repeat(10_000));
    request.parameters.insert("text".to_owned(), text.into());
    let unread = client.query(request).await.unwrap();
    until("it is stopped", Duration::from_secs(30), async || {
        let count = run(&mut client, ask("MATCH (n) RETURN count(n) AS n")).await;
        count.unwrap().number() == 2000 && running(&mut admin).await.is_empty()
    })
    .await;
    let broken = read(unread.into_inner()).await.unwrap_err();
    assert_eq!(
        (broken.code(), reason(&broken).as_str()),
        (Code::Aborted, "CommittedWithoutAnswer")
    );
    let details = broken.get_error_details();
    let facts = &details.error_info().unwrap().metadata;
    assert_eq!(
        ["cause", "committed", "retryable"].map(|name| facts[name].as_str()),
        ["ClientStalled", "true", "false"]
    );
}

/// How much memory the process has at most had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap_or_default();
    let kilobytes = line
        .split_whitespace()
        .nth(1)
        .and_then(|number| number.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// A frame of gRPC whose payload is `payload`, compressed.
fn frame(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![1];
    frame.extend(u32::try_from(payload.len()).unwrap().to_be_bytes());
    frame.extend(payload);
    frame
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_message_that_unpacks_to_a_large_one_is_refused_before_it_is_there() {
    let fixture = Fixture::start(|_, _| ()).await;
    let address = format!("http://{}", fixture.server.address());
    for (name, bomb) in [("zstd", zstd_bomb()), ("gzip", gzip_bomb())] {
        assert!(bomb.len() < 2 << 20, "{name}: {}", bomb.len());
        let before = peak();
        let body = tonic::body::Body::new(http_body_util::Full::new(prost::bytes::Bytes::from(
            frame(&bomb),
        )));
        let request = tonic::codegen::http::Request::post(format!(
            "{address}/stratigraph.v1.QueryService/Query"
        ))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("grpc-encoding", name)
        .body(body)
        .unwrap();
        let response = send(&fixture, request).await;
        let code = response
            .headers()
            .get("grpc-status")
            .and_then(|code| code.to_str().ok())
            .unwrap_or("none")
            .to_owned();
        assert_eq!(code, "8", "{name}: RESOURCE_EXHAUSTED");
        let rise = peak().saturating_sub(before);
        println!(
            "{name}: {} bytes, memory rose by {} MiB",
            bomb.len(),
            rise >> 20
        );
        assert!(rise < 64 << 20, "{name}: {rise}");
    }
}

/// A field of bytes as the wire has it.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    prost::encoding::encode_varint(bytes.len() as u64, &mut field);
    field.extend(bytes);
    field
}

/// A map's entry `p` with a list of so many empty values, two bytes each.
fn empty_values(count: usize) -> Vec<u8> {
    let value = field(7, &field(1, &[]).repeat(count));
    [field(1, b"p"), field(2, &value)].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_many_empty_values_is_refused_before_they_are_there() {
    let fixture = Fixture::start(|_, _| ()).await;
    let address = format!("http://{}", fixture.server.address());
    let query = field(3, &empty_values((4 << 20) / 2 - 100));
    let node = field(3, &empty_values((16 << 20) / 2 - 100));
    let bulk = field(2, &field(1, &node));
    for (method, message) in [
        ("QueryService/Query", query),
        ("BulkService/BulkWrite", bulk),
    ] {
        let mut plain = frame(&message);
        plain[0] = 0;
        let body =
            tonic::body::Body::new(http_body_util::Full::new(prost::bytes::Bytes::from(plain)));
        let request =
            tonic::codegen::http::Request::post(format!("{address}/stratigraph.v1.{method}"))
                .header("content-type", "application/grpc")
                .header("te", "trailers")
                .body(body)
                .unwrap();
        let before = peak();
        let response = send(&fixture, request).await;
        let told = tonic::Status::from_header_map(response.headers()).expect("a status");
        assert_eq!(
            (told.code(), reason(&told).as_str()),
            (Code::ResourceExhausted, "LimitExceeded"),
            "{method}: {told}"
        );
        let rise = peak().saturating_sub(before);
        println!(
            "{method}: {} bytes, memory rose by {} MiB",
            message.len(),
            rise >> 20
        );
        assert!(rise < 100 << 20, "{method}: {rise}");
    }
}

/// Sends a request as it is.
async fn send(
    fixture: &Fixture,
    request: tonic::codegen::http::Request<tonic::body::Body>,
) -> tonic::codegen::http::Response<tonic::body::Body> {
    use tower::ServiceExt as _;
    fixture.channel().await.oneshot(request).await.unwrap()
}

const BOMB_BYTES: u64 = 1 << 30;

/// A gibibyte of zeros.
fn zstd_bomb() -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    std::io::copy(
        &mut std::io::Read::take(std::io::repeat(0), BOMB_BYTES),
        &mut encoder,
    )
    .unwrap();
    encoder.finish().unwrap()
}

fn gzip_bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::copy(
        &mut std::io::Read::take(std::io::repeat(0), BOMB_BYTES),
        &mut encoder,
    )
    .unwrap();
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_have_a_size_and_may_be_compressed() {
    let fixture =
        Fixture::start(|config, _| config.max_request_size = "64KiB".parse().unwrap()).await;
    let mut plain = fixture.queries().await;
    let request = |bytes: usize| {
        let mut request = ask("RETURN size($text) AS n");
        request.parameters.insert(
            "text".to_owned(),
            Kind::StringValue("a".repeat(bytes)).into(),
        );
        request
    };
    assert_eq!(
        run(&mut plain, request(60 << 10)).await.unwrap().number(),
        60 << 10
    );
    let refused = run(&mut plain, request(70 << 10)).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    for encoding in [CompressionEncoding::Zstd, CompressionEncoding::Gzip] {
        let client = QueryServiceClient::new(fixture.channel().await);
        let mut client = client.send_compressed(encoding).accept_compressed(encoding);
        assert_eq!(
            run(&mut client, request(60 << 10)).await.unwrap().number(),
            60 << 10
        );
        let refused = run(&mut client, request(70 << 10)).await.unwrap_err();
        assert_eq!(
            refused.code(),
            Code::ResourceExhausted,
            "{encoding:?}: {refused}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_compressed_for_who_takes_that_if_the_server_does_it() {
    for (compresses, told) in [(true, Some("gzip")), (false, None)] {
        let fixture = Fixture::start(|config, _| config.compress_responses = compresses).await;
        let client = QueryServiceClient::new(fixture.channel().await);
        let mut client = client.accept_compressed(CompressionEncoding::Gzip);
        let answer = client.query(ask("RETURN 1 AS n")).await.unwrap();
        let encoding = answer.metadata().get("grpc-encoding");
        assert_eq!(encoding.map(|name| name.to_str().unwrap()), told);
        assert_eq!(read(answer.into_inner()).await.unwrap().number(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deep_values_and_statements_are_refused_and_the_server_lives() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.queries().await;
    for depth in [40, 1000, 3000] {
        let mut value = v1::Value::null();
        for _ in 0..depth {
            value = Kind::ListValue(v1::ListValue {
                values: vec![value],
            })
            .into();
        }
        // Encoding and dropping it recurses as well, on our side.
        let sent = std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn(move || {
                let mut request = ask("RETURN 1");
                request.parameters.insert("p".to_owned(), value);
                let bytes = prost::Message::encode_to_vec(&request);
                std::mem::forget(request);
                bytes
            });
        let bytes = sent.unwrap().join().unwrap();
        let mut message = vec![0];
        message.extend(u32::try_from(bytes.len()).unwrap().to_be_bytes());
        message.extend(bytes);
        let body = tonic::body::Body::new(http_body_util::Full::new(prost::bytes::Bytes::from(
            message,
        )));
        let uri = format!(
            "http://{}/stratigraph.v1.QueryService/Query",
            fixture.server.address()
        );
        let request = tonic::codegen::http::Request::post(uri)
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(body)
            .unwrap();
        let response = send(&fixture, request).await;
        let code = response
            .headers()
            .get("grpc-status")
            .and_then(|code| code.to_str().ok())
            .unwrap_or("none")
            .to_owned();
        assert_ne!(code, "0", "{depth}");
        assert_ne!(code, "none", "{depth}");
    }
    for depth in [10, 100, 10_000, 100_000] {
        let text = format!("RETURN {}1{}", "(".repeat(depth), ")".repeat(depth));
        let ended = run(&mut client, ask(&text)).await;
        assert_eq!(ended.is_ok(), depth <= 100, "{depth}");
    }
    assert_eq!(
        run(&mut client, ask("RETURN 7 AS n"))
            .await
            .unwrap()
            .number(),
        7
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_silent_or_one_too_many_is_sent_away() {
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpStream;
    let fixture = Fixture::start(|config, _| {
        config.handshake_limit = "300ms".parse().unwrap();
        config.max_connections = 3;
    })
    .await;
    let mut client = fixture.queries().await;
    run(&mut client, ask("RETURN 1")).await.unwrap();
    let address = fixture.server.address();
    let mut silent = Vec::new();
    for _ in 0..3 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    for mut one in silent {
        let mut told = Vec::new();
        let _ = tokio::time::timeout(Duration::from_secs(30), one.read_to_end(&mut told))
            .await
            .unwrap();
    }
    // The one that has spoken stays, and there is room again.
    run(&mut client, ask("RETURN 1")).await.unwrap();
    run(&mut fixture.queries().await, ask("RETURN 1"))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_beyond_those_of_a_connection_wait_for_one_of_them() {
    let fixture = Fixture::start(|config, _| {
        config.max_streams_per_connection = 1;
        config.max_stall = "1h".parse().unwrap();
    })
    .await;
    let mut client = fixture.queries().await;
    let held = client.query(ask(LONG)).await.unwrap();
    let mut waiting = tokio::spawn({
        let mut client = client.clone();
        async move { run(&mut client, ask("RETURN 1 AS n")).await }
    });
    // Other connections have calls of their own.
    let other = run(&mut fixture.queries().await, ask("RETURN 2 AS n")).await;
    assert_eq!(other.unwrap().number(), 2);
    let soon = tokio::time::timeout(Duration::from_millis(300), &mut waiting).await;
    assert!(soon.is_err(), "it did not wait");
    drop(held);
    assert_eq!(waiting.await.unwrap().unwrap().number(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_answers_no_ping_is_gone() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let fixture = Fixture::start(|config, _| {
        config.keep_alive_interval = "100ms".parse().unwrap();
        config.keep_alive_timeout = "100ms".parse().unwrap();
    })
    .await;
    // It speaks HTTP/2 as long as it must, and then its machine is unplugged.
    let mut gone = tokio::net::TcpStream::connect(fixture.server.address())
        .await
        .unwrap();
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    gone.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .await
        .unwrap();
    gone.write_all(&settings).await.unwrap();
    let mut told = Vec::new();
    let read = gone.read_to_end(&mut told);
    let _ = tokio::time::timeout(Duration::from_secs(30), read)
        .await
        .expect("it keeps its place for ever");
    assert!(kinds_of_frames(&told).contains(&PING), "{told:?}");
}

/// The number of a frame that asks whether somebody is there.
const PING: u8 = 6;

/// What kinds of frames of HTTP/2 some bytes are.
fn kinds_of_frames(mut bytes: &[u8]) -> Vec<u8> {
    let mut kinds = Vec::new();
    while let [high, middle, low, kind, _, _, _, _, _, rest @ ..] = bytes {
        let length = u32::from_be_bytes([0, *high, *middle, *low]) as usize;
        kinds.push(*kind);
        bytes = rest.get(length..).unwrap_or_default();
    }
    kinds
}
