//! Random texts, updates and removals over many transactions, held against the slow index at every step.

use super::slow::{BODY, Slow, TITLE, Text, index, property};
use crate::database::Database;
use crate::index::text::merging::{merge_group, merge_some};
use crate::index::text::segment::view::statistics;
use crate::index::text::{
    Analysis, Occasion, OwnerId, Query, SearchOptions, TextCache, TextIndex, TextReader,
    TextWriter, check, compare, write_pairs,
};
use crate::keys::{KeyRead, KeyReadTxn};
use proptest::prelude::*;
use roaring::RoaringTreemap;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) type Texts = BTreeMap<OwnerId, Text>;

/// Few words, so that they meet often, of every kind that analysis knows.
const WORDS: [&str; 24] = [
    "graph",
    "graphs",
    "index",
    "indexes",
    "vector",
    "tree",
    "trees",
    "a",
    "the",
    "of",
    "ISO-9001",
    "9001",
    "iso",
    "v2.1.3",
    "snake_case",
    "case",
    "caf\u{e9}",
    "cafe",
    "\u{4eba}\u{5de5}\u{667a}\u{80fd}",
    "\u{4eba}\u{5de5}",
    "\u{80fd}",
    "A/B-12",
    "3.14",
    "grain",
];

fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = String> + Clone {
    let word = (0..WORDS.len())
        .prop_flat_map(|most| 0..=most)
        .prop_map(|at| WORDS[at]);
    prop::collection::vec(word, count).prop_map(|words| words.join(" "))
}

fn text() -> impl Strategy<Value = Text> {
    (words(0..4), words(0..30))
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Set(u64, Text),
    Remove(u64),
    Settle,
    Commit,
    /// Begin something that is taken back by the next [`Step::Back`].
    Savepoint,
    Back,
    Drop,
    Merge,
    MergeAll,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0..40_u64, text()).prop_map(|(owner, text)| Step::Set(owner, text)),
        3 => (0..40_u64).prop_map(Step::Remove),
        2 => Just(Step::Settle),
        4 => Just(Step::Commit),
        1 => Just(Step::Savepoint),
        1 => Just(Step::Back),
        1 => Just(Step::Drop),
        1 => Just(Step::Merge),
        1 => Just(Step::MergeAll),
    ]
}

pub(super) fn query() -> impl Strategy<Value = Query> {
    // Han and codes have terms of several weights, which the slow index does not know: words alone are plain.
    let plain = || (0..10_usize).prop_map(|at| Query::term(WORDS[at]));
    let leaf = prop_oneof![
        4 => plain(),
        1 => prop_oneof![Just(10), Just(11), Just(13), Just(14), Just(16), Just(21), Just(22)]
            .prop_map(|at: usize| Query::term(WORDS[at])),
        2 => words(2..4).prop_map(Query::phrase),
        1 => prop_oneof![Just("gra"), Just("t"), Just("90"), Just("index")].prop_map(Query::prefix),
        1 => Just(Query::term("missing")),
    ];
    let boosted = prop_oneof![4 => leaf.clone(), 1 => (leaf, 1..8_u8).prop_map(|(leaf, boost)| {
        leaf.boosted(f32::from(boost) / 4.0)
    })];
    let group = prop::collection::vec(boosted, 0..5);
    let boolean = (group.clone(), group.clone(), group).prop_map(|(mut must, should, mut not)| {
        must.truncate(2);
        not.truncate(1);
        Query::Boolean { must, should, not }
    });
    let any = prop::collection::vec(plain(), 1..8).prop_map(Query::any);
    prop_oneof![2 => any, 1 => boolean.clone(), 1 => (boolean.clone(), boolean).prop_map(|(one, other)| {
        Query::any([one, other])
    })]
}

/// Compares what is found with what the slow index finds: the same owners with the same scores, whatever k.
pub(super) fn agree(
    keys: &impl KeyRead,
    index: &TextIndex,
    texts: &Texts,
    queries: &[Query],
    cache: &TextCache,
) {
    let slow = Slow::new(index.settings().analysis(), texts);
    let search = TextReader::open(keys, index, cache).unwrap();
    let some: RoaringTreemap = (0..40).filter(|owner| owner % 3 == 0).collect();
    let one: RoaringTreemap = [7].into_iter().collect();
    let none = RoaringTreemap::new();
    let all: RoaringTreemap = (0..100).collect();
    let odd: RoaringTreemap = (0..10_000).filter(|owner| owner % 2 == 1).collect();
    let far: RoaringTreemap = (0..100)
        .map(|owner| owner * owner)
        .chain([1 << 40])
        .collect();
    for query in queries {
        let filters = [
            None,
            Some(&some),
            Some(&one),
            Some(&none),
            Some(&all),
            Some(&odd),
            Some(&far),
        ];
        for (at, among) in filters.into_iter().enumerate() {
            let expected = slow.search(query, |owner| {
                among.is_none_or(|owners: &RoaringTreemap| owners.contains(owner.get()))
            });
            for k in [1, 3, 10, 1000] {
                let options = SearchOptions {
                    among,
                    ..SearchOptions::top(k)
                };
                let found = search.search(query, &options).unwrap();
                let context = || {
                    format!(
                        "{query} k {k} filter {at}: {:?} for {expected:?}",
                        found.hits
                    )
                };
                assert_eq!(found.hits.len(), expected.len().min(k), "{}", context());
                for (hit, (_, score)) in found.hits.iter().zip(&expected) {
                    assert!((f64::from(hit.score) - score).abs() < 1e-4, "{}", context());
                    // Where scores are equal but for rounding, either order will do.
                    let own = expected.iter().find(|(owner, _)| *owner == hit.owner);
                    assert!(
                        own.is_some_and(|own| (own.1 - score).abs() < 1e-4),
                        "{}",
                        context()
                    );
                }
            }
        }
    }
}

pub(super) fn sound(keys: &impl KeyRead, index: &TextIndex, texts: &Texts) {
    check(keys, index, |finding| panic!("{finding}")).unwrap();
    let texts = texts.iter().map(|(owner, text)| {
        (
            *owner,
            [
                (property(TITLE), text.0.as_str()),
                (property(BODY), text.1.as_str()),
            ],
        )
    });
    let texts = texts.map(|(owner, texts)| {
        let owned = texts
            .into_iter()
            .map(|(property, text)| (property, text.to_owned()));
        Ok((owner, owned.collect()))
    });
    compare(keys, index, texts, |finding| panic!("{finding}")).unwrap();
}

pub(super) fn set(writer: &mut TextWriter, owner: u64, text: &Text) {
    let texts = [
        (property(TITLE), text.0.as_str()),
        (property(BODY), text.1.as_str()),
    ];
    writer.set(OwnerId::new(owner), texts);
}

fn run(steps: &[Step], queries: &[Query], analysis: Analysis) {
    let db = Database::in_memory().unwrap();
    let index = index(analysis);
    let cache = TextCache::default();
    let mut committed = Texts::new();
    let mut held: Vec<(KeyReadTxn, Arc<Texts>)> = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        let mut texts = committed.clone();
        let mut saved = None;
        let mut keep = true;
        while let Some(step) = steps.get(at) {
            at += 1;
            match step {
                Step::Set(owner, text) => {
                    set(&mut writer, *owner, text);
                    texts.insert(OwnerId::new(*owner), text.clone());
                }
                Step::Remove(owner) => {
                    writer.remove(OwnerId::new(*owner));
                    texts.remove(&OwnerId::new(*owner));
                }
                Step::Settle => {
                    writer.settle(&mut txn).unwrap();
                    agree(&txn, &index, &texts, &queries[..1], &cache);
                    sound(&txn, &index, &texts);
                }
                Step::Savepoint => {
                    writer.settle(&mut txn).unwrap();
                    saved = Some((txn.savepoint(), texts.clone()));
                }
                Step::Back => {
                    if let Some((savepoint, before)) = saved.take() {
                        writer.forget();
                        txn.rollback_to(savepoint).unwrap();
                        texts = before;
                    }
                }
                Step::Drop => {
                    keep = false;
                    break;
                }
                Step::Merge => {
                    writer.settle(&mut txn).unwrap();
                    merge_some(&mut txn, &index).unwrap();
                }
                Step::MergeAll => {
                    writer.settle(&mut txn).unwrap();
                    let mut all = statistics(&txn, index.id()).unwrap();
                    let group = 0..all.segments.len();
                    if !group.is_empty() {
                        let (_, pairs) = merge_group(&txn, &index, &mut all, group).unwrap();
                        write_pairs(&mut txn, pairs, Occasion::Midway).unwrap();
                    }
                    sound(&txn, &index, &texts);
                }
                Step::Commit => break,
            }
        }
        if keep {
            writer.settle(&mut txn).unwrap();
            txn.commit().unwrap();
            committed = texts;
        } else {
            drop(txn);
        }
        held.push((db.key_read().unwrap(), Arc::new(committed.clone())));
    }
    // Every snapshot finds what was there when it was taken, all with one cache.
    for (read, texts) in &held {
        agree(read, &index, texts, queries, &cache);
        sound(read, &index, texts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_snapshot_finds_what_a_slow_index_finds(
        steps in prop::collection::vec(step(), 1..60),
        queries in prop::collection::vec(query(), 1..5),
        english in any::<bool>(),
    ) {
        run(&steps, &queries, if english { Analysis::English } else { Analysis::Plain });
    }
}

/// Many documents with few words: lists of several parts, pages and windows.
#[test]
fn long_lists_are_walked_skipped_and_merged_without_a_difference() {
    let db = Database::in_memory().unwrap();
    let index = index(Analysis::Plain);
    let mut rng = fastrand::Rng::with_seed(7);
    let mut texts = Texts::new();
    let queries = [
        "the",
        "the rare",
        "rare",
        "graph the of",
        "+the +graph",
        "\"the graph\"",
        "+the -graph",
        "ra*",
        "w77 the of",
        "\"of the\" rare",
        "+rare the graph of",
    ]
    .map(Query::parse);
    let cache = TextCache::default();
    for round in 0..4_u64 {
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        for step in 0..3000 {
            let owner = if round == 0 || rng.u8(0..4) > 0 {
                round * 3000 + step
            } else {
                rng.u64(0..3000)
            };
            let words = rng.usize(1..12);
            let mut body = Vec::new();
            for _ in 0..words {
                body.push(match rng.u32(0..1000) {
                    0..500 => "the".to_owned(),
                    500..700 => "of".to_owned(),
                    700..800 => "graph".to_owned(),
                    800..803 => "rare".to_owned(),
                    _ => format!("w{}", rng.u32(0..200)),
                });
            }
            let text = (String::new(), body.join(" "));
            set(&mut writer, owner, &text);
            texts.insert(OwnerId::new(owner), text);
        }
        writer.settle(&mut txn).unwrap();
        txn.commit().unwrap();
    }
    let first = |keys: &KeyReadTxn| {
        let search = TextReader::open(keys, &index, &cache).unwrap();
        let found = queries
            .iter()
            .map(|query| search.search(query, &SearchOptions::top(10)).unwrap().hits);
        found.collect::<Vec<_>>()
    };
    let read = db.key_read().unwrap();
    let before = first(&read);
    let slow = Slow::new(Analysis::Plain, &texts);
    for (query, hits) in queries.iter().zip(&before) {
        let expected = slow.search(query, |_| true);
        for (hit, (_, score)) in hits.iter().zip(&expected) {
            assert!((f64::from(hit.score) - score).abs() < 1e-4, "{query}");
        }
        assert_eq!(hits.len(), expected.len().min(10), "{query}");
    }
    // Something was left out, or the windows are for nothing.
    let search = TextReader::open(&read, &index, &cache).unwrap();
    let work = search
        .search(&queries[1], &SearchOptions::top(10))
        .unwrap()
        .work;
    assert!(work.postings < work.postings_of_terms, "{work:?}");
    // Merged into one, the same is found, score for score.
    let mut txn = db.key_write().unwrap();
    let mut all = statistics(&txn, index.id()).unwrap();
    let group = 0..all.segments.len();
    let (_, pairs) = merge_group(&txn, &index, &mut all, group).unwrap();
    write_pairs(&mut txn, pairs, Occasion::Midway).unwrap();
    txn.commit().unwrap();
    let after = db.key_read().unwrap();
    assert_eq!(first(&after), before);
    assert_eq!(first(&read), before, "the old snapshot");
    sound(&after, &index, &texts);
    let merged = statistics(&after, index.id()).unwrap();
    assert_eq!(merged.segments.len(), 1);
    assert_eq!(merged.segments[0].gone, 0);
}
