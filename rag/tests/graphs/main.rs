//! The graphs of four published systems, each made by its profile from a small corpus with a model that follows a
//! script, and compared as a whole with one that was written by hand.
//!
//! `shown.rs` writes a graph down as lines: what is in it, and what leads where. What a system adds beside that is in
//! its own file.

mod bag;
mod hybrid;
mod shown;
mod tags;
mod triples;

use std::sync::Arc;

use stratigraph::Database;
use stratigraph_models::{Lexical, Recorded, Request};
use stratigraph_rag::Document;
use stratigraph_rag::build::Layers;
use stratigraph_rag::chunk::Words;
use stratigraph_rag::ingest::{Ingest, Recipe, Report};
use stratigraph_rag::read::{Format, Source};

fn document(id: &str, text: &str) -> Document {
    let source = Source::new(id, text.as_bytes());
    source.read(Format::Markdown).unwrap()
}

fn layers(recipe: &Recipe) -> Layers {
    let db = Database::in_memory().unwrap();
    Layers::open(&db, recipe.profile(), Arc::new(Lexical::new())).unwrap()
}

/// Takes documents in, measured in words, and fails if one of them fails.
fn ingest(layers: &Layers, recipe: &Recipe, model: &Arc<Recorded>, of: &[Document]) -> Report {
    let ingest = Ingest::new(layers, recipe).model(Arc::clone(model) as _);
    let report = ingest
        .measure(&Words)
        .threads(1)
        .run(of.iter().cloned().map(Ok), &|_| ());
    assert_eq!(report.documents, of.len(), "{:?}", report.problems.failed);
    report
}

/// What a request is asked with, without its name's mark: the text of a place.
fn place<'r>(request: &'r Request, name: &str) -> &'r str {
    let asked = &request.messages.last().unwrap().text;
    let (_, rest) = asked.split_once(&format!("<<{name} ")).unwrap_or_default();
    let (_, rest) = rest.split_once(">>\n").unwrap_or_default();
    rest.split_once("\n<<end ").unwrap_or_default().0
}

/// The name of the schema that the reply is held to.
fn task(request: &Request) -> &str {
    request.schema.as_ref().unwrap().name()
}
