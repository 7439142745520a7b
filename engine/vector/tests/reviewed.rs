//! What a reviewer found, so that it stays mended.

use roaring::RoaringTreemap;
use std::io::Cursor;
use stratigraph_vector::{
    Effort, Index, IndexError, Loading, Metric, Query, Rerank, Settings, cosine_of_long,
};

fn settings(dimensions: usize, metric: Metric) -> Settings {
    Settings::new(dimensions, metric).memory_limit(16 << 20)
}

fn vector(id: u64, dimensions: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(id + 1);
    (0..dimensions).map(|_| random.f32() - 0.5).collect()
}

fn filled(dimensions: usize, metric: Metric, count: u64) -> Index {
    let index = settings(dimensions, metric).build().unwrap();
    for id in 0..count {
        index.insert(1, id, &vector(id, dimensions)).unwrap();
    }
    index
}

/// A snapshot of what has changed, in the middle of which something happens.
fn keep(index: &Index, kept: &mut Vec<Vec<u8>>, between: impl FnOnce()) -> Vec<u8> {
    let mut snapshot = index.snapshot(b"");
    kept.resize(snapshot.parts() as usize, Vec::new());
    let mut between = Some(between);
    for part in 0..snapshot.parts() {
        if snapshot.is_changed(part) {
            snapshot.part(part, &mut kept[part as usize]).unwrap();
        }
        if let Some(between) = between.take() {
            between();
        }
    }
    let mut head = Vec::new();
    snapshot.head(&mut head).unwrap();
    snapshot.done();
    head
}

fn load(head: &[u8], kept: &[Vec<u8>]) -> Index {
    let loading = Loading::new(settings(8, Metric::Dot), b"", head).unwrap();
    for (part, bytes) in (0..).zip(kept) {
        loading.part(part, bytes).unwrap();
    }
    loading.finish().unwrap()
}

#[test]
fn what_is_written_during_a_snapshot_is_in_the_next() {
    let index = filled(8, Metric::Dot, 300);
    let mut kept = Vec::new();
    let first = keep(&index, &mut kept, || {
        index.remove(2, 7).unwrap();
        index.remove(2, 290).unwrap();
        index.insert(3, 900, &vector(900, 8)).unwrap();
    });
    let then = load(&first, &kept);
    assert!(then.slot(7).is_some() && then.slot(290).is_some() && then.slot(900).is_none());
    assert_eq!(then.latest(), 1);
    let second = keep(&index, &mut kept, || {});
    let now = load(&second, &kept);
    assert!(now.slot(7).is_none() && now.slot(290).is_none() && now.slot(900).is_some());
    assert_eq!(now.len(), 299);
}

#[test]
fn a_head_waits_for_its_parts() {
    let index = filled(8, Metric::Dot, 300);
    let mut snapshot = index.snapshot(b"");
    snapshot.part(0, &mut Vec::new()).unwrap();
    let error = snapshot.head(&mut Vec::new()).unwrap_err();
    assert_eq!(error, IndexError::PartMissing { part: 1 });
    assert!(!snapshot.is_changed(1000));
}

#[test]
fn an_index_that_has_lost_everything_comes_back() {
    let index = filled(8, Metric::Dot, 2500);
    index.tend(1);
    for id in 0..2500 {
        index.remove(2, id).unwrap();
    }
    index.tend(2);
    let mut bytes = Vec::new();
    index.save(b"", &mut bytes).unwrap();
    let again = Index::load(settings(8, Metric::Dot), b"", &mut Cursor::new(bytes)).unwrap();
    assert!(again.is_empty());
}

#[test]
fn who_lived_and_died_at_sequence_zero_can_be_kept() {
    let index = settings(8, Metric::Cosine).build().unwrap();
    index.insert(0, 1, &vector(1, 8)).unwrap();
    index.insert(0, 1, &vector(2, 8)).unwrap();
    let mut bytes = Vec::new();
    index.save(b"", &mut bytes).unwrap();
    let again = Index::load(settings(8, Metric::Cosine), b"", &mut Cursor::new(bytes)).unwrap();
    let hit = again.search(&Query::new(&vector(2, 8), 9)).unwrap().hits;
    assert_eq!((hit.len(), hit[0].id), (1, 1));
}

#[test]
fn a_part_that_was_refused_can_come_again() {
    let index = filled(8, Metric::Dot, 512);
    let mut kept = Vec::new();
    let head = keep(&index, &mut kept, || {});
    let loading = Loading::new(settings(8, Metric::Dot), b"", &head).unwrap();
    loading.part(0, &kept[0]).unwrap();
    let mut bad = kept[1].clone();
    bad[5] ^= 1;
    loading.part(1, &bad).unwrap_err();
    loading.part(1, &kept[1]).unwrap();
    loading.part(1, &kept[1]).unwrap_err();
    assert_eq!(loading.finish().unwrap().len(), 512);

    let loading = Loading::new(settings(8, Metric::Dot), b"", &head).unwrap();
    loading.part(0, &kept[0]).unwrap();
    loading.part(1, &bad).unwrap_err();
    assert!(loading.finish().is_err());
}

#[test]
fn vectors_of_any_length_have_their_cosines() {
    for dimensions in [2, 4, 384] {
        for size in [
            1e-24_f32, 1e-22, 3e-22, 1e-21, 1e-20, 1e-18, 1e-15, 1.0, 1e15, 1e20,
        ] {
            let row = vector(3, dimensions);
            let length = row.iter().map(|one| one * one).sum::<f32>().sqrt();
            let row: Vec<f32> = row.iter().map(|one| one / length * size).collect();
            let query = vector(4, dimensions);
            let index = settings(dimensions, Metric::Cosine).build().unwrap();
            index.insert(1, 1, &row).unwrap();
            let exact = Query::new(&query, 1).effort(Effort::Exact);
            let hit = index.search(&exact).unwrap().hits[0];
            let truth = cosine_of_long(&query, &row).unwrap();
            let off = (hit.score - truth).abs();
            assert!(
                off < 1e-6,
                "{dimensions} of {size:e}: {} beside {truth}",
                hit.score
            );
        }
    }
}

#[test]
fn loading_keeps_to_the_limit() {
    let index = filled(384, Metric::Cosine, 3000);
    let mut bytes = Vec::new();
    index.save(b"", &mut bytes).unwrap();
    let limit = index.memory().total();
    let load = |limit| {
        let settings = Settings::new(384, Metric::Cosine).memory_limit(limit);
        Index::load(settings, b"", &mut Cursor::new(&bytes))
    };
    assert!(matches!(load(2 << 20), Err(IndexError::Full { .. })));
    let again = load(limit).unwrap();
    assert!(again.memory().total() <= limit);
}

#[test]
fn numbers_that_are_none_are_refused() {
    let index = filled(8, Metric::Dot, 100);
    let query = vector(1, 8);
    let query = Query::new(&query, 5);
    let refused = |query: Query<'_>| index.search(&query).unwrap_err().to_string();
    let error = refused(query.threshold(f32::NAN));
    assert_eq!(error, "the threshold of the query is no number");
    let error = refused(query.effort(Effort::Recall(f32::NAN)));
    assert_eq!(error, "the recall of the query is no number");
}

#[test]
fn nobody_looks_back_behind_what_was_taken_out() {
    let index = filled(8, Metric::Dot, 2000);
    index.tend(1);
    for id in 0..100 {
        index.remove(5, id).unwrap();
    }
    let vector_1 = vector(1, 8);
    let at = |index: &Index, sequence| {
        let query = Query::new(&vector_1, 2000).effort(Effort::Exact);
        index
            .search(&query.at(sequence))
            .map(|answer| answer.hits.len())
    };
    assert_eq!(at(&index, 3), Ok(2000));
    index.tend(4);
    assert_eq!(at(&index, 4), Ok(2000), "nothing was taken out");
    index.tend(9);
    for id in 5000..5100 {
        index.insert(10, id, &vector(id, 8)).unwrap();
    }
    let forgotten = Err(IndexError::Forgotten {
        sequence: 3,
        forgotten: 5,
    });
    assert_eq!(at(&index, 3), forgotten);
    assert_eq!(at(&index, 5), Ok(1900));
    assert_eq!(at(&index, 10), Ok(2000));
    let mut bytes = Vec::new();
    index.save(b"", &mut bytes).unwrap();
    let again = Index::load(settings(8, Metric::Dot), b"", &mut Cursor::new(bytes)).unwrap();
    assert_eq!(at(&again, 3), forgotten);
}

#[test]
fn sets_of_ids_hold_at_every_sequence() {
    let index = filled(8, Metric::Dot, 2000);
    for id in 0..50 {
        index.insert(2, id, &vector(id + 7000, 8)).unwrap();
    }
    for many in [false, true] {
        let ids: RoaringTreemap = (0..if many { 1000 } else { 100 }).collect();
        let within = index.slots_of(&ids);
        for sequence in [1, 2] {
            let query = vector(1, 8);
            let query = Query::new(&query, 3000).within(&within).at(sequence);
            let mut found: Vec<u64> = index
                .search(&query)
                .unwrap()
                .hits
                .iter()
                .map(|hit| hit.id)
                .collect();
            found.sort_unstable();
            assert_eq!(found, ids.iter().collect::<Vec<_>>(), "at {sequence}");
        }
    }
}

#[test]
fn a_row_that_another_index_wrote_over_is_not_shown() {
    let file = std::env::temp_dir().join(format!("stratigraph-reviewed-{}", std::process::id()));
    let settings = settings(8, Metric::Dot).rerank(Rerank::File(file.clone()));
    let index = settings.clone().build().unwrap();
    for id in 0..512 {
        index.insert(1, id, &vector(id, 8)).unwrap();
    }
    let other = settings.build().unwrap();
    other.insert(1, 0, &[9.0; 8]).unwrap();
    let query = vector(1, 8);
    let error = index
        .search(&Query::new(&query, 512).effort(Effort::Exact))
        .unwrap_err();
    assert!(
        matches!(error, IndexError::RowLost { id: 0, .. }),
        "{error}"
    );
    std::fs::remove_file(&file).unwrap();
}
