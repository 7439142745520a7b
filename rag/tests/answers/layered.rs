//! One graph with all layers, made of a small corpus by rules: every preset finds something in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::Metadata;
use stratigraph_rag::door::{Equipment, Incoming, Library, Resummarise, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::retrieve::{Pipeline, Question};

/// A guide and a register of facts, with their names.
fn sample() -> Vec<(String, Vec<u8>)> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/halvren");
    let mut files = Vec::new();
    for folder in ["guide", "facts"] {
        for entry in fs::read_dir(sample.join(folder)).unwrap() {
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
    let question = Question::new("What is Corran Bridge built of?").unwrap();
    // Queries over tables stand beside the layers: here are none.
    for preset in Pipeline::presets().filter(|preset| *preset != "audit") {
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
            _ => &["Chunk"],
        };
        for kind in expected {
            assert!(kinds.contains(kind), "{preset}: {kinds:?}");
        }
        assert_eq!(kinds.is_empty(), preset == "direct", "{preset}: {kinds:?}");
    }
    // Whoever opens it later goes on as it was made.
    let again = library.open().unwrap();
    assert_eq!(again.recipe().system(), System::Layered);
}
