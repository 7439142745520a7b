//! One graph with all layers, made of a small corpus by rules, with tables beside it: every preset finds something in it, and
//! answers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::Metadata;
use stratigraph_rag::answer::Event;
use stratigraph_rag::door::{Ask, Equipment, Incoming, Library, Resummarise, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::read::TableMapping;
use stratigraph_rag::retrieve::{Pipeline, Question};

/// Where a part of the sample is.
fn sample_of(part: &str) -> PathBuf {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/halvren");
    sample.join(part)
}

/// A guide and a register of facts, with their names.
fn sample() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in ["guide", "facts"] {
        for entry in fs::read_dir(sample_of(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            files.push((name.into_owned(), fs::read(&path).unwrap()));
        }
    }
    files.sort_unstable();
    files
}

#[test]
fn every_preset_finds_something_in_one_graph() {
    let db = Database::in_memory().unwrap();
    let wanted = Wanted::new(System::Layered).language("english").unwrap();
    let library = Library::new(&db, Equipment::default());
    let (open, cancel) = (library.create(&wanted).unwrap(), CancelToken::new());
    for (id, bytes) in sample() {
        let document = Incoming {
            id,
            bytes,
            format: None,
            metadata: Metadata::new(),
        };
        let report = open.upsert(document, &cancel, &|_| ()).unwrap();
        assert_eq!(report.documents, 1, "{:?}", report.problems.failed);
    }
    // Domains are found by their summaries.
    let summaries = Resummarise {
        domains: true,
        central: Some(true),
        ..Resummarise::default()
    };
    let made = open.resummarise(&summaries, &cancel, &|_| ()).unwrap();
    assert!(made.mended.len() > 10 && made.failed.is_empty(), "{made:?}");
    let tables = TableMapping::read(&sample_of("tables/mapping.toml")).unwrap();
    let report = open.layers().upsert_tables("works", &tables).unwrap();
    assert_eq!(report.count_broken, 0, "{:?}", report.broken);
    let question = Question::new("What is Corran Bridge built of?").unwrap();
    for preset in Pipeline::presets() {
        let pipeline = Pipeline::preset(preset).unwrap();
        let retrieved = open.retrieve(&pipeline, &question, &cancel).unwrap();
        let kinds = retrieved.found.iter();
        let kinds: BTreeSet<&str> = kinds.map(|one| one.receipt.name.kind.as_str()).collect();
        let expected: &[&str] = match preset {
            "direct" => &[],
            "triples" => &["FACT"],
            "tag" => &["DomainTag"],
            "graph" => &["Entity", "FACT"],
            "hybrid" => &["Chunk", "FACT"],
            "audit" => &["Work"],
            _ => &["Chunk"],
        };
        for kind in expected {
            assert!(kinds.contains(kind), "{preset}: {kinds:?}");
        }
        assert_eq!(kinds.is_empty(), preset == "direct", "{preset}: {kinds:?}");
        let ask = Ask::new(&pipeline, &question);
        let answer = open.ask(&ask, &cancel, &mut |_| ()).unwrap();
        let said: Vec<&str> = answer.answer.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(said.is_empty(), preset == "direct", "{preset}");
        for text in &said {
            assert!(!text.contains('#'), "{preset} tells a heading: {text}");
            assert!(!text.contains("co-occurs with"), "{preset}: {text}");
            let is_address = text.starts_with("Register of works");
            assert!(!is_address, "{preset} tells where a fact is from: {text}");
        }
        if preset == "audit" {
            // The row itself, whatever its words have to do with those of the question.
            let bridge = "name: Corran Bridge; kind: bridge; stone: red sandstone";
            assert!(said[0].starts_with(bridge), "{said:?}");
        }
    }
    // Whoever opens it later goes on as it was made.
    let again = library.open().unwrap();
    assert_eq!(again.recipe().system(), System::Layered);
}

#[test]
fn headings_and_names_that_stand_together_answer_nothing() {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, Equipment::default());
    let wanted = Wanted::new(System::Hybrid);
    let (open, cancel) = (library.create(&wanted).unwrap(), CancelToken::new());
    // One piece, which spans all of these headings.
    let text = "# Bridges\n\n## Corran Bridge\n\nCorran Bridge is built of red sandstone from Tarn Pits.\n\n\
                ## Mill Bridge\nMill Bridge is built of limestone.\n";
    let document = Incoming {
        id: "bridges.md".to_owned(),
        bytes: text.as_bytes().to_vec(),
        format: None,
        metadata: Metadata::new(),
    };
    let report = open.upsert(document, &cancel, &|_| ()).unwrap();
    assert_eq!(report.pieces, 1);
    let pipeline = Pipeline::preset("hybrid").unwrap();
    let question = Question::new("What is Corran Bridge built of?").unwrap();
    let mut found: Vec<String> = Vec::new();
    let ask = Ask::new(&pipeline, &question);
    let answer = open.ask(&ask, &cancel, &mut |event| {
        if let Event::Retrieved(retrieved) = event {
            found = retrieved.found.iter().map(|one| one.text.clone()).collect();
        }
    });
    assert!(
        found[0].contains("## Corran Bridge") && found[0].contains("## Mill Bridge"),
        "{found:?}"
    );
    let together = "Corran Bridge co-occurs with Tarn Pits";
    assert!(found.iter().any(|text| text == together), "{found:?}");
    let said = [
        "Corran Bridge is built of red sandstone from Tarn Pits.",
        "Mill Bridge is built of limestone.",
    ];
    let answer = answer.unwrap().answer;
    assert_eq!(answer[0].text, said[0]);
    for one in &answer {
        assert!(said.contains(&one.text.as_str()), "{one:?}");
    }
}
