//! What happens in the middle of a search: vectors that are kept elsewhere let a test in just there.

use super::settings;
use crate::{Coding, Effort, Index, IndexError, Metric, Originals, Query, Rerank, Wanted};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

type Then = Box<dyn FnOnce(&Index) + Send>;

/// Vectors by slot. What is to happen the next time they are read happens before they are shown.
#[derive(Default)]
struct Elsewhere {
    rows: Mutex<HashMap<u32, (u64, Vec<f32>)>>,
    read_now: Mutex<HashSet<u32>>,
    index: OnceLock<std::sync::Weak<Index>>,
    then: Mutex<Option<Then>>,
}

impl fmt::Debug for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Elsewhere")
    }
}

impl Originals for Elsewhere {
    fn put(&self, wanted: Wanted, vector: &[f32]) -> Result<(), IndexError> {
        let read = self.read_now.lock().contains(&wanted.slot);
        assert!(!read, "slot {} is given away while it is read", wanted.slot);
        self.rows
            .lock()
            .insert(wanted.slot, (wanted.id, vector.to_vec()));
        Ok(())
    }

    fn visit(
        &self,
        wanted: &[Wanted],
        see: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), IndexError> {
        let then = self.then.lock().take();
        if let (Some(then), Some(index)) =
            (then, self.index.get().and_then(std::sync::Weak::upgrade))
        {
            self.read_now
                .lock()
                .extend(wanted.iter().map(|wanted| wanted.slot));
            then(&index);
            self.read_now.lock().clear();
        }
        let rows = self.rows.lock();
        for (place, wanted) in wanted.iter().enumerate() {
            let (id, row) = &rows[&wanted.slot];
            assert_eq!(*id, wanted.id, "slot {} is another's", wanted.slot);
            see(place, row);
        }
        Ok(())
    }

    fn bytes_each(&self) -> usize {
        100
    }
}

fn index() -> (Arc<Index>, Arc<Elsewhere>) {
    let elsewhere = Arc::new(Elsewhere::default());
    let settings = settings(2, Metric::Euclidean, Coding::Bytes);
    let settings = settings.rerank(Rerank::Custom(Arc::clone(&elsewhere) as _));
    let index = Arc::new(settings.build().unwrap());
    elsewhere.index.set(Arc::downgrade(&index)).unwrap();
    (index, elsewhere)
}

fn vector(id: u64) -> [f32; 2] {
    [id as f32, 1.0]
}

#[test]
fn who_is_replaced_while_somebody_searches_is_found_once_at_most() {
    let (index, elsewhere) = index();
    for id in 0..3000 {
        index.insert(id, id, &vector(id)).unwrap();
    }
    index.tend(0);
    for id in 1000..1200 {
        index.remove(3000, id).unwrap();
    }
    index.tend(3000);
    assert!(!index.writer.lock().free.is_empty());
    // Vectors are read some hundred at a time: this comes after the first ones, into a slot behind them.
    *elsewhere.then.lock() = Some(Box::new(|index| {
        index.insert(3001, 7, &[7.5, 1.0]).unwrap();
        assert!(index.slot(7).is_some_and(|slot| slot >= 1000));
    }));
    let query = Query::new(&[7.0, 1.0], 4).effort(Effort::Exact);
    let answer = index.search(&query).unwrap();
    let sevens = answer.hits.iter().filter(|hit| hit.id == 7).count();
    assert_eq!(sevens, 1, "{answer:?}");
    assert!(answer.hits.contains(&crate::Hit {
        id: 7,
        slot: index.slot(7).unwrap(),
        score: 0.25
    }));
}

#[test]
fn no_slot_is_given_away_while_it_is_read() {
    let (index, elsewhere) = index();
    let give_away = |index: &Index| {
        let latest = index.latest();
        let ids: Vec<u64> = (0..3000)
            .filter(|id| index.slot(*id).is_some())
            .take(500)
            .collect();
        for id in ids {
            index.remove(latest + 1, id).unwrap();
        }
        for id in 0..100 {
            index.tend(latest + 1);
            index
                .insert(latest + 1, latest * 10_000 + id, &vector(id))
                .unwrap();
        }
    };
    for id in 0..3000 {
        index.insert(id, id, &vector(id)).unwrap();
    }
    index.tend(0);
    for effort in [Effort::Exact, Effort::Scan, Effort::Breadth(20)] {
        *elsewhere.then.lock() = Some(Box::new(give_away));
        index
            .search(&Query::new(&[800.0, 1.0], 10).effort(effort))
            .unwrap();
        index.assert_sound();
    }
    *elsewhere.then.lock() = Some(Box::new(give_away));
    index.calibrate().unwrap();
    index.assert_sound();
}
