//! What is told of documents that cannot be taken in, and of lines that are left out.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_says_why_as_a_run_does_and_broken_lines_are_apart() {
    let fixture = Fixture::start(|_, _| ()).await;
    let channel = fixture.channel().await;
    let fact = r#"{"subject": "Basalt", "relation": "is", "object": "dark"}"#;
    let parts = |dry_run: bool| {
        let layers = v1::RagLayers {
            profile: "triples".to_owned(),
            ..v1::RagLayers::default()
        };
        vec![
            Part::Start(v1::UpsertStart {
                layers: Some(layers),
                dry_run,
                ..v1::UpsertStart::default()
            }),
            document("a.md", ROCKS),
            document("front.md", "---\na:\n  b: c\n---\n# Rocks\n"),
            document("some.jsonl", &format!("{fact}\n[1]\n")),
            document("none.jsonl", &"[1]\n".repeat(101)),
            FINISH,
        ]
    };
    for dry_run in [true, false] {
        let (reports, ended) = upsert(channel.clone(), parts(dry_run)).await;
        ended.unwrap();
        let told: Vec<_> = { reports.iter() }
            .map(|report| {
                let lines = (report.broken_lines.len(), report.count_broken_lines);
                (report.taken_in, report.problems.len(), lines)
            })
            .collect();
        assert_eq!(
            told,
            [
                (true, 0, (0, 0)),
                (false, 1, (0, 0)),
                (true, 0, (1, 1)),
                (false, 1, (100, 101))
            ],
            "{reports:?}"
        );
        let [_, front, some, none] = &reports[..] else {
            panic!("{reports:?}");
        };
        let begins = "front.md, line 3, column 1: nested names";
        assert!(front.problems[0].starts_with(begins), "{front:?}");
        assert!(some.broken_lines[0].starts_with("some.jsonl, line 2"));
        assert!(none.problems[0].contains("101 broken lines"), "{none:?}");
        let documents = if dry_run { 0 } else { 2 };
        assert_eq!(count(&fixture, "(:Document)").await, documents);
    }
}
