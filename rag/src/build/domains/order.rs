//! An order of nodes in which every edge leads on, kept up while edges are added.
//!
//! An edge that leads on already costs nothing. One that leads back is followed both ways between its ends, and
//! only what lies there is put in order anew (Pearce and Kelly's way). So that nobody who writes documents can make it
//! take as long as they like, the steps have an end: the number of them depends on the edges alone.

/// The order, and the edges that it was made from.
pub(super) struct Order {
    below: Vec<Vec<usize>>,
    above: Vec<Vec<usize>>,
    /// The place of each node.
    places: Vec<usize>,
    /// In which round a node was seen last.
    seen: Vec<usize>,
    round: usize,
    /// How many edges may still be followed.
    steps: usize,
}

impl Order {
    /// Without edges, first in this order of all nodes, which are numbers from 0. So many edges may be followed.
    pub(super) fn new(nodes: impl ExactSizeIterator<Item = usize>, steps: usize) -> Self {
        let count = nodes.len();
        let mut places = vec![0; count];
        for (place, node) in nodes.enumerate() {
            places[node] = place;
        }
        Self {
            below: vec![Vec::new(); count],
            above: vec![Vec::new(); count],
            places,
            seen: vec![0; count],
            round: 0,
            steps,
        }
    }

    /// Adds an edge unless it would close a cycle; returns whether it did, or nothing if that takes too long.
    pub(super) fn add(&mut self, from: usize, to: usize) -> Option<bool> {
        if from == to {
            return Some(false);
        }
        let (lowest, highest) = (self.places[to], self.places[from]);
        if lowest < highest {
            // From where it leads, up to where it comes from.
            let on = self.walk(to, |place| place <= highest, Side::Below)?;
            if self.seen[from] == self.round {
                return Some(false);
            }
            let back = self.walk(from, |place| place >= lowest, Side::Above)?;
            self.put_in_order(back, on);
        }
        self.below[from].push(to);
        self.above[to].push(from);
        Some(true)
    }

    /// What lies on a side of a node within some places.
    fn walk(
        &mut self,
        start: usize,
        is_within: impl Fn(usize) -> bool,
        side: Side,
    ) -> Option<Vec<usize>> {
        self.round += 1;
        self.seen[start] = self.round;
        let mut found = vec![start];
        let mut next = 0;
        while let Some(node) = found.get(next).copied() {
            next += 1;
            let edges = match side {
                Side::Below => &self.below[node],
                Side::Above => &self.above[node],
            };
            self.steps = self.steps.checked_sub(edges.len() + 1)?;
            for other in edges {
                if is_within(self.places[*other]) && self.seen[*other] != self.round {
                    self.seen[*other] = self.round;
                    found.push(*other);
                }
            }
        }
        Some(found)
    }

    /// Gives both their places together, first those that come before the new edge.
    fn put_in_order(&mut self, mut before: Vec<usize>, mut after: Vec<usize>) {
        before.sort_unstable_by_key(|node| self.places[*node]);
        after.sort_unstable_by_key(|node| self.places[*node]);
        before.append(&mut after);
        let mut places: Vec<usize> = before.iter().map(|node| self.places[*node]).collect();
        places.sort_unstable();
        for (node, place) in before.into_iter().zip(places) {
            self.places[node] = place;
        }
    }
}

/// Which edges are followed.
#[derive(Clone, Copy)]
enum Side {
    Below,
    Above,
}
