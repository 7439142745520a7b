//! Texts that are searched by their words: the paragraphs of this repository's own decisions, with what has
//! matched marked.
//!
//! `cargo run --example decisions -- '"write ahead" +snapshot -RocksDB recover*'`

use std::fs;
use std::path::Path;
use stratigraph::index::text::{Highlighter, Query};
use stratigraph::{Analysis, Database, Read, Result, TextIndex, TextSearch, Value};

/// As long as what is shown of a paragraph.
const WINDOW_BYTES: usize = 160;

fn main() -> Result<()> {
    let words = std::env::args().nth(1);
    let words = words.unwrap_or_else(|| "snapshots that lose +nothing after a crash".to_owned());
    let db = Database::in_memory()?;
    let index = TextIndex::on_nodes("Paragraph", ["text"]).weighted("title", 2.0);
    db.create_text_index(index.analysis(Analysis::English).named("words"))?;

    let mut txn = db.write()?;
    for (title, text) in paragraphs() {
        txn.create_node(["Paragraph"], [("title", title), ("text", text)])?;
    }
    // From here on every reader finds all of them, and before it none.
    txn.commit()?;

    let read = db.read()?;
    println!(
        "{} paragraphs; {words}\n",
        read.node_count(Some("Paragraph"))?
    );
    let answer = read.search_text("words", &TextSearch::new(&words, 5))?;
    let index = read.catalog().text_index_named("words");
    let settings = index.map(|index| index.index().settings().clone());
    let marker = settings.map(|settings| Highlighter::new(&settings, &Query::parse(&words)));
    let marker = marker.transpose()?;
    for hit in &answer.hits {
        let property = |name| read.property(hit.entity, name);
        if let (Some(marker), Value::String(title), Value::String(text)) =
            (&marker, property("title")?, property("text")?)
        {
            println!(
                "{:.2}  {title}\n      {}\n",
                hit.score,
                marked(marker, &text)
            );
        }
    }
    Ok(())
}

/// The part of a text in which most has matched, with brackets about each match.
fn marked(marker: &Highlighter, text: &str) -> String {
    let marks = marker.mark(text, WINDOW_BYTES);
    let (mut shown, mut at) = (String::new(), marks.window.start);
    for span in marks.spans {
        if span.start >= at && span.end <= marks.window.end {
            shown.push_str(&text[at..span.start]);
            shown.push('[');
            shown.push_str(&text[span.clone()]);
            shown.push(']');
            at = span.end;
        }
    }
    shown.push_str(&text[at..marks.window.end]);
    shown.replace('\n', " ")
}

/// The paragraphs of all decisions, each with the title of its decision.
fn paragraphs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/adr");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for file in files.map(|file| file.path()) {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let title = text.lines().next().unwrap_or_default();
        let title = title.trim_start_matches("# ").to_owned();
        let parts = text.split("\n\n").filter(|part| !part.starts_with('#'));
        found.extend(parts.map(|part| (title.clone(), part.to_owned())));
    }
    found.sort();
    found
}
