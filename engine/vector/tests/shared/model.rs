//! A list of all vectors that were ever written, and what is nearest among them by looking at each.

use super::Told;
use roaring::RoaringBitmap;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use stratigraph_vector::{
    Answer, Coding, Effort, Hit, How, Kernels, Metric, Query, Strategy, cosine_from_parts,
};

/// One vector, from when to when it lives, and where.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) id: u64,
    pub(crate) slot: u32,
    pub(crate) born: u64,
    pub(crate) died: u64,
    pub(crate) vector: Vec<f32>,
}

impl Life {
    pub(crate) fn seen_at(&self, sequence: u64) -> bool {
        self.born <= sequence && sequence < self.died
    }
}

/// What is asked, as the model has it.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) vector: Vec<f32>,
    pub(crate) k: usize,
    pub(crate) within: Option<RoaringBitmap>,
    pub(crate) sequence: Option<u64>,
    pub(crate) threshold: Option<f32>,
}

impl Wish {
    pub(crate) fn plain(vector: &[f32], k: usize) -> Self {
        Self {
            vector: vector.to_vec(),
            k,
            within: None,
            sequence: None,
            threshold: None,
        }
    }

    pub(crate) fn query(&self, effort: Effort) -> Query<'_> {
        let mut query = Query::new(&self.vector, self.k).effort(effort);
        if let Some(within) = &self.within {
            query = query.within(within);
        }
        if let Some(sequence) = self.sequence {
            query = query.at(sequence);
        }
        if let Some(threshold) = self.threshold {
            query = query.threshold(threshold);
        }
        query
    }
}

/// All lives that somebody may still see.
pub(crate) struct Model {
    pub(crate) metric: Metric,
    pub(crate) coding: Coding,
    pub(crate) lives: Vec<Life>,
}

impl Model {
    pub(crate) fn new(metric: Metric, coding: Coding) -> Self {
        Self {
            metric,
            coding,
            lives: Vec::new(),
        }
    }

    pub(crate) fn insert(&mut self, sequence: u64, id: u64, slot: u32, vector: &[f32]) {
        self.remove(sequence, id);
        self.insert_new(sequence, id, slot, vector);
    }

    /// The same with an id that nobody has had.
    pub(crate) fn insert_new(&mut self, sequence: u64, id: u64, slot: u32, vector: &[f32]) {
        self.lives.push(Life {
            id,
            slot,
            born: sequence,
            died: u64::MAX,
            vector: vector.to_vec(),
        });
    }

    pub(crate) fn remove(&mut self, sequence: u64, id: u64) -> bool {
        let mut lives = self.lives.iter_mut();
        let lives = lives.find(|life| life.id == id && life.died == u64::MAX);
        lives.map(|life| life.died = sequence).is_some()
    }

    /// Nobody searches at a sequence before this.
    pub(crate) fn forget_before(&mut self, oldest: u64) {
        self.lives.retain(|life| life.died > oldest);
    }

    pub(crate) fn living(&self) -> impl Iterator<Item = &Life> {
        self.lives.iter().filter(|life| life.died == u64::MAX)
    }

    /// How a row scores, with the bits that the index should have.
    pub(crate) fn score(&self, query: &[f32], row: &[f32]) -> f32 {
        let kernels = Kernels::best();
        let score = match self.metric {
            Metric::Dot => kernels.dot(query, row).unwrap(),
            Metric::Euclidean => kernels.squared_l2(query, row).unwrap(),
            Metric::Cosine => {
                // What is kept whole under this metric is kept with the length of one.
                let mut kept = row.to_vec();
                if self.coding == Coding::Whole {
                    let square: f64 = row.iter().map(|one| f64::from(*one).powi(2)).sum();
                    let shrink = 1.0 / square.sqrt();
                    for one in &mut kept {
                        *one = (f64::from(*one) * shrink) as f32;
                    }
                }
                let row = &kept;
                let dot = kernels.dot(query, row).unwrap();
                cosine_from_parts(dot, kernels.square(query), kernels.square(row)).unwrap()
            }
        };
        let truth = self.exact_score(query, row);
        let size = |vector: &[f32]| {
            vector
                .iter()
                .map(|one| f64::from(*one).powi(2))
                .sum::<f64>()
        };
        let size = match self.metric {
            Metric::Cosine => 1.0,
            Metric::Dot | Metric::Euclidean => size(query) + size(row),
        };
        let off = (f64::from(score) - truth).abs();
        assert!(off <= 1e-6 * size, "{score} is not {truth}");
        score + 0.0
    }

    /// The same, as exact as can be.
    fn exact_score(&self, query: &[f32], row: &[f32]) -> f64 {
        let sum = |of: fn(f64, f64) -> f64| -> f64 {
            let pairs = query.iter().zip(row);
            pairs
                .map(|(left, right)| of(f64::from(*left), f64::from(*right)))
                .sum()
        };
        match self.metric {
            Metric::Dot => sum(|left, right| left * right),
            Metric::Euclidean => sum(|left, right| (left - right).powi(2)),
            Metric::Cosine => {
                let squares = sum(|left, _| left * left) * sum(|_, right| right * right);
                sum(|left, right| left * right) / squares.sqrt()
            }
        }
    }

    /// The nearer first, of equals the smaller id.
    fn order(&self, left: (f32, u64), right: (f32, u64)) -> Ordering {
        let by_score = left.0.total_cmp(&right.0);
        let by_score = match self.metric {
            Metric::Euclidean => by_score,
            Metric::Cosine | Metric::Dot => by_score.reverse(),
        };
        by_score.then(left.1.cmp(&right.1))
    }

    fn allowed<'a>(&'a self, wish: &'a Wish) -> impl Iterator<Item = &'a Life> {
        let sequence = wish.sequence.unwrap_or(u64::MAX - 1);
        self.lives.iter().filter(move |life| {
            let within = wish.within.as_ref();
            life.seen_at(sequence) && within.is_none_or(|within| within.contains(life.slot))
        })
    }

    fn passes(&self, wish: &Wish, score: f32) -> bool {
        wish.threshold.is_none_or(|limit| match self.metric {
            Metric::Euclidean => score <= limit,
            Metric::Cosine | Metric::Dot => score >= limit,
        })
    }

    /// What should be found.
    pub(crate) fn truth(&self, wish: &Wish) -> Truth {
        let scored = self.allowed(wish).map(|life| {
            let score = self.score(&wish.vector, &life.vector);
            (life.id, (score, life.slot))
        });
        let allowed: BTreeMap<u64, (f32, u32)> = scored.collect();
        let passing = allowed.iter().map(|(id, (score, _))| (*score, *id));
        let mut nearest: Vec<(f32, u64)> = passing.filter(|one| self.passes(wish, one.0)).collect();
        nearest.sort_by(|left, right| self.order(*left, *right));
        nearest.truncate(wish.k);
        Truth { allowed, nearest }
    }

    /// Requires of an answer what must hold however hard it was looked for. Returns how many of the nearest
    /// were found.
    pub(crate) fn check(
        &self,
        wish: &Wish,
        truth: &Truth,
        effort: Effort,
        answer: &Answer,
    ) -> usize {
        let within = wish.within.as_ref().map(RoaringBitmap::len);
        let Wish {
            k,
            sequence,
            threshold,
            ..
        } = wish;
        let Answer {
            how,
            strategy,
            hits,
            ..
        } = answer;
        let _told = Told(format!(
            "{effort:?}, k {k}, within {within:?}, at {sequence:?}, threshold {threshold:?}: \
             {how:?} by {strategy:?}, {} hits",
            hits.len()
        ));
        if threshold.is_none() {
            assert_eq!(
                hits.len(),
                truth.allowed.len().min(*k),
                "as many as there are"
            );
        }
        let mut ids = BTreeSet::new();
        for hit in hits {
            assert!(ids.insert(hit.id), "id {} twice", hit.id);
            self.check_hit(wish, truth, hit);
        }
        let got: Vec<(f32, u64)> = hits.iter().map(|hit| (hit.score, hit.id)).collect();
        assert!(got.is_sorted_by(|left, right| self.order(*left, *right).is_lt()));
        assert!(
            answer
                .estimated_recall
                .is_none_or(|share| (0.0..=1.0).contains(&share))
        );
        if *how == How::Exact {
            assert_eq!(answer.estimated_recall, Some(1.0));
            assert_eq!(got, truth.nearest, "what is called exact is");
        }
        if *strategy == Strategy::Exact || effort == Effort::Exact {
            assert_eq!(*how, How::Exact);
        }
        // A tie with the last is as good as the last.
        let Some(last) = truth.nearest.last() else {
            return 0;
        };
        got.iter()
            .filter(|one| self.order((one.0, 0), (last.0, 1)).is_lt())
            .count()
    }

    fn check_hit(&self, wish: &Wish, truth: &Truth, hit: &Hit) {
        let Some((score, slot)) = truth.allowed.get(&hit.id) else {
            let lives: Vec<String> = self
                .lives
                .iter()
                .filter(|life| life.id == hit.id || life.slot == hit.slot)
                .map(|life| format!("{} in {}: {}..{}", life.id, life.slot, life.born, life.died))
                .collect();
            panic!("{hit:?} must not be found; there is {lives:?}");
        };
        assert_eq!(hit.slot, *slot, "{hit:?}");
        assert_eq!(
            hit.score.to_bits(),
            score.to_bits(),
            "{hit:?} scores {score}"
        );
        assert!(self.passes(wish, *score), "{hit:?} is beyond the threshold");
    }
}

/// What should be found.
pub(crate) struct Truth {
    /// All that is allowed, with its score and its slot.
    pub(crate) allowed: BTreeMap<u64, (f32, u32)>,
    /// The nearest of those, with their scores.
    pub(crate) nearest: Vec<(f32, u64)>,
}
