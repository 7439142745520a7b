//! Orders against brute force: two small graphs have one form exactly if some renumbering makes one
//! the other. Larger symmetric graphs keep their form under random renumbering.

use super::graph::{Graph, ranks};
use super::order::canonical;
use super::partition::Partition;

type Edge = (u32, u32, u32);
/// Colours and edges in canonical order.
type Form = (Vec<u32>, Vec<Edge>);

fn form(colours: &[u32], edges: &[Edge]) -> Form {
    let graph = Graph::new(colours.len(), edges);
    let order = canonical(&graph, &ranks(colours), &mut || Ok(())).unwrap();
    let mut places = vec![u32::MAX; order.len()];
    for (place, node) in (0..).zip(&order) {
        assert_eq!(places[*node as usize], u32::MAX, "a node is there twice");
        places[*node as usize] = place;
    }
    let colours = order.iter().map(|node| colours[*node as usize]).collect();
    (colours, renumbered(&places, edges))
}

fn renumbered(places: &[u32], edges: &[Edge]) -> Vec<Edge> {
    let new = |node: u32| places[node as usize];
    let mut edges: Vec<Edge> = edges
        .iter()
        .map(|(s, k, t)| (new(*s), *k, new(*t)))
        .collect();
    edges.sort_unstable();
    edges
}

fn shuffled(rng: &mut fastrand::Rng, colours: &[u32], edges: &[Edge]) -> (Vec<u32>, Vec<Edge>) {
    let mut places: Vec<u32> = (0..colours.len() as u32).collect();
    rng.shuffle(&mut places);
    let mut moved = vec![0; colours.len()];
    for (node, place) in places.iter().enumerate() {
        moved[*place as usize] = colours[node];
    }
    let mut edges = renumbered(&places, edges);
    rng.shuffle(&mut edges);
    (moved, edges)
}

/// Whether some renumbering makes one graph the other.
fn are_equal(one: (&[u32], &[Edge]), other: (&[u32], &[Edge])) -> bool {
    fn extend(places: &mut Vec<u32>, one: (&[u32], &[Edge]), other: (&[u32], &[Edge])) -> bool {
        let node = places.len();
        if node == one.0.len() {
            return renumbered(places, one.1) == other.1;
        }
        for place in 0..other.0.len() as u32 {
            if places.contains(&place) || one.0[node] != other.0[place as usize] {
                continue;
            }
            places.push(place);
            if extend(places, one, other) {
                return true;
            }
            places.pop();
        }
        false
    }
    let mut sorted = other.1.to_vec();
    sorted.sort_unstable();
    one.0.len() == other.0.len() && extend(&mut Vec::new(), one, (other.0, &sorted))
}

fn random(rng: &mut fastrand::Rng) -> (Vec<u32>, Vec<Edge>) {
    let nodes = rng.u32(1..6);
    let (colours, kinds) = (rng.u32(1..3), rng.u32(1..3));
    let colours = (0..nodes).map(|_| rng.u32(0..colours)).collect();
    let edges = rng.u32(0..9);
    let edge = |_| (rng.u32(0..nodes), rng.u32(0..kinds), rng.u32(0..nodes));
    (colours, (0..edges).map(edge).collect())
}

#[test]
fn forms_are_equal_exactly_if_graphs_are() {
    let seed = 0x51AB;
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut equal, mut close) = (0, 0);
    for round in 0..6000 {
        let (colours, edges) = random(&mut rng);
        let (moved_colours, mut moved) = shuffled(&mut rng, &colours, &edges);
        let context = format!("seed {seed}, round {round}: {colours:?} {edges:?}");
        assert_eq!(
            form(&colours, &edges),
            form(&moved_colours, &moved),
            "{context}"
        );
        // One end moved: sometimes the graph is still the same.
        if !moved.is_empty() {
            let at = rng.usize(..moved.len());
            moved[at].2 = rng.u32(..colours.len() as u32);
            let is_equal = are_equal((&colours, &edges), (&moved_colours, &moved));
            let same_form = form(&colours, &edges) == form(&moved_colours, &moved);
            assert_eq!(
                same_form, is_equal,
                "{context} and {moved_colours:?} {moved:?}"
            );
            equal += u32::from(is_equal);
            close += u32::from(!is_equal);
        }
    }
    assert!(equal > 500 && close > 500, "{equal} equal, {close} not");
}

fn ring(first: u32, length: u32) -> impl Iterator<Item = Edge> {
    (0..length).map(move |at| (first + at, 0, first + (at + 1) % length))
}

fn both_ways(pairs: impl IntoIterator<Item = (u32, u32)>) -> Vec<Edge> {
    let pairs = pairs.into_iter();
    pairs
        .flat_map(|(one, other)| [(one, 0, other), (other, 0, one)])
        .collect()
}

/// The squares of a 4 x 4 board, linked as `is_linked` says of the differences of row and column.
fn board(is_linked: impl Fn(u32, u32) -> bool) -> Vec<Edge> {
    let squares = (0..16).flat_map(|one| (0..16).map(move |other| (one, other)));
    let linked = squares.filter(|(one, other): &(u32, u32)| {
        let row = (one / 4 + 4 - other / 4) % 4;
        let column = (one % 4 + 4 - other % 4) % 4;
        is_linked(row, column)
    });
    linked.map(|(one, other)| (one, 0, other)).collect()
}

fn rook() -> Vec<Edge> {
    board(|row, column| (row == 0) != (column == 0))
}

fn shrikhande() -> Vec<Edge> {
    let steps = [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)];
    board(|row, column| steps.contains(&(row, column)))
}

#[test]
fn symmetric_graphs_keep_their_form() {
    let clique =
        |nodes: u32| both_ways((0..nodes).flat_map(|one| (0..one).map(move |other| (one, other))));
    let between = |near: u32, far: u32| {
        (0..near)
            .flat_map(|one| (0..far).map(move |other| (one, 0, near + other)))
            .collect()
    };
    let petersen = both_ways(
        (0..5).flat_map(|at| [(at, (at + 1) % 5), (at, at + 5), (at + 5, (at + 2) % 5 + 5)]),
    );
    let mut rings: Vec<Edge> = Vec::new();
    let mut first = 0;
    for length in [3, 6, 3, 4, 5, 6, 12, 1, 2, 2] {
        rings.extend(ring(first, length));
        first += length;
    }
    let two_boards = rook().into_iter().chain(
        shrikhande()
            .into_iter()
            .map(|(s, k, t)| (s + 16, k, t + 16)),
    );
    let grid = |side: u32| {
        both_ways((0..side * side).flat_map(move |at| {
            let down = (at + side) % (side * side);
            let right = at / side * side + (at + 1) % side;
            [(at, down), (at, right)]
        }))
    };
    let tree = (1..127_u32).map(|node| ((node - 1) / 2, 0, node)).collect();
    let graphs: Vec<(&str, u32, Vec<Edge>)> = vec![
        ("nothing", 0, vec![]),
        ("loose nodes", 2000, vec![]),
        ("rings", first, rings),
        ("a large ring", 8000, ring(0, 8000).collect()),
        ("a clique", 150, clique(150)),
        ("all to all", 90, between(30, 60)),
        ("petersen", 10, petersen),
        ("rook and shrikhande", 32, two_boards.collect()),
        ("a torus", 64, grid(8)),
        ("a tree", 127, tree),
        (
            "a chain",
            1000,
            (1..1000).map(|node| (node - 1, 0, node)).collect(),
        ),
        (
            "twins",
            1001,
            (1..1001).map(|node| (0, node % 2, node)).collect(),
        ),
        (
            "parallel",
            3,
            vec![
                (0, 0, 1),
                (0, 0, 1),
                (1, 0, 2),
                (1, 0, 2),
                (2, 0, 0),
                (2, 0, 0),
            ],
        ),
    ];
    let seed = 7;
    let mut rng = fastrand::Rng::with_seed(seed);
    for (name, nodes, edges) in graphs {
        let colours = vec![0; nodes as usize];
        let first = form(&colours, &edges);
        for round in 0..3 {
            let (colours, edges) = shuffled(&mut rng, &colours, &edges);
            assert!(
                form(&colours, &edges) == first,
                "{name}, seed {seed}, round {round}"
            );
        }
    }
}

#[test]
fn graphs_that_only_singling_out_tells_apart_have_other_forms() {
    // Every node of both has the same neighbourhood as far as refinement sees.
    let colours = [0; 16];
    assert_ne!(form(&colours, &rook()), form(&colours, &shrikhande()));
    let six: Vec<Edge> = ring(0, 6).collect();
    let threes: Vec<Edge> = ring(0, 3).chain(ring(3, 3)).collect();
    assert_ne!(form(&[0; 6], &six), form(&[0; 6], &threes));
}

#[test]
fn refinement_ends_where_iterated_hashing_does() {
    let seed = 99;
    let mut rng = fastrand::Rng::with_seed(seed);
    for round in 0..2000 {
        let nodes = rng.u32(1..30);
        let edges: Vec<Edge> = (0..rng.u32(0..60))
            .map(|_| (rng.u32(..nodes), rng.u32(..2), rng.u32(..nodes)))
            .collect();
        let graph = Graph::new(nodes as usize, &edges);
        let colours: Vec<u32> = (0..nodes).map(|_| rng.u32(..2)).collect();
        let mut partition = Partition::new(&ranks(&colours));
        partition.refine(&graph);
        // The slow way: everybody looks around, again and again.
        let mut slow = ranks(&colours);
        for _ in 0..nodes {
            let looks: Vec<_> = (0..nodes)
                .map(|node| {
                    let links = graph.links(node).iter();
                    let mut seen: Vec<_> = links
                        .map(|link| (link.kind, slow[link.other as usize]))
                        .collect();
                    seen.sort_unstable();
                    (slow[node as usize], seen)
                })
                .collect();
            slow = ranks(&looks);
        }
        for one in 0..nodes as usize {
            for other in 0..nodes as usize {
                let fast = partition.colours()[one] == partition.colours()[other];
                assert_eq!(fast, slow[one] == slow[other], "seed {seed}, round {round}");
            }
        }
    }
}
