//! Counts beside trying every relationship for every link, on small random graphs.

use super::*;
use crate::algo::Direction;
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
    figure: &'t Figure,
    /// The class of each place.
    classes: &'t [Class],
    allowed: &'t [Option<Bits>],
    /// The links of nodes that must be there, each with its node.
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
            if self.holds(at) {
                each(at);
            }
            return;
        };
        let near = at[link.from];
        let is_new = at.len() == node;
        for number in 0..self.list.len() {
            if link.apart.iter().any(|other| taken[*other] == number) {
                continue;
            }
            for far in self.fars(number, (link.types, link.direction), near) {
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
    /// Where a relationship leads from a place.
    fn fars(
        &self,
        number: usize,
        (types, direction): (usize, Direction),
        near: u32,
    ) -> BTreeSet<u32> {
        let (own, source, target) = self.list[number];
        let mut fars = BTreeSet::new();
        if own == types && direction != Direction::Incoming && source == near {
            fars.insert(target);
        }
        if own == types && direction != Direction::Outgoing && target == near {
            fars.insert(source);
        }
        fars
    }

    /// Whether whatever must differ does, and nothing is there that must not be.
    fn holds(&self, at: &[u32]) -> bool {
        let differ = self.figure.differ.iter().all(|differ| {
            let (one, other) = (at[differ.nodes.0], at[differ.nodes.1]);
            let Some(_) = differ.by else {
                return one != other;
            };
            match (self.classes[one as usize], self.classes[other as usize]) {
                (Class::Unknown, _) | (_, Class::Unknown) => false,
                (Class::Number(left), Class::Number(right)) => left != right,
                _ => true,
            }
        });
        differ
            && self.figure.absent.iter().all(|absent| {
                let (near, far) = (at[absent.nodes.0], at[absent.nodes.1]);
                let leads = |number| {
                    let fars = self.fars(number, (absent.types, absent.direction), near);
                    fars.contains(&far)
                };
                !(0..self.list.len()).any(leads)
            })
    }

    /// How often that counts which hangs on a node.
    fn hanging(&self, node: usize, place: u32, arms: usize) -> u64 {
        let nodes = self.figure.nodes.iter().enumerate().skip(arms);
        let nodes = nodes.filter(|(_, links)| links[0].from == node);
        let found = nodes.map(|(before, links)| {
            let fars = |number| {
                let fars = self.fars(number, (links[0].types, links[0].direction), place);
                let fars = fars.into_iter().filter(|far| self.fits(before + 1, *far));
                fars.map(|far| self.hanging(before + 1, far, arms))
                    .sum::<u64>()
            };
            let all = (0..self.list.len()).map(fars).sum::<u64>();
            match links[0].times {
                Times::Each => all,
                Times::AtLeastOnce => all.max(1),
                Times::OnceIf(least, most) => u64::from(least <= all && all <= most),
            }
        });
        found.product()
    }
}

/// A figure, and from which node on nothing has to be there.
fn random_figure(random: &mut Rng) -> (Figure, usize) {
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
                direction: random_direction(random),
                types,
                apart: if apart { before } else { Vec::new() },
                times: Times::Each,
            }
        });
        nodes.push(links.collect());
    }
    let two = |random: &mut Rng| {
        let one = random.usize(0..count);
        (one, random.usize(one + 1..=count))
    };
    let differ = (0..random.usize(0..4).saturating_sub(1)).map(|_| Differ {
        nodes: two(random),
        by: Some(0).filter(|_| random.bool()),
    });
    let differ: Vec<Differ> = differ.collect();
    let absent = (0..random.usize(0..5).saturating_sub(3)).map(|_| Absent {
        nodes: two(random),
        direction: random_direction(random),
        types: random.usize(0..2),
    });
    let absent = absent.collect();
    for arm in 0..random.usize(0..5).saturating_sub(2) {
        let from = random.usize(0..=count + arm);
        nodes.push(vec![Link {
            from,
            direction: random_direction(random),
            types: random.usize(0..2),
            apart: Vec::new(),
            // What hangs on what need not be there may itself have to be there with it.
            times: match random.u8(0..4) {
                0 | 1 if from > count => Times::Each,
                0 => Times::OnceIf(1, u64::MAX),
                1 => Times::OnceIf(0, 0),
                2 => Times::OnceIf(random.u64(0..3), random.u64(1..4)),
                _ => Times::AtLeastOnce,
            },
        }]);
    }
    let figure = Figure {
        nodes,
        differ,
        absent,
    };
    (figure, count)
}

fn random_direction(random: &mut Rng) -> Direction {
    [Direction::Outgoing, Direction::Incoming, Direction::Both][random.usize(0..3)]
}

fn random_class(random: &mut Rng, unknown: bool) -> Class {
    match random.u8(0..8) {
        0 => Class::LikeNobody,
        1 if unknown => Class::Unknown,
        _ => Class::Number(random.u32(0..3)),
    }
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
        let (figure, arms) = random_figure(&mut random);
        let nodes = figure.nodes.len() + 1;
        let unknown = random.bool();
        let classes: Vec<Class> = (0..places)
            .map(|_| random_class(&mut random, unknown))
            .collect();
        let allowed: Vec<_> = (0..nodes)
            .map(|_| random_bits(&mut random, places))
            .collect();
        let starts: Vec<(u32, u64)> = (0..places)
            .filter_map(|place| Some((place, random.u64(0..3))).filter(|one| one.1 > 0))
            .collect();
        let is_anywhere = random.bool();
        let starts = match is_anywhere {
            false => starts,
            true => {
                let times = random.u64(1..3);
                let fits = |place: &u32| allowed[0].as_ref().is_none_or(|bits| bits.has(*place));
                let all = (0..places).filter(fits);
                all.map(|place| (place, times)).collect()
            }
        };
        let links = figure.nodes.iter().take(arms).enumerate();
        let trier = Trier {
            list: &list,
            figure: &figure,
            classes: &classes,
            allowed: &allowed,
            links: links
                .flat_map(|(before, links)| links.iter().map(move |link| (before + 1, link)))
                .collect(),
        };
        let arms_from = arms;
        let mut total = 0;
        let mut each = vec![vec![0_u64; places as usize]; nodes];
        let mut last = BTreeSet::new();
        for (start, times) in starts.iter().copied().filter(|one| trier.fits(0, one.0)) {
            trier.all(&mut vec![start], &mut Vec::new(), &mut |at| {
                let arms = at.iter().enumerate();
                let arms = arms.map(|(node, place)| trier.hanging(node, *place, arms_from));
                let times = times * arms.product::<u64>();
                total += times;
                for (node, place) in at.iter().enumerate() {
                    each[node][*place as usize] += times;
                }
                last.insert(at[arms_from]);
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
            classes: vec![Classes::new(classes.iter().copied())],
            is_anywhere,
        };
        let counted = |wanted| {
            let looked = Looked::up_to(u64::MAX);
            let asked = (starts.as_slice(), wanted);
            count(&figure, &ground(), asked, 2, &looked, &mut Watch::quiet()).unwrap()
        };
        let case = format!("seed {seed}: {figure:?}\nin {list:?}\nfrom {starts:?}, {allowed:?}");
        assert_eq!(counted(Wanted::Total).total, total, "{case}");
        for (node, each) in each.iter().enumerate().take(arms + 1) {
            assert_eq!(
                &counted(Wanted::Each(node)).each,
                each,
                "node {node}, {case}"
            );
        }
        if arms < figure.nodes.len() {
            continue;
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
        classes: Vec::new(),
        is_anywhere: false,
    };
    let link = |from, apart| Link {
        from,
        direction: Direction::Outgoing,
        types: 0,
        apart,
        times: Times::Each,
    };
    let figure = Figure {
        nodes: vec![vec![link(0, vec![])], vec![link(1, vec![0])]],
        ..Figure::default()
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
        let found = count(
            &figure,
            &ground,
            asked,
            threads,
            &looked,
            &mut Watch::quiet(),
        );
        assert_eq!(found.unwrap().total, 2_000);
        let few = Looked::up_to(100);
        let found = count(&figure, &ground, asked, threads, &few, &mut Watch::quiet());
        assert!(found.is_err() && few.so_far() > 100);
    }
}
