//! Walks one after the other, but for the last node: that one is counted, not visited.
//!
//! A walk goes from node to node, not from relationship to relationship: parallel ones are a number that it is
//! multiplied with. Where two links could be the same relationship, those that were taken before are taken off that
//! number. So no ids of relationships are needed, and the result is exact.
//!
//! Next: `barred.rs`, for what must not be at its end.

use super::barred::{Barred, Bars};
use super::bits::Bits;
use super::figure::{Found, Ground, Step, Steps, Wanted};
use super::fold::Rest;
use super::marks::Marks;
use super::meet::{is_far_longer, meet};
use super::rows::run_of;
use super::work::Work;
use crate::algo::AlgoError;
use std::collections::HashMap;

/// Walks through one figure with one way for each link.
pub(super) struct Walker<'w, 'a> {
    steps: &'w Steps<'a>,
    rest: &'w Rest<'w>,
    wanted: Wanted,
    /// What each node must not be, for where those before it are.
    bars: Vec<Bars<'w>>,
    barred: Barred,
    /// By place, how often the last node is found over its only link; none if that was not worked out.
    ends: Option<&'w [u64]>,
    /// Where each node is so far.
    at: Vec<u32>,
    /// Source and target of the relationship of each link so far.
    taken: Vec<(u32, u32)>,
    found: Found,
    /// From where the last link was walked already, and what was left out then.
    done: Bits,
    left_out: HashMap<u32, Vec<u32>>,
    places: usize,
    marks: Marks<'a>,
    /// Room for places that are counted again.
    again: Vec<u32>,
    work: Work<'w>,
}

impl<'w, 'a> Walker<'w, 'a> {
    pub(super) fn new(
        steps: &'w Steps<'a>,
        (rest, ends): (&'w Rest<'w>, Option<&'w [u64]>),
        ground: &'w Ground<'a>,
        work: Work<'w>,
    ) -> Self {
        let wanted = rest.wanted;
        let done = match wanted {
            Wanted::Last => Bits::new(ground.places),
            Wanted::Total | Wanted::Each(_) => Bits::default(),
        };
        let bars = |node| Bars::of(node, rest, |types| ground.rows_of(types), &ground.classes);
        Self {
            steps,
            rest,
            wanted,
            bars: (0..=steps.len()).map(bars).collect(),
            barred: Barred::default(),
            ends,
            at: vec![0; steps.len() + 1],
            taken: Vec::new(),
            found: Found::nothing(wanted, ground.places),
            done,
            left_out: HashMap::new(),
            places: ground.places,
            marks: Marks::default(),
            again: Vec::new(),
            work,
        }
    }

    /// All walks from these places, each as often as is said beside it.
    pub(super) fn walk(mut self, starts: &[(u32, u64)]) -> Result<Found, AlgoError> {
        for (start, times) in starts.iter().copied() {
            self.work.look(1)?;
            let times = times.saturating_mul(self.rest.weight(0, start));
            if times > 0 {
                self.at[0] = start;
                self.extend(1, times)?;
            }
        }
        self.work.finish()?;
        Ok(self.found)
    }

    #[inline]
    fn allows(&self, node: usize, place: u32) -> bool {
        self.rest.allows(node, place)
    }

    /// How often a node counts at a place, while the others are where they are.
    #[inline]
    fn times(&self, node: usize, place: u32) -> u64 {
        let bars = self.bars.get(node);
        match bars.is_some_and(|bars| bars.bar(&self.at, place)) {
            true => 0,
            false => self.rest.weight(node, place),
        }
    }

    /// Whether where a node may be does not depend on others, and it counts once wherever it is.
    fn is_open(&self, node: usize) -> bool {
        let weights = self.rest.weights.get(node);
        weights.is_none_or(Option::is_none) && self.bars.get(node).is_none_or(Bars::are_none)
    }

    /// Finds a node after those that are found, and whatever comes after it.
    fn extend(&mut self, node: usize, weight: u64) -> Result<(), AlgoError> {
        let steps = self.steps;
        let Some(links) = steps.get(node - 1) else {
            return Ok(());
        };
        if node == steps.len() {
            return self.end(node, links, weight);
        }
        let plain = match links.as_slice() {
            [link] => self.others_taken(link).next().is_none(),
            _ => false,
        };
        let mut row = self.shortest(links);
        self.work.look(1 + row.len())?;
        while let Some(far) = row.first().copied() {
            let run = run_of(row, far);
            row = &row[run..];
            let times = self.times(node, far);
            if times == 0 {
                continue;
            }
            let before = self.taken.len();
            let ways = match links.as_slice() {
                [link] if plain => {
                    let near = self.at[link.from];
                    self.taken.push(link.ends(near, far));
                    u64::from(link.loops || near != far) * run as u64
                }
                _ => self.ways(links, far),
            };
            if ways > 0 {
                self.at[node] = far;
                self.extend(node + 1, weight.saturating_mul(ways).saturating_mul(times))?;
            }
            self.taken.truncate(before);
        }
        Ok(())
    }

    /// The row with the fewest entries of those that a node must be in.
    fn shortest(&self, links: &[Step<'a>]) -> &'a [u32] {
        let rows = links.iter().map(|link| link.rows.row(self.at[link.from]));
        rows.min_by_key(|row| row.len()).unwrap_or_default()
    }

    /// How many ways there are to a node over all its links, which count as taken from then on.
    fn ways(&mut self, links: &[Step<'a>], far: u32) -> u64 {
        let mut ways = 1_u64;
        for link in links {
            let near = self.at[link.from];
            let ends = link.ends(near, far);
            let parallel = match link.loops || near != far {
                true => link.rows.between(near, far),
                false => 0,
            };
            let others = link.apart.iter();
            let others = others.filter(|other| self.taken.get(**other) == Some(&ends));
            ways = ways.saturating_mul(parallel.saturating_sub(others.count() as u64));
            self.taken.push(ends);
        }
        ways
    }

    /// Where relationships lead that this link would walk, and that are taken already.
    #[inline]
    fn others_taken<'s>(&'s self, link: &'s Step<'a>) -> impl Iterator<Item = u32> + 's {
        let near = self.at[link.from];
        let others = link.apart.iter();
        // Links of the same node are taken only together with this one.
        let others = others.filter_map(|other| self.taken.get(*other));
        others.filter_map(move |ends| link.far_end(near, *ends))
    }

    /// The last node.
    fn end(&mut self, node: usize, links: &[Step<'a>], weight: u64) -> Result<(), AlgoError> {
        let is_open = self.is_open(node);
        match (self.wanted, links) {
            (Wanted::Last, [link]) if is_open => self.mark(node, link),
            (Wanted::Each(of), [link]) if of == node && is_open => {
                self.add_each(node, link, weight)
            }
            (Wanted::Last, _) => self.one_by_one(node, links, weight),
            (Wanted::Each(of), _) if of == node => self.one_by_one(node, links, weight),
            (_, [link]) => {
                let ways = self.count(node, link)?;
                self.add(ways, weight);
                Ok(())
            }
            (_, links) if is_open => self.count_meeting(node, links, weight),
            (_, links) => self.one_by_one(node, links, weight),
        }
    }

    /// Adds walks.
    fn add(&mut self, ways: u64, weight: u64) {
        let walks = ways.saturating_mul(weight);
        match self.wanted {
            Wanted::Each(of) => {
                let place = self.at[of];
                if let Some(each) = self.found.each.get_mut(place as usize) {
                    *each = each.saturating_add(walks);
                }
            }
            Wanted::Total => self.found.total = self.found.total.saturating_add(walks),
            Wanted::Last => {}
        }
    }

    /// How many ways there are over the only link of the last node: all, less what is barred and what is taken.
    fn count(&mut self, node: usize, link: &Step<'a>) -> Result<u64, AlgoError> {
        let near = self.at[link.from];
        let all = match self.ends {
            _ if link.loops && self.rest.is_plain(node) => {
                self.work.look(1)?;
                link.rows.degree(near) as u64
            }
            Some(ends) => {
                self.work.look(1)?;
                ends.get(near as usize).copied().unwrap_or_default()
            }
            None => {
                let row = link.rows.row(near);
                self.work.look(1 + row.len())?;
                ends_of(link, near, |far| self.rest.weight(node, far))
            }
        };
        // What is too large to be known stays too large.
        if all == 0 || all == u64::MAX {
            return Ok(all);
        }
        let barred = self.count_barred(node, link, near)?;
        let taken = { self.others_taken(link) }.map(|far| self.times(node, far));
        let taken = taken.fold(0, u64::saturating_add);
        Ok(all.saturating_sub(barred).saturating_sub(taken))
    }

    /// How many of these ways lead to where the last node must not be.
    fn count_barred(&mut self, node: usize, link: &Step<'a>, near: u32) -> Result<u64, AlgoError> {
        let Some(bars) = self.bars.get(node).filter(|bars| !bars.are_none()) else {
            return Ok(0);
        };
        let looked = self.barred.note(bars, &self.at, self.places);
        let row = link.rows.row(near);
        let counts = |far: u32| match link.loops || far != near {
            true => self.rest.weight(node, far),
            false => 0,
        };
        let mut sum = 0_u64;
        match self.barred.few_beside(row) {
            Some(few) => {
                self.work.look(looked + few.len())?;
                for far in few.iter().copied() {
                    let ways = link.rows.between(near, far);
                    if ways > 0 {
                        sum = sum.saturating_add(ways.saturating_mul(counts(far)));
                    }
                }
            }
            None => {
                self.work.look(looked + row.len())?;
                for far in row.iter().copied() {
                    if self.barred.has(bars, &self.at, far) {
                        sum = sum.saturating_add(counts(far));
                    }
                }
            }
        }
        Ok(sum)
    }

    /// Adds a walk to each place of the last node.
    fn add_each(&mut self, node: usize, link: &Step<'a>, weight: u64) -> Result<(), AlgoError> {
        let near = self.at[link.from];
        let row = link.rows.row(near);
        self.work.look(1 + row.len())?;
        for far in row.iter().copied() {
            if self.allows(node, far)
                && (link.loops || far != near)
                && let Some(each) = self.found.each.get_mut(far as usize)
            {
                *each = each.saturating_add(weight);
            }
        }
        let others: Vec<u32> = self.others_taken(link).collect();
        for far in others {
            if self.allows(node, far)
                && let Some(each) = self.found.each.get_mut(far as usize)
            {
                *each = each.saturating_sub(weight);
            }
        }
        Ok(())
    }

    /// Marks each place of the last node. A row is gone through once: later only what was left out is looked at again.
    fn mark(&mut self, node: usize, link: &Step<'a>) -> Result<(), AlgoError> {
        let near = self.at[link.from];
        let links = std::slice::from_ref(link);
        let mut others: Vec<u32> = Vec::new();
        if self.done.has(near) {
            self.work.look(1)?;
            let Some(waiting) = self.left_out.remove(&near) else {
                return Ok(());
            };
            others.extend(waiting);
        } else {
            self.done.put(near);
            others.extend(self.others_taken(link));
            others.sort_unstable();
            others.dedup();
            let row = link.rows.row(near);
            self.work.look(1 + row.len())?;
            for far in row.iter().copied() {
                if self.allows(node, far)
                    && (link.loops || far != near)
                    && (others.is_empty() || !others.contains(&far))
                {
                    self.found.last.put(far);
                }
            }
        }
        let mut waiting = Vec::new();
        for far in others {
            if !self.allows(node, far) || self.found.last.has(far) {
                continue;
            }
            let before = self.taken.len();
            let ways = self.ways(links, far);
            self.taken.truncate(before);
            match ways {
                0 => waiting.push(far),
                _ => self.found.last.put(far),
            }
        }
        if !waiting.is_empty() {
            self.left_out.insert(near, waiting);
        }
        Ok(())
    }

    /// The places of a last node with several links, each by itself.
    fn one_by_one(
        &mut self,
        node: usize,
        links: &[Step<'a>],
        weight: u64,
    ) -> Result<(), AlgoError> {
        let mut row = self.shortest(links);
        self.work.look(1 + row.len())?;
        while let Some(far) = row.first().copied() {
            row = &row[run_of(row, far)..];
            let times = self.times(node, far);
            if times == 0 {
                continue;
            }
            let ways = self.ways_to(links, far).saturating_mul(times);
            if ways == 0 {
                continue;
            }
            if self.wanted == Wanted::Last {
                self.found.last.put(far);
            } else {
                self.at[node] = far;
                self.add(ways, weight);
            }
        }
        Ok(())
    }

    fn ways_to(&mut self, links: &[Step<'a>], far: u32) -> u64 {
        let before = self.taken.len();
        let ways = self.ways(links, far);
        self.taken.truncate(before);
        ways
    }

    /// How many ways there are to a last node with several links: where their rows meet.
    fn count_meeting(
        &mut self,
        node: usize,
        links: &[Step<'a>],
        weight: u64,
    ) -> Result<(), AlgoError> {
        let [one, other] = links else {
            return self.one_by_one(node, links, weight);
        };
        let nears = (self.at[one.from], self.at[other.from]);
        // Over two links from the same place the same relationship could be taken, whatever is at the end.
        if nears.0 == nears.1 {
            return self.one_by_one(node, links, weight);
        }
        let rows = (one.rows.row(nears.0), other.rows.row(nears.1));
        self.work.look(1 + rows.0.len().min(rows.1.len()))?;
        let allowed = self.rest.allowed.get(node).and_then(Option::as_ref);
        let counts = |far: u32| allowed.is_none_or(|allowed| allowed.has(far));
        // The row of the node that was found first stays while the other one changes.
        let (stays, changes) = match one.from < other.from {
            true => (rows.0, rows.1),
            false => (rows.1, rows.0),
        };
        let marked = match is_far_longer(changes, stays) {
            true => None,
            false => {
                self.marks.mark(stays, self.places, counts);
                self.marks.meet(changes)
            }
        };
        let mut ways = marked.unwrap_or_else(|| meet(rows, counts));
        // Where a relationship could be one that is taken, or is a loop that does not count, it is counted again.
        let mut again = std::mem::take(&mut self.again);
        again.clear();
        again.extend(self.others_taken(one));
        again.extend(self.others_taken(other));
        for (link, near) in [(one, nears.0), (other, nears.1)] {
            if !link.loops {
                again.push(near);
            }
        }
        again.sort_unstable();
        again.dedup();
        for far in again.iter().copied() {
            if !self.allows(node, far) {
                continue;
            }
            let raw = one.rows.between(nears.0, far);
            if raw > 0 {
                let raw = raw.saturating_mul(other.rows.between(nears.1, far));
                ways = ways.saturating_sub(raw);
                ways = ways.saturating_add(self.ways_to(links, far));
            }
        }
        self.again = again;
        self.add(ways, weight);
        Ok(())
    }
}

/// How often the last node is found from a place over its only link, if it counts so often at each place.
pub(super) fn ends_of(link: &Step<'_>, near: u32, times: impl Fn(u32) -> u64) -> u64 {
    let row = link.rows.row(near).iter().copied();
    let row = row.filter(|far| link.loops || *far != near);
    row.map(times).fold(0, u64::saturating_add)
}
