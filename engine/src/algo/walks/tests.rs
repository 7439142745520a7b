//! Counts beside trying every relationship for every link, on small random graphs.

use super::*;
use crate::algo::Direction;
use crate::algo::random_graph::watched;
use fastrand::Rng;
use std::collections::BTreeSet;

/// Relationships as a plain list: types, source, target.
type List = Vec<(usize, u32, u32)>;

/// Rows as arrays of their own.
#[derive(Default)]
struct Arrays {
    begins: Vec<u32>,
    ends: Vec<u32>,
    targets: Vec<u32>,
}

impl Arrays {
    fn of(places: u32, pairs: &(impl Iterator<Item = (u32, u32)> + Clone)) -> Self {
        let mut arrays = Self::default();
        for place in 0..places {
            let row = pairs.clone().filter(|(near, _)| *near == place);
            let mut row: Vec<u32> = row.map(|(_, far)| far).collect();
            row.sort_unstable();
            arrays.begins.push(arrays.targets.len() as u32);
            arrays.targets.extend(row);
            arrays.ends.push(arrays.targets.len() as u32);
        }
        arrays
    }

    fn rows(&self) -> Rows<'_> {
        Rows::new(&self.begins, &self.ends, &self.targets)
    }
}

/// Each match of a figure: the places of its nodes.
struct Trier<'t> {
    list: &'t List,
    allowed: &'t [Option<Bits>],
    links: Vec<(usize, &'t Link)>,
}

impl Trier<'_> {
    fn fits(&self, node: usize, place: u32) -> bool {
        self.allowed[node]
            .as_ref()
            .is_none_or(|allowed| allowed.has(place))
    }

    fn all(&self, at: &mut Vec<u32>, taken: &mut Vec<usize>, each: &mut dyn FnMut(&[u32])) {
        let Some((node, link)) = self.links.get(taken.len()).copied() else {
            return each(at);
        };
        let near = at[link.from];
        let is_new = at.len() == node;
        for (number, (types, source, target)) in self.list.iter().copied().enumerate() {
            if types != link.types || link.apart.iter().any(|other| taken[*other] == number) {
                continue;
            }
            let mut fars = BTreeSet::new();
            if link.direction != Direction::Incoming && source == near {
                fars.insert(target);
            }
            if link.direction != Direction::Outgoing && target == near {
                fars.insert(source);
            }
            for far in fars {
                if (is_new && !self.fits(node, far)) || (!is_new && at[node] != far) {
                    continue;
                }
                if is_new {
                    at.push(far);
                }
                taken.push(number);
                self.all(at, taken, each);
                taken.pop();
                if is_new {
                    at.pop();
                }
            }
        }
    }
}

fn random_figure(random: &mut Rng) -> Figure {
    let count = random.usize(1..=3);
    let (mut nodes, mut kinds): (Vec<Vec<Link>>, Vec<usize>) = (Vec::new(), Vec::new());
    // All links of one clause are apart, those of several clauses are not.
    let apart = random.u8(0..4) > 0;
    for node in 1..=count {
        let links = if node > 1 && random.bool() {
            random.usize(1..=2)
        } else {
            1
        };
        let chain = random.u8(0..3) > 0;
        let links = (0..links).map(|number| {
            let types = usize::from(random.u8(0..4) == 0);
            let before: Vec<usize> = (0..kinds.len()).filter(|at| kinds[*at] == types).collect();
            kinds.push(types);
            Link {
                from: match chain && number == 0 {
                    true => node - 1,
                    false => random.usize(0..node),
                },
                direction: [Direction::Outgoing, Direction::Incoming, Direction::Both]
                    [random.usize(0..3)],
                types,
                apart: if apart { before } else { Vec::new() },
            }
        });
        nodes.push(links.collect());
    }
    Figure { nodes }
}

fn random_bits(random: &mut Rng, places: u32) -> Option<Bits> {
    if random.u8(0..3) > 0 {
        return None;
    }
    let mut bits = Bits::new(places as usize);
    (0..places)
        .filter(|_| random.u8(0..3) > 0)
        .for_each(|place| bits.put(place));
    Some(bits)
}

fn round(seed: u64) -> u64 {
    let mut random = Rng::with_seed(seed);
    let places = random.u32(1..7);
    let relationships = random.usize(0..14);
    let list: List = (0..relationships)
        .map(|_| {
            let types = usize::from(random.u8(0..3) == 0);
            (types, random.u32(0..places), random.u32(0..places))
        })
        .collect();
    let mut arrays = Vec::new();
    for types in 0..2 {
        let own = list.iter().filter(move |one| one.0 == types);
        let out = Arrays::of(places, &own.clone().map(|one| (one.1, one.2)));
        let into = Arrays::of(places, &own.map(|one| (one.2, one.1)));
        arrays.push([out, into]);
    }
    let mut most = 0;
    for _ in 0..6 {
        let figure = random_figure(&mut random);
        let nodes = figure.nodes.len() + 1;
        let allowed: Vec<_> = (0..nodes)
            .map(|_| random_bits(&mut random, places))
            .collect();
        let starts: Vec<(u32, u64)> = (0..places)
            .filter_map(|place| Some((place, random.u64(0..3))).filter(|one| one.1 > 0))
            .collect();
        let links = figure.nodes.iter().enumerate();
        let trier = Trier {
            list: &list,
            allowed: &allowed,
            links: links
                .flat_map(|(before, links)| links.iter().map(move |link| (before + 1, link)))
                .collect(),
        };
        let mut total = 0;
        let mut each = vec![vec![0_u64; places as usize]; nodes];
        let mut last = BTreeSet::new();
        for (start, times) in starts.iter().copied().filter(|one| trier.fits(0, one.0)) {
            trier.all(&mut vec![start], &mut Vec::new(), &mut |at| {
                total += times;
                for (node, place) in at.iter().enumerate() {
                    each[node][*place as usize] += times;
                }
                last.insert(at[nodes - 1]);
            });
        }
        most = most.max(total);
        let ground = || Ground {
            places: places as usize,
            rows: arrays
                .iter()
                .map(|[out, into]| [out.rows(), into.rows()])
                .collect(),
            allowed: allowed.clone(),
        };
        let counted = |wanted| {
            let looked = Looked::up_to(u64::MAX);
            let asked = (starts.as_slice(), wanted);
            watched(|watch| count(&figure, &ground(), asked, 2, &looked, watch)).unwrap()
        };
        let case = format!("seed {seed}: {figure:?}\nin {list:?}\nfrom {starts:?}, {allowed:?}");
        assert_eq!(counted(Wanted::Total).total, total, "{case}");
        for (node, each) in each.iter().enumerate() {
            assert_eq!(
                &counted(Wanted::Each(node)).each,
                each,
                "node {node}, {case}"
            );
        }
        let found: BTreeSet<u32> = counted(Wanted::Last).last.places().collect();
        assert_eq!(found, last, "{case}");
    }
    most
}

#[test]
fn counts_are_those_of_trying_every_relationship() {
    let most = (0..4_000).map(round).max();
    assert!(most > Some(1_000), "the graphs are too easy: {most:?}");
}

#[test]
fn starts_are_shared_out_without_a_gap() {
    let ends: Vec<u32> = (1..=2_000).collect();
    let begins: Vec<u32> = (0..2_000).collect();
    let targets: Vec<u32> = (0..2_000).rev().collect();
    let ground = Ground {
        places: 2_000,
        rows: vec![[Rows::new(&begins, &ends, &targets), Rows::none()]],
        allowed: vec![None; 3],
    };
    let link = |from, apart| Link {
        from,
        direction: Direction::Outgoing,
        types: 0,
        apart,
    };
    let figure = Figure {
        nodes: vec![vec![link(0, vec![])], vec![link(1, vec![0])]],
    };
    let starts: Vec<(u32, u64)> = (0..2_000).map(|start| (start, 1)).collect();
    for threads in [1, 2, 3, 7] {
        let steps = figure.turns(&ground).remove(0);
        let shares = shares(&steps, &starts, threads);
        assert_eq!(shares.len(), threads);
        let all: Vec<usize> = shares.into_iter().flatten().collect();
        assert_eq!(all, (0..2_000).collect::<Vec<_>>());
        let looked = Looked::up_to(u64::MAX);
        let asked = (starts.as_slice(), Wanted::Total);
        let found = watched(|watch| count(&figure, &ground, asked, threads, &looked, watch));
        assert_eq!(found.unwrap().total, 2_000);
        let few = Looked::up_to(100);
        let found = watched(|watch| count(&figure, &ground, asked, threads, &few, watch));
        assert!(found.is_err() && few.so_far() > 100);
    }
}
