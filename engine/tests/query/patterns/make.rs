//! Random queries. What they must not say, because the language refuses it, they do not say.
//!
//! Next: `tries.rs`.

use super::shape::{Arrow, Condition, Hop, Kind, Link, Match, Node, Other, Path, Query, Selector};
use fastrand::Rng;

pub(super) struct Maker<'r> {
    rng: &'r mut Rng,
    known: Vec<(String, Kind)>,
    /// How many of the known variables are from clauses before this one.
    before: usize,
    /// Relationships that the clause names already.
    named: Vec<String>,
    number: usize,
    only_lengths: bool,
}

/// What may be said at a place.
#[derive(Clone, Copy)]
struct Place {
    /// Whether nodes may have names that are known.
    shares: bool,
    groups: bool,
}

impl<'r> Maker<'r> {
    pub(super) fn new(rng: &'r mut Rng) -> Self {
        Self {
            rng,
            known: Vec::new(),
            before: 0,
            named: Vec::new(),
            number: 0,
            only_lengths: false,
        }
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.rng.usize(0..many) == 0
    }

    fn fresh(&mut self, letter: &str) -> String {
        self.number += 1;
        format!("{letter}{}", self.number)
    }

    pub(super) fn query(mut self) -> Query {
        let mut clauses = Vec::new();
        for at in 0..self.rng.usize(1..4).min(2) {
            let clause = self.clause(at);
            clauses.push(clause);
            self.before = self.known.len();
        }
        Query {
            clauses,
            variables: self.known,
            only_lengths: self.only_lengths,
        }
    }

    fn clause(&mut self, at: usize) -> Match {
        self.named.clear();
        let optional = at > 0 && self.one_in(3);
        let mut paths = Vec::new();
        if self.one_in(4) && !self.only_lengths && at == 0 {
            paths.push(self.selected());
        } else {
            for _ in 0..self.rng.usize(1..6).div_ceil(3) {
                let longest = if self.one_in(4) { 0 } else { 2 };
                let place = Place {
                    shares: true,
                    groups: true,
                };
                let mut path = self.path(place, longest);
                path.within = self.conditions(5);
                if self.one_in(3) && !self.only_lengths {
                    let name = self.fresh("p");
                    self.known.push((name.clone(), Kind::Path));
                    path.name = Some(name);
                }
                paths.push(path);
            }
        }
        let mut filter = self.conditions(4);
        if self.one_in(8) {
            filter.push(self.count());
        }
        Match {
            optional,
            paths,
            filter,
        }
    }

    /// A path with a selector, alone in its clause.
    fn selected(&mut self) -> Path {
        let selector = match self.rng.usize(0..5) {
            0 => Selector::Any(self.rng.usize(1..3)),
            1 => Selector::Shortest(self.rng.usize(1..4)),
            2 => Selector::Groups(self.rng.usize(1..3)),
            _ => Selector::AllShortest,
        };
        self.only_lengths = matches!(selector, Selector::Any(_) | Selector::Shortest(_));
        let first = self.selected_node();
        let mut rest = Vec::new();
        let links = self.rng.usize(1..6).div_ceil(2);
        for at in 1..=links {
            let link = match self.rng.usize(0..5) {
                0 => self.rounds(),
                1 => Link::One(self.hop(true, true)),
                _ => {
                    let hop = self.hop(true, true);
                    let (min, max) = self.lengths();
                    Link::Many(hop, min, max, true)
                }
            };
            self.remember(&link);
            // Only the last node may be one that is known.
            let mut node = self.node(Place {
                shares: false,
                groups: false,
            });
            if at == links && first.name.is_some() && self.one_in(5) {
                self.known
                    .retain(|(name, _)| Some(name) != node.name.as_ref());
                node.name.clone_from(&first.name);
                node.filter.clear();
            }
            rest.push((link, node));
        }
        let within = self.conditions(3);
        let name = self.fresh("p");
        self.known.push((name.clone(), Kind::Path));
        if let Selector::Any(most) | Selector::Shortest(most) = selector
            && most > 0
        {
            // Which relationships were taken is not known beforehand.
            let ends = [&first, &rest[rest.len() - 1].1].map(|node| node.name.clone());
            self.known.retain(|(name, kind)| match kind {
                Kind::Node => ends.contains(&Some(name.clone())),
                kind => *kind == Kind::Path,
            });
        }
        Path {
            name: Some(name),
            selector: Some(selector),
            first,
            rest,
            within,
        }
    }

    fn selected_node(&mut self) -> Node {
        let mut node = self.node(Place {
            shares: true,
            groups: false,
        });
        node.filter.clear();
        node
    }

    fn path(&mut self, place: Place, longest: usize) -> Path {
        let first = self.node(place);
        let mut rest = Vec::new();
        for _ in 0..self.rng.usize(0..=longest).max(usize::from(!place.groups)) {
            let link = self.link(place);
            let node = self.node(place);
            rest.push((link, node));
        }
        Path {
            name: None,
            selector: None,
            first,
            rest,
            within: Vec::new(),
        }
    }

    fn node(&mut self, place: Place) -> Node {
        let nodes = self.known.iter().filter(|(_, kind)| *kind == Kind::Node);
        let nodes: Vec<String> = nodes.map(|(name, _)| name.clone()).collect();
        let name = match self.rng.usize(0..4) {
            0 => None,
            1 if place.shares && !nodes.is_empty() => {
                Some(nodes[self.rng.usize(0..nodes.len())].clone())
            }
            _ => {
                let name = self.fresh("n");
                self.known.push((name.clone(), Kind::Node));
                Some(name)
            }
        };
        let filter = if self.one_in(8) {
            self.conditions(1)
        } else {
            Vec::new()
        };
        Node {
            name,
            label: self.one_in(4).then(|| ["A", "B"][self.rng.usize(0..2)]),
            w: self.one_in(6).then(|| self.rng.i64(0..3)),
            filter,
        }
    }

    fn lengths(&mut self) -> (usize, Option<usize>) {
        let min = self.rng.usize(0..3);
        let max = (!self.one_in(3)).then(|| (min + self.rng.usize(0..3)).max(1));
        (min, max)
    }

    fn hop(&mut self, many: bool, fresh: bool) -> Hop {
        let mut name = None;
        if !self.one_in(3) {
            name = Some(self.fresh("r"));
        }
        let earlier: Vec<String> = self.known[..self.before]
            .iter()
            .filter(|(name, kind)| *kind == Kind::Relationship && !self.named.contains(name))
            .map(|(name, _)| name.clone())
            .collect();
        if !many && !fresh && !earlier.is_empty() && self.one_in(3) {
            name = Some(earlier[self.rng.usize(0..earlier.len())].clone());
        }
        let mut filter = Vec::new();
        if let Some(name) = &name
            && self.rng.usize(0..5) == 0
        {
            filter.push(Condition::AtMost(name.clone(), self.other()));
        }
        self.named.extend(name.clone());
        Hop {
            name,
            of: (self.rng.usize(0..3) == 0).then(|| ["X", "Y"][self.rng.usize(0..2)]),
            w: (self.rng.usize(0..6) == 0).then(|| self.rng.i64(0..3)),
            filter,
            arrow: [Arrow::Right, Arrow::Left, Arrow::Either][self.rng.usize(0..3)],
        }
    }

    fn other(&mut self) -> Other {
        let nodes = self.known.iter().filter(|(_, kind)| *kind == Kind::Node);
        let nodes: Vec<String> = nodes.map(|(name, _)| name.clone()).collect();
        if nodes.is_empty() || self.rng.bool() {
            return Other::Number(self.rng.i64(0..3));
        }
        Other::Name(nodes[self.rng.usize(0..nodes.len())].clone())
    }

    fn remember(&mut self, link: &Link) {
        let (hop, kind) = match link {
            Link::One(hop) => (hop, Kind::Relationship),
            Link::Many(hop, ..) => (hop, Kind::RelationshipList),
            Link::Rounds(..) => return,
        };
        if let Some(name) = &hop.name
            && !self.known.iter().any(|(known, _)| known == name)
        {
            self.known.push((name.clone(), kind));
        }
    }

    fn link(&mut self, place: Place) -> Link {
        let link = match self.rng.usize(0..6) {
            0 | 1 if place.groups => {
                let (min, max) = self.lengths();
                let style = self.rng.bool();
                Link::Many(self.hop(true, true), min, max, style)
            }
            2 if place.groups => return self.rounds(),
            _ => Link::One(self.hop(false, !place.groups)),
        };
        self.remember(&link);
        link
    }

    fn rounds(&mut self) -> Link {
        let outer = self.known.clone();
        let longest = self.rng.usize(1..3);
        let place = Place {
            shares: false,
            groups: false,
        };
        let mut path = self.path(place, longest);
        if self.one_in(3) {
            path.within = self.conditions(1);
        }
        // What is seen of a round outside of it is a list.
        let own = self.known.split_off(outer.len());
        let lists = own.into_iter().map(|(name, kind)| match kind {
            Kind::Node => (name, Kind::NodeList),
            Kind::Relationship => (name, Kind::RelationshipList),
            _ => (name, Kind::Lists),
        });
        self.known.extend(lists);
        let (min, max) = self.lengths();
        Link::Rounds(Box::new(path), min, max)
    }

    /// Conditions on what is known, up to one in so many times.
    fn conditions(&mut self, one_in: usize) -> Vec<Condition> {
        let entities = self.known.iter();
        let entities = entities.filter(|(_, kind)| matches!(kind, Kind::Node | Kind::Relationship));
        let entities: Vec<String> = entities.map(|(name, _)| name.clone()).collect();
        if entities.is_empty() || !self.one_in(one_in) {
            return Vec::new();
        }
        let name = entities[self.rng.usize(0..entities.len())].clone();
        vec![Condition::AtMost(name, self.other())]
    }

    /// How many matches another pattern has, of which nothing is known outside.
    fn count(&mut self) -> Condition {
        let known = self.known.clone();
        let named = std::mem::take(&mut self.named);
        let place = Place {
            shares: true,
            groups: true,
        };
        let path = self.path(place, 2);
        (self.known, self.named) = (known, named);
        Condition::Count(Box::new(path), self.rng.usize(1..4))
    }
}
