//! Where two sorted rows meet.
//!
//! Next: `trails.rs`, which asks for it.

use super::rows::run_of;

/// From so many times the length on, looking each entry of the shorter row up in the longer one is quicker than going through both.
const TIMES_LONGER: usize = 16;

/// Whether a row is so much longer than another that it should not be gone through.
pub(super) fn is_far_longer(long: &[u32], short: &[u32]) -> bool {
    short.len() * TIMES_LONGER < long.len()
}

/// How many pairs of equal entries two rows have, of those that count.
pub(super) fn meet((one, other): (&[u32], &[u32]), counts: impl Fn(u32) -> bool) -> u64 {
    let (short, long) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    if is_far_longer(long, short) {
        look_up(short, long, counts)
    } else {
        merge(short, long, counts)
    }
}

fn look_up(mut short: &[u32], mut long: &[u32], counts: impl Fn(u32) -> bool) -> u64 {
    let mut pairs = 0_u64;
    while let Some(far) = short.first().copied() {
        let run = run_of(short, far);
        short = &short[run..];
        // Ever further away, until it must lie before.
        let mut reach = 1;
        while long.get(reach).is_some_and(|one| *one < far) {
            reach *= 2;
        }
        let within = &long[..long.len().min(reach + 1)];
        long = &long[within.partition_point(|one| *one < far)..];
        if long.first() == Some(&far) && counts(far) {
            pairs += (run * run_of(long, far)) as u64;
        }
        if long.is_empty() {
            break;
        }
    }
    pairs
}

fn merge(one: &[u32], other: &[u32], counts: impl Fn(u32) -> bool) -> u64 {
    let (mut left, mut right) = (0, 0);
    let mut pairs = 0_u64;
    while let (Some(a), Some(b)) = (one.get(left).copied(), other.get(right).copied()) {
        if a == b {
            let (here, there) = (run_of(&one[left..], a), run_of(&other[right..], a));
            if counts(a) {
                pairs += (here * there) as u64;
            }
            left += here;
            right += there;
        } else {
            // Without a branch: which row is behind cannot be foretold.
            left += usize::from(a < b);
            right += usize::from(b < a);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_meet_in_as_many_pairs_as_trying_all_finds() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2_000 {
            let mut row = |most: usize| {
                let length = random.usize(0..=most);
                let mut row: Vec<u32> = (0..length).map(|_| random.u32(0..60)).collect();
                row.sort_unstable();
                row
            };
            let (one, other) = (row(6), row(200));
            let counts = |far: u32| far % 5 < 4;
            let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
            let expected = pairs.filter(|(a, b)| a == b && counts(**a)).count() as u64;
            assert_eq!(meet((&one, &other), counts), expected);
            assert_eq!(merge(&other, &one, counts), expected);
            assert_eq!(look_up(&one, &other, counts), expected);
        }
    }
}
