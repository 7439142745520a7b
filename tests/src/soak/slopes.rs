//! Whether a server takes more and more while it lives: memory, what nobody accounts for of it, and open files.

use crate::serving::{PARTS, ToldMemory};

/// What a server has at a moment. Memory is in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Had {
    /// What the kernel says that it has,
    pub(super) memory: u64,
    /// and has had at most.
    pub(super) most: u64,
    /// What of the memory is of mapped files, which the server does not tell: the rows of vectors, as far as they were
    /// read.
    pub(super) mapped: u64,
    /// What the server says that its memory is for.
    pub(super) told: ToldMemory,
    pub(super) files: usize,
}

/// What a server had at some age.
#[derive(Debug, Clone, Copy)]
struct Sample {
    life: u64,
    minutes: f64,
    had: Had,
}

/// What all servers had.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// Of servers that are no longer young.
    grown: Vec<Sample>,
    /// The most bytes of memory that any has had, however young; nothing before one was looked at.
    most: Option<u64>,
}

/// A server that is younger fills its caches: so many seconds, and so much of its life.
pub(super) const YOUTH_SECONDS: f64 = 15.0;
const YOUTH: f64 = 1.0 / 3.0;

/// How much more a minute. Nothing where no server grew old enough to be looked at twice: that is not the same as no growth.
pub(super) type Slope = Option<f64>;

impl Samples {
    /// Notes what a server has that is so many seconds old and gets as old as `end`.
    pub(super) fn note(&mut self, life: u64, (seconds, end): (f64, f64), had: Had) {
        self.most = self.most.max(Some(had.most));
        if seconds >= YOUTH_SECONDS.max(end * YOUTH) {
            self.grown.push(Sample {
                life,
                minutes: seconds / 60.0,
                had,
            });
        }
    }

    /// In mebibytes.
    pub(super) fn memory(&self) -> Slope {
        self.slope(|had| mebibytes(had.memory))
    }

    /// The same of each of [`PARTS`].
    pub(super) fn told(&self) -> [Slope; PARTS.len()] {
        std::array::from_fn(|part| self.slope(|had| mebibytes(had.told[part])))
    }

    /// The same of mapped files.
    pub(super) fn mapped(&self) -> Slope {
        self.slope(|had| mebibytes(had.mapped))
    }

    /// The same of what is none of them.
    pub(super) fn unaccounted(&self) -> Slope {
        self.slope(|had| {
            let known = had.told.iter().sum::<u64>() + had.mapped;
            mebibytes(had.memory) - mebibytes(known)
        })
    }

    /// Of open files.
    pub(super) fn files(&self) -> Slope {
        self.slope(|had| had.files as f64)
    }

    /// The most memory that any has had, in mebibytes; nothing if none was looked at.
    pub(super) fn most_memory(&self) -> Option<f64> {
        self.most.map(mebibytes)
    }

    /// Least squares over all lives, each around its own mean: what a life begins with is no growth.
    fn slope(&self, of: impl Fn(&Had) -> f64) -> Slope {
        let (mut above, mut below) = (0.0, 0.0);
        for life in self.grown.chunk_by(|one, other| one.life == other.life) {
            let mean =
                |of: &dyn Fn(&Sample) -> f64| life.iter().map(of).sum::<f64>() / life.len() as f64;
            let at = mean(&|sample| sample.minutes);
            let value = mean(&|sample| of(&sample.had));
            for sample in life {
                above += (sample.minutes - at) * (of(&sample.had) - value);
                below += (sample.minutes - at).powi(2);
            }
        }
        (below > 0.0).then_some(above / below)
    }
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn had(mebibytes: u64, told: ToldMemory) -> Had {
        Had {
            memory: mebibytes << 20,
            most: mebibytes << 20,
            mapped: 0,
            told: told.map(|mebibytes| mebibytes << 20),
            files: 7,
        }
    }

    fn is_near(slope: Slope, wanted: f64) -> bool {
        slope.is_some_and(|slope| (slope - wanted).abs() < 0.2)
    }

    #[test]
    fn what_a_life_begins_with_is_no_growth() {
        let mut samples = Samples::default();
        for life in 0..5 {
            for second in 0..100 {
                let memory = life * 50 + second / 30;
                samples.note(life, (second as f64, 100.0), had(memory, [0; 6]));
            }
        }
        // A mebibyte each half minute, in steps.
        assert!(is_near(samples.memory(), 2.0), "{:?}", samples.memory());
        assert_eq!(samples.files(), Some(0.0));
    }

    #[test]
    fn what_the_server_tells_is_accounted_for() {
        let mut samples = Samples::default();
        for second in 0..600 {
            // Of eight mebibytes a minute five are told.
            let (blocks, vectors) = (second / 20, second / 30);
            let memory = 100 + second / 20 + blocks + vectors;
            let told = [1, blocks, 0, 0, 0, vectors];
            samples.note(0, (second as f64, 600.0), had(memory, told));
        }
        let [tables, blocks, texts, sets, projections, vectors] = samples.told();
        assert_eq!(
            (tables, texts, sets, projections),
            (Some(0.0), Some(0.0), Some(0.0), Some(0.0))
        );
        assert!(is_near(blocks, 3.0) && is_near(vectors, 2.0));
        assert!(is_near(samples.memory(), 8.0) && is_near(samples.unaccounted(), 3.0));
    }

    #[test]
    fn mapped_files_are_accounted_for() {
        let mut samples = Samples::default();
        for minute in 0..10 {
            let grown = Had {
                mapped: (50 + 2 * minute) << 20,
                ..had(100 + 3 * minute, [1, 0, 0, 0, 0, 0])
            };
            samples.note(0, (60.0 * minute as f64, 600.0), grown);
        }
        assert!(is_near(samples.memory(), 3.0) && is_near(samples.mapped(), 2.0));
        assert!(is_near(samples.unaccounted(), 1.0));
    }

    #[test]
    fn where_none_grew_old_nothing_was_measured() {
        let mut samples = Samples::default();
        assert_eq!(samples.memory(), None);
        samples.note(0, (14.0, 14.0), had(50, [0; 6]));
        // Looked at once, it shows no growth either.
        samples.note(1, (15.0, 15.0), had(60, [0; 6]));
        let all = [samples.memory(), samples.unaccounted(), samples.files()];
        assert_eq!((all, samples.told()), ([None; 3], [None; 6]));
    }

    #[test]
    fn the_most_memory_is_that_of_any_server_however_young() {
        let mut samples = Samples::default();
        assert_eq!(samples.most_memory(), None);
        for (life, most) in [(0, 90), (1, 70)] {
            let young = Had {
                most: most << 20,
                ..had(50, [0; 6])
            };
            samples.note(life, (0.5, 3.0), young);
        }
        assert_eq!(
            (samples.most_memory(), samples.memory()),
            (Some(90.0), None)
        );
    }
}
