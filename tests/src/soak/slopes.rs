//! Whether a server takes more and more while it lives: memory, and open files.

/// What a server had at some age.
#[derive(Debug, Clone, Copy)]
struct Sample {
    life: u64,
    minutes: f64,
    mebibytes: f64,
    files: f64,
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
const YOUTH_SECONDS: f64 = 15.0;
const YOUTH: f64 = 1.0 / 3.0;

impl Samples {
    /// Notes what a server has that is so many seconds old and gets as old as `end`: bytes of memory, now and at most, and
    /// open files.
    pub(super) fn note(
        &mut self,
        life: u64,
        (seconds, end): (f64, f64),
        (now, most): (u64, u64),
        files: usize,
    ) {
        self.most = self.most.max(Some(most));
        if seconds >= YOUTH_SECONDS.max(end * YOUTH) {
            self.grown.push(Sample {
                life,
                minutes: seconds / 60.0,
                mebibytes: mebibytes(now),
                files: files as f64,
            });
        }
    }

    /// How many mebibytes a minute.
    pub(super) fn memory(&self) -> f64 {
        self.slope(|sample| sample.mebibytes)
    }

    /// How many open files a minute.
    pub(super) fn files(&self) -> f64 {
        self.slope(|sample| sample.files)
    }

    /// The most memory that any has had, in mebibytes; nothing if none was looked at.
    pub(super) fn most_memory(&self) -> Option<f64> {
        self.most.map(mebibytes)
    }

    /// Least squares over all lives, each around its own mean: what a life begins with is no growth.
    fn slope(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        let (mut above, mut below) = (0.0, 0.0);
        for life in self.grown.chunk_by(|one, other| one.life == other.life) {
            let mean =
                |of: &dyn Fn(&Sample) -> f64| life.iter().map(of).sum::<f64>() / life.len() as f64;
            let (at, value) = (mean(&|sample| sample.minutes), mean(&|sample| of(sample)));
            for sample in life {
                above += (sample.minutes - at) * (of(sample) - value);
                below += (sample.minutes - at).powi(2);
            }
        }
        if below > 0.0 { above / below } else { 0.0 }
    }
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_life_begins_with_is_no_growth() {
        let mut samples = Samples::default();
        for life in 0..5 {
            for second in 0..100 {
                let bytes = (life * 50 + second / 30) << 20;
                samples.note(life, (second as f64, 100.0), (bytes, bytes), 7);
            }
        }
        // A mebibyte each half minute, in steps.
        assert!((samples.memory() - 2.0).abs() < 0.2, "{}", samples.memory());
        assert_eq!(samples.files(), 0.0);
        assert_eq!(Samples::default().memory(), 0.0);
    }

    #[test]
    fn the_most_memory_is_that_of_any_server_however_young() {
        let mut samples = Samples::default();
        assert_eq!(samples.most_memory(), None);
        for (life, most) in [(0, 90), (1, 70)] {
            samples.note(life, (0.5, 3.0), (50 << 20, most << 20), 7);
        }
        assert_eq!((samples.most_memory(), samples.memory()), (Some(90.0), 0.0));
    }
}
