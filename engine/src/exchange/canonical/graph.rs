//! A graph as colouring sees it: numbered nodes, and relationships with a kind, seen from both ends.

/// What tells nodes apart so far: nodes of one colour look the same.
pub(super) type Colour = u32;

/// How a node is connected to another: the relationship's kind, and which way it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Link {
    /// Twice the kind, and one more if it comes in.
    pub(super) kind: u64,
    /// The other node.
    pub(super) other: u32,
}

/// Links of all nodes, one node's after the other's.
pub(super) struct Graph {
    first: Vec<u32>,
    links: Vec<Link>,
}

impl Graph {
    /// The graph of so many nodes and these relationships: source, kind, target.
    pub(super) fn new(nodes: usize, edges: &[(u32, u32, u32)]) -> Self {
        let mut first = vec![0_u32; nodes + 1];
        for (source, _, target) in edges {
            first[*source as usize + 1] += 1;
            first[*target as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut links = vec![Link { kind: 0, other: 0 }; edges.len() * 2];
        let mut place = |node: u32, kind, other| {
            let at = &mut next[node as usize];
            links[*at as usize] = Link { kind, other };
            *at += 1;
        };
        for (source, kind, target) in edges {
            let kind = u64::from(*kind) * 2;
            place(*source, kind, *target);
            place(*target, kind + 1, *source);
        }
        Self { first, links }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// How much there is to look at.
    pub(super) fn size(&self) -> u64 {
        (self.len() + self.links.len()) as u64
    }

    /// The links of a node.
    pub(super) fn links(&self, node: u32) -> &[Link] {
        let node = node as usize;
        &self.links[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// The part of the graph with only these nodes, which get new numbers in their order.
    /// `numbers` has room for every node; what is in it does not matter.
    pub(super) fn part(&self, nodes: &[u32], numbers: &mut [u32]) -> Self {
        // A number counts only if the node at it says the same.
        for (number, node) in (0..).zip(nodes) {
            numbers[*node as usize] = number;
        }
        let inside = |node: u32| {
            let number = numbers[node as usize];
            (nodes.get(number as usize) == Some(&node)).then_some(number)
        };
        let mut first = Vec::with_capacity(nodes.len() + 1);
        let mut links = Vec::new();
        first.push(0);
        for node in nodes {
            links.extend(self.links(*node).iter().filter_map(|link| {
                Some(Link {
                    other: inside(link.other)?,
                    ..*link
                })
            }));
            first.push(links.len() as u32);
        }
        Self { first, links }
    }
}

/// The rank of each among all: equal ones have one rank.
pub(super) fn ranks<T: Ord>(all: &[T]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_unstable_by(|one, other| all[*one].cmp(&all[*other]));
    let mut ranks = vec![0; all.len()];
    let mut rank = 0;
    for pair in 0..order.len() {
        if pair > 0 && all[order[pair - 1]] != all[order[pair]] {
            rank += 1;
        }
        ranks[order[pair]] = rank;
    }
    ranks
}
