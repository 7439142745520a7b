// The example of docs/library.md with a document, word for word but for these lines. `../front.rs` includes it, so there is no inner documentation.

use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::Metadata;
use stratigraph_rag::door::{Ask, Equipment, Incoming, Library, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::retrieve::{Pipeline, Question, Receipt};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = Database::in_memory()?; // or Database::create("guide")?, which is a folder
    let library = Library::new(&db, Equipment::default()); // no model: rules, and vectors of letters
    let open = library.create(&Wanted::new(System::Strata))?; // said once for a database
    let never = CancelToken::new();

    let take_in = |text: &str| {
        let rocks = Incoming {
            id: "rocks.md".to_owned(),
            bytes: text.into(),
            format: None, // its name tells
            metadata: Metadata::new(),
        };
        open.upsert(rocks, &never, &|_| ())
    };
    let text = "# Rocks\n\n## Basalt\n\nBasalt comes from Mount Etna. It is dark and heavy.\n";
    let report = take_in(text)?; // durable in a folder; what cannot be read is among `problems`
    assert_eq!((report.documents, report.problems.count_failed), (1, 0));

    let pipeline = Pipeline::preset("strata")?;
    let question = Question::new("Where does basalt come from?")?;
    for found in open.retrieve(&pipeline, &question, &never)?.found {
        println!("{:.2}  {}", found.receipt.score.value, found.heading);
    }
    let answer = open.ask(&Ask::new(&pipeline, &question), &never, &mut |_| ())?;
    assert!(answer.answer[0].text.contains("Mount Etna"));

    // What was cited says later whether it still stands.
    let cited = answer.sources.into_iter();
    let receipts: Vec<Receipt> = cited.map(|source| source.receipt).collect();
    let standing = library.verify(&receipts, &never)?;
    assert!(standing.iter().all(|one| one.holds()));
    take_in(&text.replace("Mount Etna", "Iceland"))?;
    let standing = library.verify(&receipts, &never)?;
    assert!(!standing.iter().any(|one| one.holds()));
    Ok(())
}
