//! Counts where no two links can be the same relationship: each row is gone through once for each link, however
//! many walks there are.
//!
//! Next: `mod.rs`.

use super::bits::Bits;
use super::figure::{Ground, Steps};
use super::work::Work;
use crate::algo::AlgoError;

/// Places where a node may be.
fn may_be(ground: &Ground<'_>, node: usize, place: u32) -> bool {
    let allowed = ground.allowed.get(node).and_then(Option::as_ref);
    allowed.is_none_or(|allowed| allowed.has(place))
}

/// How many walks begin at each place, from the last node back to the first.
pub(super) fn back(
    steps: &Steps<'_>,
    ground: &Ground<'_>,
    work: &mut Work<'_>,
) -> Result<Vec<u64>, AlgoError> {
    let mut ways: Vec<Option<Vec<u64>>> = vec![None; steps.len() + 1];
    for (node, links) in steps.iter().enumerate().rev() {
        let node = node + 1;
        let Some(link) = links.first() else { continue };
        let after = ways[node].take();
        let ends = ground.allowed.get(node).and_then(Option::as_ref);
        let here = ways[link.from].get_or_insert_with(|| vec![1; ground.places]);
        for (place, ways) in (0_u32..).zip(here.iter_mut()) {
            if *ways == 0 {
                continue;
            }
            let row = link.rows.row(place);
            work.look(1 + row.len())?;
            let sum = match (&after, ends) {
                (None, None) if link.loops => link.rows.degree(place) as u64,
                (None, ends) => {
                    let ends = row.iter().filter(|far| {
                        (link.loops || **far != place) && ends.is_none_or(|ends| ends.has(**far))
                    });
                    ends.count() as u64
                }
                (Some(after), ends) => row.iter().fold(0_u64, |sum, far| {
                    let counts =
                        (link.loops || *far != place) && ends.is_none_or(|ends| ends.has(*far));
                    sum.saturating_add(if counts { after[*far as usize] } else { 0 })
                }),
            };
            *ways = ways.saturating_mul(sum);
        }
    }
    let mut first = ways[0].take().unwrap_or_else(|| vec![1; ground.places]);
    for (place, ways) in (0_u32..).zip(first.iter_mut()) {
        if !may_be(ground, 0, place) {
            *ways = 0;
        }
    }
    Ok(first)
}

/// How many walks end at each place, along a chain.
pub(super) fn forward(
    steps: &Steps<'_>,
    ground: &Ground<'_>,
    starts: &[(u32, u64)],
    work: &mut Work<'_>,
) -> Result<Vec<u64>, AlgoError> {
    let mut ways = vec![0_u64; ground.places];
    for (start, times) in starts.iter().copied() {
        if may_be(ground, 0, start) {
            let here = &mut ways[start as usize];
            *here = here.saturating_add(times);
        }
    }
    for (node, links) in steps.iter().enumerate() {
        let Some(link) = links.first() else { continue };
        let mut after = vec![0_u64; ground.places];
        for (place, times) in (0_u32..).zip(ways.iter().copied()) {
            if times == 0 {
                continue;
            }
            let row = link.rows.row(place);
            work.look(1 + row.len())?;
            for far in row.iter().copied() {
                if (link.loops || far != place) && may_be(ground, node + 1, far) {
                    let there = &mut after[far as usize];
                    *there = there.saturating_add(times);
                }
            }
        }
        ways = after;
    }
    Ok(ways)
}

/// The places with any.
pub(super) fn which(ways: &[u64]) -> Bits {
    let mut places = Bits::new(ways.len());
    for (place, ways) in (0_u32..).zip(ways) {
        if *ways > 0 {
            places.put(place);
        }
    }
    places
}
