//! A row that many others are held against: what is in it is marked by place.
//!
//! Next: `meet.rs`, for rows that are met once.

use super::rows::run_of;

/// A marked row.
#[derive(Debug, Default)]
pub(super) struct Marks<'a> {
    /// By place, how often it is in the row.
    times: Vec<u8>,
    row: &'a [u32],
    /// Whether the row is marked: one with more parallel entries than can be counted here is not.
    fits: bool,
}

impl<'a> Marks<'a> {
    /// Marks a row in the place of the one before, unless it is the same; only what counts.
    pub(super) fn mark(&mut self, row: &'a [u32], places: usize, counts: impl Fn(u32) -> bool) {
        if std::ptr::eq(self.row, row) {
            return;
        }
        if self.times.is_empty() {
            self.times = vec![0; places];
        }
        for far in self.row {
            if let Some(times) = self.times.get_mut(*far as usize) {
                *times = 0;
            }
        }
        self.row = row;
        self.fits = true;
        let mut rest = row;
        while let Some(far) = rest.first().copied() {
            let run = run_of(rest, far);
            rest = &rest[run..];
            let times = u8::try_from(run);
            self.fits &= times.is_ok();
            if let (Ok(run), Some(times)) = (times, self.times.get_mut(far as usize)) {
                *times = if counts(far) { run } else { 0 };
            }
        }
    }

    /// How many pairs of equal entries the marked row has with another; none if it could not be marked.
    pub(super) fn meet(&self, row: &[u32]) -> Option<u64> {
        let times = |far: &u32| self.times.get(*far as usize).copied().unwrap_or_default();
        self.fits
            .then(|| row.iter().map(|far| u64::from(times(far))).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::walks::meet::meet;

    #[test]
    fn a_marked_row_meets_others_as_often_as_a_plain_one() {
        let mut random = fastrand::Rng::with_seed(3);
        let rows: Vec<Vec<u32>> = (0..60)
            .map(|number| {
                let most = if number % 20 == 0 { 1 } else { 50 };
                let length = random.usize(0..600);
                let mut row: Vec<u32> = (0..length).map(|_| random.u32(0..most)).collect();
                row.sort_unstable();
                row
            })
            .collect();
        let counts = |far: u32| far % 3 != 1;
        let (mut marks, mut refused) = (Marks::default(), 0);
        for one in &rows {
            for other in &rows {
                marks.mark(one, 50, counts);
                match marks.meet(other) {
                    Some(pairs) => assert_eq!(pairs, meet((one, other), counts)),
                    None => refused += 1,
                }
            }
        }
        assert!((1..rows.len() * rows.len() / 4).contains(&refused));
    }
}
