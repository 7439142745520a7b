//! Statements and their rows.

use crate::fake::{Act, End, Fake, numbers, refusal, summary};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;
use stratigraph_client::value::{Date, Node, Vector};
use stratigraph_client::{Error, ErrorKind, Position, StatusCode, Value};
use stratigraph_proto::v1::{self, value::Kind};
use tokio_stream::StreamExt as _;
use tonic::{Code, Status};

fn person(id: u64, name: &str, born: Option<i64>) -> Kind {
    let mut properties =
        BTreeMap::from([("name".to_owned(), Kind::StringValue(name.to_owned()).into())]);
    if let Some(born) = born {
        properties.insert("born".to_owned(), Kind::IntValue(born).into());
    }
    Kind::NodeValue(v1::Node {
        id,
        labels: vec!["Person".to_owned()],
        properties,
    })
}

#[derive(Debug, PartialEq, Deserialize)]
struct Person {
    name: String,
    born: Option<i64>,
}

#[tokio::test]
async fn rows_come_in_order_and_the_summary_after_them() {
    let fake = Fake::start([numbers(0..1000)]).await;
    let mut rows = fake
        .client()
        .await
        .query("MATCH (n) RETURN n.n AS n")
        .rows()
        .await
        .unwrap();
    assert_eq!(rows.columns(), ["n"]);
    let mut wanted = 0;
    while let Some(row) = rows.next().await.unwrap() {
        assert_eq!(row.get::<i64>("n").unwrap(), wanted);
        wanted += 1;
    }
    assert_eq!(wanted, 1000);
    let told = rows.summary().unwrap();
    assert_eq!(told.rows, 1000);
    assert_eq!(told.elapsed, Duration::from_micros(1500));
    assert_eq!(rows.next().await.unwrap(), None);
    assert_eq!(rows.finish().await.unwrap().rows, 1000);
}

#[tokio::test]
async fn rows_are_a_stream_too() {
    let fake = Fake::start([numbers(0..5)]).await;
    let rows = fake.client().await.query("x").rows().await.unwrap();
    let all: Vec<i64> = rows
        .deserialize::<i64>()
        .map(Result::unwrap)
        .collect()
        .await;
    assert_eq!(all, [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn rows_become_types() {
    let row = vec![
        person(7, "Ada", Some(1815)),
        Kind::DateValue(v1::Date {
            epoch_days: -56_270,
        }),
        Kind::VectorValue(v1::Vector {
            components: vec![0.5, 1.5],
        }),
        Kind::NullValue(v1::Null {}),
    ];
    let batch = vec![vec![row]];
    let one = Act::Rows(vec!["p", "day", "v", "none"], batch, summary(1));
    let single = Act::Rows(
        vec!["p"],
        vec![vec![vec![person(8, "Bob", None)]]],
        summary(1),
    );
    let fake = Fake::start([one.clone(), one, single]).await;
    let client = fake.client().await;

    let mut rows = client.query("x").rows().await.unwrap();
    let row = rows.next().await.unwrap().unwrap();
    let ada = Person {
        name: "Ada".to_owned(),
        born: Some(1815),
    };
    assert_eq!(row.get::<Person>("p").unwrap(), ada);
    let node: Node = row.get("p").unwrap();
    assert_eq!((node.id, &*node.labels[0]), (7, "Person"));
    assert_eq!(node.get::<&str>("name").unwrap(), "Ada");
    assert_eq!(node.get::<Option<i64>>("died").unwrap(), None);
    assert_eq!(row.get::<String>("day").unwrap(), "1815-12-10");
    assert_eq!(row.get::<Date>("day").unwrap().epoch_days, -56_270);
    assert_eq!(row.get::<Vec<f32>>("v").unwrap(), [0.5, 1.5]);
    assert_eq!(row.get::<Vector>("v").unwrap(), Vector(vec![0.5, 1.5]));
    assert_eq!(row.get::<Option<String>>("none").unwrap(), None);
    assert!(matches!(row.get::<Value>("p").unwrap(), Value::Node(_)));
    let wrong = row.get::<i64>("p").unwrap_err();
    assert!(matches!(&wrong, Error::Type { place, .. } if place == "column `p`, which is NODE"));
    let missing = row.get::<i64>("q").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "there is no column `q`; there are: p, day, v, none"
    );

    #[derive(Deserialize)]
    struct All {
        p: Person,
        day: String,
        v: Vec<f64>,
        none: Option<bool>,
    }
    let all: All = client.query("x").one().await.unwrap();
    assert_eq!(
        (all.p, &*all.day, all.v.len(), all.none),
        (ada, "1815-12-10", 2, None)
    );
    // The only column, of which no field is called `p`.
    let bob: Person = client.query("x").one().await.unwrap();
    assert_eq!(bob.name, "Bob");
}

#[tokio::test]
async fn parameters_are_whatever_serde_takes_apart() {
    #[derive(Serialize)]
    struct Filter<'a> {
        name: &'a str,
        since: Option<i64>,
        tags: Vec<&'a str>,
    }
    let fake = Fake::start([]).await;
    let client = fake.client().await;
    client
        .query("RETURN 1")
        .params(Filter {
            name: "Ada",
            since: None,
            tags: vec!["a"],
        })
        .param("v", Vector(vec![1.0]))
        .param("day", Date { epoch_days: 1 })
        .param("raw", Value::Float(0.5))
        .run()
        .await
        .unwrap();
    let sent = fake.seen().pop().unwrap().query.unwrap().parameters;
    let kind = |name: &str| sent[name].kind.clone().unwrap();
    assert_eq!(kind("name"), Kind::StringValue("Ada".to_owned()));
    assert_eq!(kind("since"), Kind::NullValue(v1::Null {}));
    assert!(matches!(kind("tags"), Kind::ListValue(list) if list.values.len() == 1));
    assert_eq!(
        kind("v"),
        Kind::VectorValue(v1::Vector {
            components: vec![1.0]
        })
    );
    assert_eq!(kind("day"), Kind::DateValue(v1::Date { epoch_days: 1 }));
    assert_eq!(kind("raw"), Kind::DoubleValue(0.5));

    let refused = client
        .query("RETURN $x")
        .param("x", u64::MAX)
        .run()
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, Error::Parameter { name, .. } if name == "x"),
        "{refused}"
    );
    assert_eq!(refused.kind(), ErrorKind::Request);
    let refused = client.query("RETURN $x").params(7).run().await.unwrap_err();
    assert!(matches!(&refused, Error::Parameter { .. }), "{refused}");
    let node = client
        .query("RETURN $x")
        .param("x", Node::default())
        .run()
        .await
        .unwrap_err();
    assert!(node.to_string().contains("send their ids"), "{node}");
    assert_eq!(fake.calls("Query"), 1, "a wrong parameter was sent");
}

#[tokio::test]
async fn an_error_has_its_place_and_its_hint() {
    let facts = [
        ("line", "2"),
        ("column", "9"),
        ("length", "5"),
        ("hint", "did you mean `person`?"),
    ];
    let status = refusal(Code::InvalidArgument, "UndefinedVariable", &facts, None);
    let fake = Fake::start([Act::Fail(status)]).await;
    let error = fake
        .client()
        .await
        .query("RETURN\n persn")
        .run()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert_eq!(error.code(), Some("UndefinedVariable"));
    let place = Position {
        line: 2,
        column: 9,
        length: 5,
    };
    assert_eq!(error.position(), Some(place));
    assert_eq!(error.hint(), Some("did you mean `person`?"));
    assert!(!error.is_retryable());
    let said = error.refusal().unwrap();
    assert_eq!(said.status(), StatusCode::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "UndefinedVariable: it is UndefinedVariable (line 2, column 9); did you mean `person`?"
    );
    let id = &fake.seen()[0].metadata["x-request-id"];
    assert_eq!(error.request_id(), Some(&**id));
    assert_eq!(fake.calls("Query"), 1);
}

#[tokio::test]
async fn an_answer_without_its_summary_is_an_error() {
    let row = || vec![vec![vec![Kind::IntValue(1)]]];
    let cut_short = || Act::Rows(vec!["n"], row(), End::Nothing);
    let fake = Fake::start([cut_short(), cut_short()]).await;
    let client = fake.client().await;
    let error = client
        .query("x")
        .read_only()
        .all::<i64>()
        .await
        .unwrap_err();
    assert!(
        matches!(
            &error,
            Error::Interrupted {
                rows: 1,
                may_have_written: false,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(error.kind(), ErrorKind::Retry);
    let error = client.query("x").run().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(
        fake.calls("Query"),
        2,
        "rows that were given were asked for again"
    );
}

#[tokio::test]
async fn an_error_after_rows_is_the_statements_own_or_an_interruption() {
    let row = || vec![vec![vec![Kind::IntValue(1)]]];
    let own = refusal(Code::InvalidArgument, "DivisionByZero", &[], None);
    let strange = Status::unavailable("gone");
    let fake = Fake::start([
        Act::Rows(vec!["n"], row(), End::Fail(own)),
        Act::Rows(vec!["n"], row(), End::Fail(strange)),
        Act::Rows(vec!["n"], row(), End::Cut),
    ])
    .await;
    let client = fake.client().await;
    let mut rows = client.query("x").rows().await.unwrap();
    assert!(rows.next().await.unwrap().is_some());
    let error = rows.next().await.unwrap_err();
    assert_eq!(error.code(), Some("DivisionByZero"));
    assert_eq!(rows.next().await.unwrap(), None, "rows after an error");
    assert!(matches!(
        rows.finish().await,
        Err(Error::Interrupted { .. })
    ));

    for _ in 0..2 {
        let error = client
            .query("x")
            .read_only()
            .all::<i64>()
            .await
            .unwrap_err();
        assert!(
            matches!(error, Error::Interrupted { rows: 1, .. }),
            "{error:?}"
        );
    }
    assert_eq!(fake.calls("Query"), 3);
}

#[tokio::test]
async fn rows_that_are_dropped_stop_their_statement() {
    let fake = Fake::start([Act::Endless]).await;
    let client = fake.client().await;
    let mut rows = client.query("x").rows().await.unwrap();
    assert!(rows.next().await.unwrap().is_some());
    // Nobody takes rows: the server can send no more than what fits on the way.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let sent = fake.state.batches.load(Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(
        fake.state.batches.load(Ordering::Relaxed),
        sent,
        "no back-pressure"
    );
    assert_eq!(fake.state.given_up.load(Ordering::Relaxed), 0);
    drop(rows);
    fake.until("the server hears of it", |state| {
        state.given_up.load(Ordering::Relaxed) == 1
    })
    .await;
}

#[tokio::test]
async fn a_call_has_a_deadline_before_and_between_rows() {
    let row = vec![vec![vec![Kind::IntValue(1)]]];
    let slow = Act::Late(Duration::from_secs(60), Box::new(Act::Usual));
    let fake = Fake::start([slow.clone(), slow, Act::Rows(vec!["n"], row, End::Hang)]).await;
    let client = fake.client().await;
    let limit = Duration::from_millis(150);
    let error = client
        .query("x")
        .read_only()
        .timeout(limit)
        .run()
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Deadline { allowed } if allowed == limit),
        "{error:?}"
    );
    // A statement that may have written something.
    let error = client
        .query("CREATE ()")
        .timeout(limit)
        .run()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
    let error = client
        .query("x")
        .read_only()
        .timeout(limit)
        .run()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Deadline { .. }), "{error:?}");
    fake.until("the server hears of it", |state| {
        state.given_up.load(Ordering::Relaxed) == 1
    })
    .await;
    for seen in fake.seen() {
        assert!(seen.metadata.contains_key("grpc-timeout"), "{seen:?}");
        assert_eq!(seen.query.unwrap().options.unwrap().timeout_ms, Some(150));
    }
}

#[tokio::test]
async fn explain_and_profile_ask_for_it_and_give_plans() {
    let planned = End::Summary(Box::new(v1::QuerySummary {
        plan: "AllNodes".to_owned(),
        operators: vec![v1::PlanOperator {
            text: "AllNodes".to_owned(),
            work: Some(v1::OperatorWork {
                rows: 3,
                ..v1::OperatorWork::default()
            }),
            ..v1::PlanOperator::default()
        }],
        counters: Some(v1::QueryCounters {
            nodes_created: 2,
            ..v1::QueryCounters::default()
        }),
        searches: vec![v1::SearchProvenance {
            index: "i".to_owned(),
            ..v1::SearchProvenance::default()
        }],
        ..v1::QuerySummary::default()
    }));
    let act = || Act::Rows(vec![], vec![], planned.clone());
    let fake = Fake::start([act(), act()]).await;
    let client = fake.client().await;
    assert_eq!(client.query("x").explain().await.unwrap().plan, "AllNodes");
    let told = client.query("x").profile().await.unwrap();
    assert_eq!(told.operators[0].work.unwrap().rows, 3);
    assert_eq!(told.counters.nodes_created, 2);
    assert!(told.counters.any());
    assert_eq!(told.searches[0].index, "i");
    let modes: Vec<_> = fake
        .seen()
        .into_iter()
        .map(|seen| seen.query.unwrap().options.unwrap().mode())
        .collect();
    assert_eq!(
        modes,
        [v1::ExecutionMode::Explain, v1::ExecutionMode::Profile]
    );
}

#[tokio::test]
async fn prepared_statements_are_prepared_again_when_they_are_forgotten() {
    let fake = Fake::start([]).await;
    let client = fake.client().await;
    let prepared = client.prepare("RETURN $x AS n").await.unwrap();
    assert_eq!(
        (prepared.parameters(), prepared.columns()),
        (&["x".to_owned()][..], &["n".to_owned()][..])
    );
    assert!(!prepared.writes());
    fake.then([numbers([1])]);
    assert_eq!(
        prepared.query().param("x", 1).one::<i64>().await.unwrap(),
        1
    );
    fake.state.prepared.lock().unwrap().clear();
    fake.then([Act::Usual, Act::Usual, numbers([2])]);
    assert_eq!(
        prepared.query().param("x", 1).one::<i64>().await.unwrap(),
        2
    );
    assert_eq!(fake.calls("PrepareStatement"), 2);
    assert!(prepared.forget().await.unwrap());

    fake.then([Act::Usual, numbers([3])]);
    let named = client.named_queries();
    named
        .save("all", "MATCH (n) RETURN n", "everything")
        .await
        .unwrap();
    assert_eq!(client.named("all").one::<i64>().await.unwrap(), 3);
    assert_eq!(fake.seen().pop().unwrap().what, "named all");
    assert_eq!(named.list().await.unwrap()[0].name, "all");
    assert!(named.remove("all").await.unwrap());
}

#[tokio::test]
async fn one_row_means_one() {
    let fake = Fake::start([numbers([]), numbers([]), numbers([1, 2]), numbers([5])]).await;
    let client = fake.client().await;
    assert!(matches!(
        client.query("x").one::<i64>().await,
        Err(Error::RowCount { .. })
    ));
    assert_eq!(client.query("x").optional::<i64>().await.unwrap(), None);
    assert!(matches!(
        client.query("x").optional::<i64>().await,
        Err(Error::RowCount { .. })
    ));
    assert_eq!(client.query("x").one::<i64>().await.unwrap(), 5);
}
