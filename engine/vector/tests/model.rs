//! Random writing, removing, tending and searching, against a list that is looked through whole.

mod shared;

use fastrand::Rng;
use roaring::RoaringBitmap;
use shared::model::{Model, Wish};
use shared::{CODINGS, METRICS, Space, Told, rounds};
use stratigraph_vector::{Coding, Effort, Index, Metric, Settings, Strategy};

/// An index and a model that have been through the same.
struct Case {
    random: Rng,
    space: Space,
    index: Index,
    model: Model,
    ids: Vec<u64>,
    sequence: u64,
    oldest: u64,
    seen: Seen,
}

/// What the searches were like.
#[derive(Debug, Default)]
struct Seen {
    right: usize,
    all: usize,
    scans: usize,
    walks: usize,
    accepting: usize,
}

impl Case {
    fn new(seed: u64, metric: Metric, coding: Coding, ids: usize) -> Self {
        let mut random = Rng::with_seed(seed);
        let dimensions = random.choice([1, 2, 3, 7, 16, 24, 48, 100]).unwrap();
        let settings = Settings::new(dimensions, metric)
            .coding(coding)
            .links(random.usize(4..=16))
            .breadth(random.usize(48..=100))
            .threads(random.usize(1..=2))
            .memory_limit(64 << 20)
            .seed(seed);
        Self {
            space: Space::new(&mut random, dimensions),
            index: settings.build().unwrap(),
            model: Model::new(metric, coding),
            // Some that look alike, and the least and the most that there are.
            ids: (0..ids as u64)
                .map(|id| match id % 4 {
                    0 => id << 40,
                    1 => u64::MAX - id + 1,
                    _ => id,
                })
                .collect(),
            sequence: 0,
            oldest: 0,
            seen: Seen::default(),
            random,
        }
    }

    fn id(&mut self) -> u64 {
        self.ids[self.random.usize(..self.ids.len())]
    }

    /// A new vector, now and then one that there is already, or one of whole numbers, which ties with many.
    fn vector(&mut self) -> Vec<f32> {
        let Self {
            random,
            space,
            model,
            ..
        } = self;
        match random.u8(..20) {
            0 if !model.lives.is_empty() => model.lives[random.usize(..model.lives.len())]
                .vector
                .clone(),
            1 => {
                let mut whole: Vec<f32> = (0..space.dimensions)
                    .map(|_| f32::from(random.i8(-1..=1)))
                    .collect();
                whole[0] += 3.0;
                whole
            }
            _ => space.vector(random),
        }
    }

    fn insert(&mut self) {
        let (id, vector) = (self.id(), self.vector());
        self.index.insert(self.sequence, id, &vector).unwrap();
        let slot = self.index.slot(id).unwrap();
        self.model.insert(self.sequence, id, slot, &vector);
    }

    fn remove(&mut self) {
        let id = self.id();
        let removed = self.index.remove(self.sequence, id).unwrap();
        assert_eq!(removed, self.model.remove(self.sequence, id));
        assert_eq!(self.index.slot(id), None);
    }

    fn tend(&mut self) {
        self.oldest = self.random.u64(self.oldest..=self.sequence);
        self.index.tend(self.oldest);
        self.model.forget_before(self.oldest);
    }

    fn k(&mut self) -> usize {
        let living = self.model.lives.len();
        match self.random.u8(..10) {
            0 => 1,
            1 => living / 2 + 1,
            2 => living,
            3 => living + 100,
            4 if self.random.u8(..4) == 0 => usize::MAX,
            _ => self.random.usize(1..=12),
        }
    }

    fn within(&mut self, near: &[f32]) -> Option<RoaringBitmap> {
        let random = &mut self.random;
        let kind = random.u8(..9);
        if kind < 2 {
            return None;
        }
        let lives = &self.model.lives;
        let mut slots: Vec<u32> = lives.iter().map(|life| life.slot).collect();
        let some = random
            .choice([0.0, 0.001, 0.01, 0.1, 0.3, 0.4, 0.45, 0.5, 0.9, 1.0])
            .unwrap();
        let count = (slots.len() as f64 * some).ceil() as usize;
        if kind < 6 {
            random.shuffle(&mut slots);
        } else {
            // Those that are nearest to it, or those that are farthest.
            let far: Vec<f32> = lives
                .iter()
                .map(|life| self.model.score(near, &life.vector))
                .collect();
            let mut order: Vec<usize> = (0..slots.len()).collect();
            order.sort_by(|left, right| far[*left].total_cmp(&far[*right]));
            if kind == 6 {
                order.reverse();
            }
            slots = order.into_iter().map(|at| slots[at]).collect();
        }
        let mut within: RoaringBitmap = slots.into_iter().take(count).collect();
        if random.bool() {
            // Slots that nobody has used yet, and slots that there never are.
            within.insert_range(50_000..50_000 + random.u32(1..100_000));
            within.insert(u32::MAX);
        }
        Some(within)
    }

    fn search(&mut self) {
        let vector = self.vector();
        let k = self.k();
        let wish = Wish {
            within: self.within(&vector),
            sequence: match self.random.u8(..3) {
                0 => None,
                1 => Some(self.sequence),
                _ => Some(self.random.u64(self.oldest..=self.sequence)),
            },
            threshold: if self.random.u8(..4) == 0 {
                self.threshold(&vector)
            } else {
                None
            },
            vector,
            k,
        };
        let breadth = self.random.usize(10..60);
        let truth = self.model.truth(&wish);
        for effort in [
            Effort::Exact,
            Effort::Scan,
            Effort::Breadth(breadth),
            Effort::Breadth(self.random.usize(..8)),
            Effort::Recall(0.95),
        ] {
            let answer = self.index.search(&wish.query(effort)).unwrap();
            let right = self.model.check(&wish, &truth, effort, &answer);
            match answer.strategy {
                Strategy::Walk => self.seen.walks += 1,
                Strategy::WalkAccepting => self.seen.accepting += 1,
                _ => self.seen.scans += 1,
            }
            if effort == Effort::Breadth(breadth) && k < 20 {
                self.seen.right += right;
                self.seen.all += truth.nearest.len();
            }
        }
    }

    /// A threshold that some pass; most often just what one of them scores.
    fn threshold(&mut self, vector: &[f32]) -> Option<f32> {
        let lives = &self.model.lives;
        let life = self.random.choice(lives)?;
        let score = self.model.score(vector, &life.vector);
        Some(match self.random.u8(..6) {
            0 => f32::INFINITY,
            1 => f32::NEG_INFINITY,
            2 => score.next_up(),
            3 => score.next_down(),
            _ => score,
        })
    }

    fn run(&mut self, steps: usize) {
        // A phase in which most is written, one in which most is removed, and so on.
        for step in 0..steps {
            let growing = step % 2000 < 1400;
            match self.random.u32(..1000) {
                0..=17 => self.search(),
                18..=22 => self.tend(),
                23..=299 => self.sequence += self.random.u64(..3),
                300..=399 => self.remove(),
                400..=799 if !growing => self.remove(),
                _ => self.insert(),
            }
        }
        assert_eq!(self.index.len(), self.model.living().count());
        assert!(self.index.latest() <= self.sequence);
    }
}

#[test]
fn answers_are_those_of_the_model() {
    for round in 0..rounds() {
        let mut all = Seen::default();
        for (at, metric) in METRICS.into_iter().enumerate() {
            for (coding_at, coding) in CODINGS.into_iter().enumerate() {
                let seed = 1 + round * 100 + 10 * at as u64 + coding_at as u64;
                let _told = Told(format!("seed {seed}, {metric:?}, {coding:?}"));
                let ids = 6000 - 1500 * coding_at;
                let mut case = Case::new(seed, metric, coding, ids);
                case.run(9000);
                let Seen { right, all: of, .. } = case.seen;
                println!(
                    "{metric:?} {coding:?} {}: {:?}",
                    case.space.dimensions, case.seen
                );
                // Codes of a byte cannot tell apart what differs in one or two dimensions only.
                let least = if case.space.dimensions < 8 { 85 } else { 97 };
                assert!(right * 100 >= of * least, "{right} of {of}");
                all.walks += case.seen.walks;
                all.accepting += case.seen.accepting;
            }
        }
        assert!(all.walks > 100 && all.accepting > 30, "{all:?}");
    }
}
