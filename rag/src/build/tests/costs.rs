//! A change costs what it changes, and is refused before it costs anything.

use super::*;

#[test]
fn a_change_costs_what_it_changes() {
    let layers = layers();
    let sections: Vec<String> = (0..60)
        .map(|number| format!("## Part {number}\n\nText {number} of it.\n\n"))
        .collect();
    let put = |text: &str| {
        let source = Source::new("a.md", text.as_bytes());
        let document = source.read(Format::Markdown).unwrap();
        let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
        let said = vec![Extracted::default(); pieces.len()];
        let new = Contribution::new(&document, &pieces, &said, layers.profile()).unwrap();
        layers.upsert(&new).unwrap()
    };
    let text = sections.concat();
    assert_eq!(put(&text).vectors, 120);
    // The document's hash, a text with its place, and the link to it; places of nothing else move.
    let word = put(&text.replace("Text 30", "Word 30"));
    assert_eq!((word.written, word.deleted, word.vectors), (3, 2, 1));
    // Part 30 is as it was, and one is new.
    let last = put(&format!("{text}## Last\n\nThe last.\n"));
    assert!(last.written <= 7 && last.vectors == 3, "{last:?}");
    // Places move, and no vector is computed but for what is new.
    let first = put(&text.replace("## Part 1\n", "## New\n\nThe newest.\n\n## Part 1\n"));
    assert_eq!(first.vectors, 2, "{first:?}");
}

#[test]
fn a_text_that_moves_takes_its_vector_along() {
    let before = "# A\n\nBasalt was lava.\n";
    let profile = Profile::structure().without_headings_in_vectors();
    let db = Database::in_memory().unwrap();
    let embedder = Arc::new(Lexical::new());
    let plain = Layers::open(&db, profile, embedder).unwrap();
    let put = |text: &str| {
        let new = contribution("a", text, Extracted::default(), plain.profile());
        plain.upsert(&new).unwrap()
    };
    // The heading and the chunk.
    assert_eq!(put(before).vectors, 2);
    let moved = put("# B\n\nBasalt was lava.\n");
    assert_eq!((moved.vectors, moved.deleted), (1, 4));
}

#[test]
fn what_no_transaction_holds_is_refused_before_vectors_are_computed() {
    let db = Database::builder()
        .transaction_bytes(400_000)
        .in_memory()
        .unwrap();
    let meddling = Arc::new(Meddling::default());
    let layers = Layers::open(&db, Profile::structure(), meddling.clone()).unwrap();
    let asked = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_asked = Arc::clone(&asked);
    meddling.next(move || is_asked.store(true, std::sync::atomic::Ordering::Relaxed));
    let text = "x".repeat(500_000);
    let new = contribution("a", &text, Extracted::default(), layers.profile());
    let refused = layers.upsert(&new).err().unwrap();
    assert!(matches!(refused, BuildError::TooLarge { .. }), "{refused}");
    assert!(!asked.load(std::sync::atomic::Ordering::Relaxed));
}
