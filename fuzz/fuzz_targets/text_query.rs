//! Parses any query, checks it, searches for it and marks what it has found in any text.
//!
//! Input: a query and a text, apart by a zero byte. Next: `engine/src/index/text/query/parse.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use stratigraph::index::text::{Highlighter, Query};
use stratigraph::{Analysis, Database, Read, TextIndex, TextSearch};

const ANALYSES: [(&str, Analysis); 3] = [
    ("en", Analysis::English),
    ("it", Analysis::Italian),
    ("zh", Analysis::Chinese),
];

fn database() -> &'static Database {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    DATABASE.get_or_init(|| {
        let db = Database::in_memory().expect("memory");
        for (name, analysis) in ANALYSES {
            let index = TextIndex::on_nodes(name, ["t"]).analysis(analysis);
            db.create_text_index(index.named(name)).expect("a new one");
        }
        let mut txn = db.write().expect("nobody else writes");
        for text in [
            "graph of trees",
            "grafi e alberi",
            "图数据库 42",
            "A_1 C++ §12",
        ] {
            txn.create_node(["en", "it", "zh"], [("t", text)])
                .expect("a node");
        }
        txn.commit().expect("memory");
        db
    })
}

fuzz_target!(|data: &[u8]| {
    let Ok(both) = std::str::from_utf8(data) else {
        return;
    };
    let (words, text) = both.split_once('\0').unwrap_or((both, both));
    let read = database().read().expect("open");
    for (name, _) in ANALYSES {
        if let Ok(answer) = read.search_text(name, &TextSearch::new(words, 10)) {
            assert!(
                answer
                    .hits
                    .is_sorted_by(|left, right| left.score >= right.score)
            );
        }
        let index = read
            .catalog()
            .text_index_named(name)
            .expect("declared")
            .index();
        let Ok(highlighter) = Highlighter::new(index.settings(), &Query::parse(words)) else {
            continue;
        };
        let marked = highlighter.mark(text, 100);
        // Slicing ends the run where something begins or ends inside of a character.
        assert!(text[marked.window.clone()].len() <= text.len());
        let mut last = 0;
        for span in &marked.spans {
            assert!(last <= span.start && !text[span.clone()].is_empty());
            last = span.end;
        }
    }
});
