//! Statements that are asked again and again: once they are known to be quick they get no thread, and nobody notices.

use super::harness::{Fixture, ask, reason, run};
use stratigraph_proto::v1::{self, value::Kind};

/// So often that it is known for long.
const OFTEN: i64 = 40;

fn with(text: &str, n: i64) -> v1::QueryRequest {
    let mut request = ask(text);
    let n = Kind::IntValue(n).into();
    request.parameters.insert("n".to_owned(), n);
    request
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_often_is_answered_like_the_first_time() {
    let fixture = Fixture::start(|_, _| ()).await;
    let mut client = fixture.queries().await;
    run(
        &mut client,
        ask("UNWIND range(1, 200) AS i CREATE (:P {i: i})"),
    )
    .await
    .unwrap();
    for n in 1..=OFTEN {
        let text = "MATCH (p:P {i: $n}) RETURN p.i AS i, $n AS n";
        let answer = run(&mut client, with(text, n)).await.unwrap();
        assert_eq!((answer.number(), answer.rows.len()), (n, 1));
        assert_eq!(answer.columns, ["i", "n"]);
        assert_eq!((answer.summary.rows, answer.batches), (1, 1));
        assert!(answer.summary.sequence.is_some());
        // What somebody has written meanwhile is seen.
        let write = with("MATCH (p:P {i: $n}) SET p.seen = 1", n);
        run(&mut client, write).await.unwrap();
        let seen = run(
            &mut client,
            ask("MATCH (p:P {seen: 1}) RETURN count(p) AS n"),
        )
        .await;
        assert_eq!(seen.unwrap().number(), n);
    }
    // Messages are as large as they were asked to be.
    for _ in 0..OFTEN {
        let mut request = with("UNWIND range(1, 7) AS i RETURN i", 0);
        request.options = Some(v1::QueryOptions {
            batch_rows: Some(3),
            ..v1::QueryOptions::default()
        });
        let answer = run(&mut client, request).await.unwrap();
        assert_eq!((answer.rows.len(), answer.batches), (7, 3));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_quick_and_is_long_now_is_answered_whole() {
    let fixture = Fixture::start(|config, _| config.max_rows = 100_000).await;
    let mut client = fixture.queries().await;
    let text = "UNWIND range(1, $n) AS i RETURN i, 'some text that takes some room' AS t";
    for round in 0..3 {
        for _ in 0..OFTEN {
            let answer = run(&mut client, with(text, 2)).await.unwrap();
            assert_eq!(answer.rows.len(), 2);
        }
        // More rows, more bytes, more steps and more time than a try has, and more than anybody may have.
        for rows in [100, 5000, 60_000] {
            let answer = run(&mut client, with(text, rows)).await.unwrap();
            assert_eq!(answer.rows.len() as i64, rows, "round {round}");
        }
        let refused = run(&mut client, with(text, 100_001)).await.unwrap_err();
        assert_eq!(reason(&refused), "RowLimit");
    }
    let text = "UNWIND range(1, $n) AS i WITH i WHERE i < 0 RETURN count(*) AS n";
    for n in [1, 1, 1, 1, 1, 1, 1, 3_000_000, 1] {
        assert_eq!(run(&mut client, with(text, n)).await.unwrap().number(), 0);
    }
    let text = "RETURN 10 / $n AS n";
    for n in [1, 2, 5, 1, 2, 5, 1, 2, 5] {
        assert_eq!(
            run(&mut client, with(text, n)).await.unwrap().number(),
            10 / n
        );
    }
    let refused = run(&mut client, with(text, 0)).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument, "{refused}");
}
