//! The nearest nodes found so far, in order: at once what is to be looked at next and the result.

/// Set in what has been looked at. No index has so many slots.
const DONE: u32 = 1 << 31;

/// A node and how far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub(crate) far: f32,
    node: u32,
}

impl Near {
    pub(crate) fn node(self) -> u32 {
        self.node & !DONE
    }
}

/// A sorted list of bounded length. Inserting moves what is behind, which for some hundred entries
/// costs less than any tree or heap.
#[derive(Debug, Default)]
pub(crate) struct Nearest {
    entries: Vec<Near>,
    limit: usize,
    /// Before this place everything has been looked at.
    next: usize,
}

impl Nearest {
    pub(crate) fn begin(&mut self, limit: usize) {
        self.entries.clear();
        self.limit = limit;
        self.next = 0;
    }

    /// Takes a node in if it is among the nearest; it must not be there yet.
    #[inline]
    pub(crate) fn offer(&mut self, far: f32, node: u32) {
        if !self.would_take(far) {
            return;
        }
        let at = self.entries.partition_point(|entry| entry.far <= far);
        if self.is_full() {
            self.entries.pop();
        }
        self.entries.insert(at, Near { far, node });
        self.next = self.next.min(at);
    }

    /// Whether a node so far away is among the nearest.
    #[inline]
    pub(crate) fn would_take(&self, far: f32) -> bool {
        !self.is_full() || self.entries.last().is_some_and(|last| far < last.far)
    }

    /// Whether there are as many as there may be.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= self.limit
    }

    /// The nearest node that has not been looked at, which it now is.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Near> {
        while let Some(entry) = self.entries.get_mut(self.next) {
            self.next += 1;
            if entry.node & DONE == 0 {
                let found = *entry;
                entry.node |= DONE;
                return Some(found);
            }
        }
        None
    }

    /// What `next` will most likely return.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u32> {
        let entry = self.entries.get(self.next)?;
        (entry.node & DONE == 0).then_some(entry.node)
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Near>()
    }

    /// The nearest first.
    pub(crate) fn found(&self) -> &[Near] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_the_nearest_and_gives_each_once() {
        let mut random = fastrand::Rng::with_seed(5);
        for limit in [1, 2, 7, 50] {
            let mut nearest = Nearest::default();
            nearest.begin(limit);
            let (mut offered, mut given) = (Vec::new(), Vec::new());
            for node in 0..300 {
                let far = f32::from(random.u8(..));
                offered.push((far, node));
                nearest.offer(far, node);
                if random.bool() {
                    given.extend(nearest.next());
                }
            }
            while let Some(next) = nearest.next() {
                given.push(next);
            }
            offered.sort_by(|left, right| left.0.total_cmp(&right.0));
            let found: Vec<f32> = nearest.found().iter().map(|near| near.far).collect();
            let want: Vec<f32> = offered[..limit].iter().map(|(far, _)| *far).collect();
            assert_eq!(found, want);
            let mut nodes: Vec<u32> = given.iter().map(|near| near.node()).collect();
            let all = nodes.len();
            nodes.sort_unstable();
            nodes.dedup();
            assert_eq!(nodes.len(), all, "none is given twice");
            assert!(
                nearest
                    .found()
                    .iter()
                    .all(|near| nodes.contains(&near.node()))
            );
        }
    }
}
