//! Single cases: what a person would ask first.

use super::model::{Texts, agree, set, sound};
use super::slow::{BODY, TITLE, index, property};
use crate::database::Database;
use crate::index::text::segment::view::statistics;
use crate::index::text::{
    Analysis, Highlighter, OwnerId, Query, SearchOptions, TextCache, TextReader, TextWriter,
    merge_some, should_merge,
};
use crate::keys::KeyRead;
use crate::storage::family::Family;
use roaring::RoaringTreemap;

fn text(body: &str) -> (String, String) {
    (String::new(), body.to_owned())
}

#[test]
fn an_index_that_was_never_written_finds_nothing() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::English);
    let (read, cache) = (db.key_read().unwrap(), TextCache::default());
    let search = TextReader::open(&read, &index, &cache).unwrap();
    let found = search
        .search(
            &Query::parse("anything \"at all\" a*"),
            &SearchOptions::top(10),
        )
        .unwrap();
    assert_eq!((found.hits, search.documents()), (Vec::new(), 0));
}

#[test]
fn a_search_tells_how_many_live_documents_have_each_term() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::English);
    let cache = TextCache::default();
    let told = || {
        let read = db.key_read().unwrap();
        let reader = TextReader::open(&read, &index, &cache).unwrap();
        let query = Query::term("runs running whales");
        let found = reader.search(&query, &SearchOptions::top(1)).unwrap();
        // Where nothing may be found, they are told without a look at who has them.
        let among = RoaringTreemap::new();
        let nothing = SearchOptions {
            among: Some(&among),
            ..SearchOptions::top(1)
        };
        let counted = reader.search(&query, &nothing).unwrap();
        assert_eq!(counted.hits, []);
        assert_eq!((counted.work.blocks, counted.work.postings), (0, 0));
        assert_eq!(
            (counted.documents, &counted.terms),
            (found.documents, &found.terms)
        );
        let terms = found.terms.into_iter();
        let terms: Vec<(String, u64)> = terms.map(|one| (one.term, one.documents)).collect();
        (found.documents, terms)
    };
    let put = |texts: &[(u64, &str)]| {
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        for (owner, body) in texts {
            set(&mut writer, *owner, &text(body));
        }
        writer.settle(&mut txn).unwrap();
        txn.commit().unwrap();
    };
    assert_eq!(told(), (0, Vec::new()));
    put(&[(1, "She runs"), (2, "He ran and runs"), (3, "They swim")]);
    let counts = |runs: u64| vec![("run".to_owned(), runs), ("whale".to_owned(), 0)];
    assert_eq!(told(), (3, counts(2)));
    // What a document said before counts no more.
    put(&[(1, "She swims")]);
    assert_eq!(told(), (3, counts(1)));
}

#[test]
fn a_transaction_finds_its_own_texts_and_others_only_once_it_has_committed() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::English);
    let cache = TextCache::default();
    let ids = |hits: &[crate::index::text::Hit]| {
        hits.iter().map(|hit| hit.owner.get()).collect::<Vec<_>>()
    };
    let query = Query::parse("running");
    let before = db.key_read().unwrap();
    let mut txn = db.key_write().unwrap();
    let mut writer = TextWriter::new(index.clone());
    set(&mut writer, 3, &text("She runs"));
    writer.settle(&mut txn).unwrap();
    assert!(writer.is_empty());
    let own = TextReader::open(&txn, &index, &cache)
        .unwrap()
        .search(&query, &SearchOptions::top(5))
        .unwrap();
    assert_eq!(ids(&own.hits), [3]);
    txn.commit().unwrap();
    let after = db.key_read().unwrap();
    for (read, expected) in [(&before, vec![]), (&after, vec![3])] {
        let search = TextReader::open(read, &index, &cache).unwrap();
        assert_eq!(
            ids(&search.search(&query, &SearchOptions::top(5)).unwrap().hits),
            expected
        );
    }
}

#[test]
fn a_rolled_back_transactions_segment_is_not_taken_for_the_next_one_of_that_number() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::Plain);
    let cache = TextCache::default();
    let write = |word: &str, commit: bool| {
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        set(&mut writer, 1, &text(word));
        writer.settle(&mut txn).unwrap();
        let search = TextReader::open(&txn, &index, &cache).unwrap();
        assert_eq!(
            search
                .search(&Query::term(word), &SearchOptions::top(5))
                .unwrap()
                .hits
                .len(),
            1
        );
        if commit {
            txn.commit().unwrap();
        }
    };
    write("first", false);
    write("second", true);
    let read = db.key_read().unwrap();
    let search = TextReader::open(&read, &index, &cache).unwrap();
    assert!(
        search
            .search(&Query::term("first"), &SearchOptions::top(5))
            .unwrap()
            .hits
            .is_empty()
    );
    assert_eq!(
        search
            .search(&Query::term("second"), &SearchOptions::top(5))
            .unwrap()
            .hits
            .len(),
        1
    );
}

#[test]
fn two_histories_of_the_same_texts_give_the_same_scores_to_the_last_bit() {
    let index = index(Analysis::English);
    let texts: Texts = (0..300_u64)
        .map(|owner| {
            (
                OwnerId::new(owner),
                text(&format!(
                    "graph number {owner} of {} {}",
                    owner % 7,
                    "tree ".repeat(owner as usize % 5)
                )),
            )
        })
        .collect();
    let queries = [
        "graph tree",
        "number 3 tree",
        "\"of 3\"",
        "+tree -3 graph",
        "gr*",
    ]
    .map(Query::parse);
    let found = |portion: usize, detour: bool| {
        let db = Database::in_memory().unwrap();
        let mut rng = fastrand::Rng::with_seed(3);
        if detour {
            // Other texts, then removals, then the right ones in another order.
            let mut txn = db.key_write().unwrap();
            let mut writer = TextWriter::new(index.clone());
            for owner in 0..600 {
                set(&mut writer, owner, &text("tree of graphs that goes"));
            }
            writer.settle(&mut txn).unwrap();
            (0..600).for_each(|owner| writer.remove(OwnerId::new(owner)));
            writer.settle(&mut txn).unwrap();
            txn.commit().unwrap();
        }
        let mut order: Vec<_> = texts.iter().collect();
        if detour {
            rng.shuffle(&mut order);
        }
        for portion in order.chunks(portion) {
            let mut txn = db.key_write().unwrap();
            let mut writer = TextWriter::new(index.clone());
            for (owner, text) in portion {
                set(&mut writer, owner.get(), text);
            }
            writer.settle(&mut txn).unwrap();
            txn.commit().unwrap();
        }
        let (read, cache) = (db.key_read().unwrap(), TextCache::default());
        sound(&read, &index, &texts);
        let search = TextReader::open(&read, &index, &cache).unwrap();
        queries
            .each_ref()
            .map(|query| search.search(query, &SearchOptions::top(50)).unwrap().hits)
    };
    let whole = found(1000, false);
    assert_eq!(found(7, false), whole);
    assert_eq!(found(1, true), whole);
}

#[test]
fn single_commits_do_not_pile_up_segments() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::English);
    let mut most = 0;
    for owner in 0..700_u64 {
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        set(
            &mut writer,
            owner,
            &text(&format!(
                "the document of {owner} with some words like {}",
                owner * 31 % 97
            )),
        );
        writer.settle(&mut txn).unwrap();
        txn.commit().unwrap();
        most = most.max(
            statistics(&db.key_read().unwrap(), index.id())
                .unwrap()
                .segments
                .len(),
        );
    }
    assert!(most <= 24, "{most} segments");
    // Removing everything leaves nothing but the statistics.
    let mut txn = db.key_write().unwrap();
    let mut writer = TextWriter::new(index.clone());
    (0..700).for_each(|owner| writer.remove(OwnerId::new(owner)));
    writer.settle(&mut txn).unwrap();
    while should_merge(&txn, &index, u64::MAX).unwrap() {
        merge_some(&mut txn, &index).unwrap();
    }
    txn.commit().unwrap();
    let read = db.key_read().unwrap();
    sound(&read, &index, &Texts::new());
    assert_eq!(statistics(&read, index.id()).unwrap().live, 0);
}

#[test]
fn what_was_written_is_found_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(Analysis::English);
    let mut texts = Texts::new();
    for round in 0..3_u64 {
        let db = if round == 0 {
            Database::create(folder.path().join("db"))
        } else {
            Database::open(folder.path().join("db"))
        };
        let db = db.unwrap();
        let read = db.key_read().unwrap();
        agree(
            &read,
            &index,
            &texts,
            &[Query::parse("graph +of \"the tree\"")],
            &TextCache::default(),
        );
        drop(read);
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        for owner in 0..200 {
            let body = text(&format!(
                "graph of the tree {} {round}",
                (owner * (round + 3)) % 11
            ));
            set(&mut writer, owner * (round + 1), &body);
            texts.insert(OwnerId::new(owner * (round + 1)), body);
        }
        writer.settle(&mut txn).unwrap();
        txn.commit().unwrap();
        sound(&db.key_read().unwrap(), &index, &texts);
    }
}

#[test]
fn dropping_an_index_is_removing_its_keys() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::Plain);
    let mut txn = db.key_write().unwrap();
    let mut writer = TextWriter::new(index.clone());
    set(&mut writer, 1, &text("some text"));
    writer.settle(&mut txn).unwrap();
    let mut keys = 0;
    for (family, range) in index.keys() {
        keys += txn.scan(family, &range).unwrap().count().unwrap();
    }
    // Terms, positions; statistics, directory, columns, one document.
    assert_eq!(keys, 6);
    for family in [Family::Postings, Family::TextDocuments] {
        let all = txn
            .scan(family, &crate::storage::range::KeyRange::all())
            .unwrap()
            .count()
            .unwrap();
        assert!(all == 2 || all == 4);
    }
}

#[test]
fn matches_are_marked_in_the_text_as_it_is() {
    let index = index(Analysis::Italian);
    let text = "L\u{2019}isola dell'universit\u{e0} \u{e8} PULITA; le isole pulite di Bari, secondo ISO-9001, no.";
    let marked = |query: &str| {
        let marked = Highlighter::new(index.settings(), &Query::parse(query))
            .unwrap()
            .mark(text, 40);
        let spans: Vec<&str> = marked
            .spans
            .iter()
            .map(|span| &text[span.clone()])
            .collect();
        (spans, text[marked.window].to_owned())
    };
    assert_eq!(marked("isola").0, ["isola", "isole"]);
    assert_eq!(marked("universita").0, ["universit\u{e0}"]);
    assert_eq!(marked("\"isole pulite\"").0, ["isole", "pulite"]);
    assert_eq!(marked("pulito -bari").0, ["PULITA", "pulite"]);
    assert_eq!(marked("iso-9001").0, ["ISO-9001"]);
    assert_eq!(marked("9001").0, ["9001"]);
    assert_eq!(marked("puli*").0, ["PULITA", "pulite"]);
    assert_eq!(marked("\"isole bari\"").0, Vec::<&str>::new());
    let (_, window) = marked("bari iso");
    assert!(
        window.contains("Bari") && window.contains("ISO-9001") && window.len() <= 40,
        "{window}"
    );
    let all = Highlighter::new(index.settings(), &Query::parse("missing"))
        .unwrap()
        .mark(text, 10);
    assert!(all.window.end <= 10 && all.spans.is_empty());
}

#[test]
fn properties_are_weighed_and_no_phrase_reaches_from_one_to_the_next() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::English);
    let mut txn = db.key_write().unwrap();
    let mut writer = TextWriter::new(index.clone());
    let texts = [
        ("alpha beta", "gamma delta"),
        ("gamma beta", "alpha delta"),
        ("delta", "alpha beta gamma"),
    ];
    for (owner, (title, body)) in (0..).zip(texts) {
        writer.set(
            OwnerId::new(owner),
            [
                (property(TITLE), title),
                (property(BODY), body),
                (property(9), "alpha"),
            ],
        );
    }
    writer.settle(&mut txn).unwrap();
    let cache = TextCache::default();
    let search = TextReader::open(&txn, &index, &cache).unwrap();
    let found = |query: &str| {
        let hits = search
            .search(&Query::parse(query), &SearchOptions::top(10))
            .unwrap()
            .hits;
        hits.iter().map(|hit| hit.owner.get()).collect::<Vec<_>>()
    };
    assert_eq!(found("alpha")[0], 0, "the title counts more");
    assert_eq!(found("\"beta gamma\""), [2], "not from title to body");
    assert_eq!(
        found("-alpha"),
        Vec::<u64>::new(),
        "nothing to take it from"
    );
    assert_eq!(found("delta -\"alpha beta\""), [1]);
}

#[test]
fn of_equal_scores_the_lower_owners_come_in_whenever_they_were_written() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::English);
    for owners in [[9, 3], [8, 0], [7, 1], [2, 6]] {
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        for owner in owners {
            set(&mut writer, owner, &text("the same words"));
        }
        writer.settle(&mut txn).unwrap();
        txn.commit().unwrap();
    }
    let (read, cache) = (db.key_read().unwrap(), TextCache::default());
    let search = TextReader::open(&read, &index, &cache).unwrap();
    for query in ["same words", "+same words", "\"same words\"", "sam*"] {
        let hits = search
            .search(&Query::parse(query), &SearchOptions::top(4))
            .unwrap()
            .hits;
        let owners: Vec<u64> = hits.iter().map(|hit| hit.owner.get()).collect();
        assert_eq!(owners, [0, 1, 2, 3], "{query}");
    }
}
