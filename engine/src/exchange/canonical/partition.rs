//! Colour refinement: nodes of one colour are told apart by the colours around them, until nothing
//! more can be told apart that way.
//!
//! Cells are runs of one array. A cell's colour is the place where it begins, so that colours are in
//! an order that no id has a part in: cells are split by what their nodes see, the parts are put in
//! the order of that, and cells wait for their turn in the order in which they came to be.

use super::graph::{Colour, Graph};
use std::collections::VecDeque;

/// Nodes in cells.
#[derive(Clone)]
pub(super) struct Partition {
    /// All nodes, cell after cell.
    nodes: Vec<u32>,
    /// Where in `nodes` each node is.
    places: Vec<u32>,
    /// Where the cell of each node begins.
    colours: Vec<Colour>,
    /// How long the cell is that begins here.
    lengths: Vec<u32>,
    cells: usize,
}

impl Partition {
    /// One cell for each colour, in their order.
    pub(super) fn new(colours: &[Colour]) -> Self {
        let mut nodes: Vec<u32> = (0..colours.len() as u32).collect();
        nodes.sort_unstable_by_key(|node| colours[*node as usize]);
        let mut partition = Self {
            places: vec![0; nodes.len()],
            colours: vec![0; nodes.len()],
            lengths: vec![0; nodes.len()],
            cells: 0,
            nodes,
        };
        let mut begin = 0;
        for place in 0..partition.nodes.len() {
            let colour = |at: usize| colours[partition.nodes[at] as usize];
            if colour(place) != colour(begin) {
                begin = place;
            }
            if begin == place {
                partition.cells += 1;
            }
            let node = partition.nodes[place] as usize;
            partition.places[node] = place as u32;
            partition.colours[node] = begin as Colour;
            partition.lengths[begin] += 1;
        }
        partition
    }

    /// Whether every node has a cell of its own.
    pub(super) fn is_discrete(&self) -> bool {
        self.cells == self.nodes.len()
    }

    /// The colour of each node.
    pub(super) fn colours(&self) -> &[Colour] {
        &self.colours
    }

    /// Whether a node has a cell of its own.
    pub(super) fn is_alone(&self, node: u32) -> bool {
        self.lengths[self.colours[node as usize] as usize] == 1
    }

    /// How many nodes have this colour.
    pub(super) fn cell_length(&self, colour: Colour) -> usize {
        self.lengths[colour as usize] as usize
    }

    /// All nodes, cell after cell.
    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The first of the smallest cells with several nodes.
    pub(super) fn smallest_cell(&self) -> &[u32] {
        let mut smallest: &[u32] = &[];
        let mut begin = 0;
        while begin < self.nodes.len() {
            let length = self.lengths[begin] as usize;
            if length > 1 && (smallest.is_empty() || length < smallest.len()) {
                smallest = &self.nodes[begin..begin + length];
                if length == 2 {
                    break;
                }
            }
            begin += length;
        }
        smallest
    }

    /// Refines everything.
    pub(super) fn refine(&mut self, graph: &Graph) {
        let mut begin = 0;
        let mut waiting = Waiting::new(self.nodes.len());
        while begin < self.nodes.len() {
            waiting.push(begin as Colour);
            begin += self.lengths[begin] as usize;
        }
        self.run(graph, waiting);
    }

    /// Gives a node a cell of its own, before the others of its cell, and refines.
    pub(super) fn single_out(&mut self, graph: &Graph, node: u32) {
        let begin = self.colours[node as usize] as usize;
        let length = self.lengths[begin];
        if length == 1 {
            return;
        }
        self.swap(self.places[node as usize] as usize, begin);
        self.lengths[begin] = 1;
        self.lengths[begin + 1] = length - 1;
        for place in begin + 1..begin + length as usize {
            self.colours[self.nodes[place] as usize] = begin as Colour + 1;
        }
        self.cells += 1;
        let mut waiting = Waiting::new(self.nodes.len());
        waiting.push(begin as Colour);
        self.run(graph, waiting);
    }

    fn run(&mut self, graph: &Graph, mut waiting: Waiting) {
        // What is seen of the splitting cell: by whom, through which kind of link, once per link.
        let mut seen: Vec<(u32, u64)> = Vec::new();
        while let Some(splitter) = waiting.pop() {
            if self.is_discrete() {
                return;
            }
            let begin = splitter as usize;
            let end = begin + self.lengths[begin] as usize;
            seen.clear();
            for node in &self.nodes[begin..end] {
                let links = graph.links(*node).iter();
                seen.extend(
                    links
                        .filter(|link| !self.is_alone(link.other))
                        .map(|link| (link.other, link.kind)),
                );
            }
            seen.sort_unstable();
            let mut sights: Vec<(Colour, &[(u32, u64)])> = seen
                .chunk_by(|one, other| one.0 == other.0)
                .map(|sight| (self.colours[sight[0].0 as usize], sight))
                .collect();
            sights.sort_unstable_by(|one, other| {
                one.0
                    .cmp(&other.0)
                    .then_with(|| kinds(one.1).cmp(kinds(other.1)))
            });
            for cell in sights.chunk_by(|one, other| one.0 == other.0) {
                self.split(cell, &mut waiting);
            }
        }
    }

    /// Splits one cell by what its nodes see; those that see nothing come first.
    fn split(&mut self, sights: &[(Colour, &[(u32, u64)])], waiting: &mut Waiting) {
        let begin = sights[0].0 as usize;
        let length = self.lengths[begin] as usize;
        let blind = length - sights.len();
        let same = |one: &(Colour, &[(u32, u64)]), other: &(Colour, &[(u32, u64)])| {
            kinds(one.1).eq(kinds(other.1))
        };
        if blind == 0 && same(&sights[0], &sights[sights.len() - 1]) {
            // They are sorted: first and last alike, all alike.
            return;
        }
        // Those that see something go to the end of the cell, in their order.
        let mut end = begin + length;
        for (_, sight) in sights.iter().rev() {
            end -= 1;
            self.swap(self.places[sight[0].0 as usize] as usize, end);
        }
        let mut parts = Vec::new();
        if blind > 0 {
            parts.push((begin, blind));
        }
        let mut at = begin + blind;
        for part in sights.chunk_by(same) {
            parts.push((at, part.len()));
            at += part.len();
        }
        let was_waiting = waiting.is_waiting(begin as Colour);
        let mut largest = 0;
        for (number, (at, length)) in parts.iter().enumerate() {
            self.lengths[*at] = *length as u32;
            if *at != begin {
                for place in *at..*at + *length {
                    self.colours[self.nodes[place] as usize] = *at as Colour;
                }
            }
            if *length > parts[largest].1 {
                largest = number;
            }
        }
        self.cells += parts.len() - 1;
        // What the whole has told apart already, one part less tells apart again.
        for (number, (at, _)) in parts.iter().enumerate() {
            if was_waiting || number != largest {
                waiting.push(*at as Colour);
            }
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.nodes.swap(one, other);
        self.places[self.nodes[one] as usize] = one as u32;
        self.places[self.nodes[other] as usize] = other as u32;
    }
}

fn kinds<'a>(sight: &'a [(u32, u64)]) -> impl Iterator<Item = u64> + 'a {
    sight.iter().map(|(_, kind)| *kind)
}

/// Cells that have yet to split others, first come first.
struct Waiting {
    queue: VecDeque<Colour>,
    is_in: Vec<bool>,
}

impl Waiting {
    fn new(nodes: usize) -> Self {
        Self {
            queue: VecDeque::new(),
            is_in: vec![false; nodes],
        }
    }

    fn push(&mut self, cell: Colour) {
        if !std::mem::replace(&mut self.is_in[cell as usize], true) {
            self.queue.push_back(cell);
        }
    }

    fn pop(&mut self) -> Option<Colour> {
        let cell = self.queue.pop_front()?;
        self.is_in[cell as usize] = false;
        Some(cell)
    }

    fn is_waiting(&self, cell: Colour) -> bool {
        self.is_in[cell as usize]
    }
}
