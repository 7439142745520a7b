//! A matcher that tries everything, and keeps what fulfils all conditions in the end.
//!
//! Next: `../seeks.rs`.

use super::shape::{Arrow, Condition, Hop, Link, Match, Node, Other, Path, Query, Selector, Val};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::fmt;

/// More rows than this are not compared.
const MOST: usize = 200;

#[derive(Clone, Debug)]
pub(super) struct Relationship {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) of: &'static str,
    pub(super) w: i64,
}

/// A graph: the label and the number `w` of each node, and relationships between them.
#[derive(Clone, Debug)]
pub(super) struct Small {
    pub(super) nodes: Vec<(&'static str, i64)>,
    pub(super) relationships: Vec<Relationship>,
}

/// A value that knows what it is.
#[derive(Clone, Debug, PartialEq)]
enum Bound {
    Null,
    Node(usize),
    Relationship(usize),
    List(Vec<Bound>),
    Path(Vec<usize>, Vec<usize>),
}

impl Bound {
    fn shown(&self, only_lengths: bool) -> Val {
        let list =
            |numbers: &[usize]| Val::List(numbers.iter().copied().map(Val::Entity).collect());
        match self {
            Self::Null => Val::Null,
            Self::Node(number) | Self::Relationship(number) => Val::Entity(*number),
            Self::Path(_, ways) if only_lengths => Val::Entity(ways.len()),
            Self::Path(nodes, ways) => Val::List(vec![list(nodes), list(ways)]),
            Self::List(_) if only_lengths => Val::Null,
            Self::List(parts) => Val::List(parts.iter().map(|one| one.shown(false)).collect()),
        }
    }
}

type Names = BTreeMap<String, Bound>;

/// A match on its way.
#[derive(Clone, Default)]
struct State {
    names: Names,
    /// The relationships of this `MATCH`.
    used: Vec<usize>,
    /// Conditions, and what they see beside the names.
    checks: Vec<(Names, Condition)>,
    /// The nodes and the relationships of the path that is being walked.
    nodes: Vec<usize>,
    ways: Vec<usize>,
}

impl State {
    fn at(&self) -> usize {
        *self.nodes.last().unwrap()
    }

    fn check(&mut self, local: &Names, conditions: &[Condition]) {
        let conditions = conditions.iter().cloned();
        let checks = conditions.map(|condition| (local.clone(), condition));
        self.checks.extend(checks);
    }
}

impl fmt::Display for Small {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (label, w)) in self.nodes.iter().enumerate() {
            write!(f, "({k}:{label} {w}) ")?;
        }
        for (k, one) in self.relationships.iter().enumerate() {
            write!(f, "{}-[{k}:{} {}]->{} ", one.from, one.of, one.w, one.to)?;
        }
        Ok(())
    }
}

impl Small {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let nodes = (0..rng.usize(1..5)).map(|_| (["A", "B"][rng.usize(0..2)], rng.i64(0..3)));
        let nodes: Vec<_> = nodes.collect();
        let relationships = (0..rng.usize(0..7)).map(|_| Relationship {
            from: rng.usize(0..nodes.len()),
            to: rng.usize(0..nodes.len()),
            of: ["X", "Y"][rng.usize(0..2)],
            w: rng.i64(0..3),
        });
        let relationships = relationships.collect();
        Self {
            nodes,
            relationships,
        }
    }

    /// The rows of a query, sorted; nothing if there are too many.
    pub(super) fn rows(&self, query: &Query) -> Option<Vec<Vec<Val>>> {
        let mut rows = vec![Names::new()];
        for clause in &query.clauses {
            let mut next = Vec::new();
            for row in rows {
                let found = self.matches(&row, clause)?;
                if found.is_empty() && clause.optional {
                    next.push(row);
                } else {
                    next.extend(found);
                }
                if next.len() > MOST {
                    return None;
                }
            }
            rows = next;
        }
        let value = |row: &Names, name: &str| {
            let value = row.get(name);
            value.map_or(Val::Null, |value| value.shown(query.only_lengths))
        };
        let shown = |row: Names| match query.variables.is_empty() {
            true => vec![Val::Entity(0)],
            false => {
                let names = query.variables.iter();
                names.map(|(name, _)| value(&row, name)).collect()
            }
        };
        let mut rows: Vec<Vec<Val>> = rows.into_iter().map(shown).collect();
        rows.sort();
        Some(rows)
    }

    fn matches(&self, row: &Names, clause: &Match) -> Option<Vec<Names>> {
        let mut states = vec![State {
            names: row.clone(),
            ..State::default()
        }];
        for path in &clause.paths {
            states = self.path(states, path)?;
        }
        for state in &mut states {
            state.check(&Names::new(), &clause.filter);
        }
        let states = states.into_iter().filter(|state| self.holds(state));
        Some(states.map(|state| state.names).collect())
    }

    fn holds(&self, state: &State) -> bool {
        let mut checks = state.checks.iter();
        checks.all(|(local, condition)| {
            let mut names = state.names.clone();
            names.extend(local.clone());
            self.is_true(&names, condition)
        })
    }

    fn is_true(&self, names: &Names, condition: &Condition) -> bool {
        let w = |name: &str| match names.get(name) {
            Some(Bound::Node(node)) => Some(self.nodes[*node].1),
            Some(Bound::Relationship(one)) => Some(self.relationships[*one].w),
            _ => None,
        };
        match condition {
            Condition::AtMost(name, other) => {
                let other = match other {
                    Other::Number(number) => Some(*number),
                    Other::Name(name) => w(name),
                };
                w(name).zip(other).is_some_and(|(one, other)| one <= other)
            }
            Condition::Count(path, least) => {
                let clause = Match {
                    optional: false,
                    paths: vec![(**path).clone()],
                    filter: Vec::new(),
                };
                let found = self.matches(names, &clause);
                found.is_none_or(|found| found.len() >= *least)
            }
        }
    }

    /// The states after a path.
    fn path(&self, states: Vec<State>, path: &Path) -> Option<Vec<State>> {
        let mut found = Vec::new();
        for state in states {
            let mut begun = Vec::new();
            for node in 0..self.nodes.len() {
                let mut state = state.clone();
                (state.nodes, state.ways) = (vec![node], Vec::new());
                begun.push(state);
            }
            let mut own = self.walk(begun, path)?;
            for state in &mut own {
                state.check(&Names::new(), &path.within);
                if let Some(name) = &path.name {
                    let way = Bound::Path(state.nodes.clone(), state.ways.clone());
                    state.names.insert(name.clone(), way);
                }
            }
            if let Some(selector) = path.selector {
                own.retain(|state| self.holds(state));
                own = chosen(own, selector);
            }
            found.extend(own);
            if found.len() > MOST {
                return None;
            }
        }
        Some(found)
    }

    fn walk(&self, states: Vec<State>, path: &Path) -> Option<Vec<State>> {
        let mut states = self.stand(states, &path.first);
        for (link, node) in &path.rest {
            states = self.link(states, link)?;
            states = self.stand(states, node);
            if states.len() > 4 * MOST {
                return None;
            }
        }
        Some(states)
    }

    /// The states that stand at a node as it is said.
    fn stand(&self, states: Vec<State>, node: &Node) -> Vec<State> {
        let stood = states.into_iter().filter_map(|mut state| {
            let at = state.at();
            if let Some(name) = &node.name {
                let known = state.names.entry(name.clone()).or_insert(Bound::Node(at));
                if *known != Bound::Node(at) {
                    return None;
                }
            }
            let (label, w) = self.nodes[at];
            let is = node.label.is_none_or(|wanted| wanted == label)
                && node.w.is_none_or(|wanted| wanted == w);
            let local = Names::new();
            state.check(&local, &node.filter);
            is.then_some(state)
        });
        stood.collect()
    }

    fn link(&self, states: Vec<State>, link: &Link) -> Option<Vec<State>> {
        let mut found = Vec::new();
        for state in states {
            match link {
                Link::One(hop) => {
                    for (mut next, way) in self.hop(&state, hop) {
                        let way = Bound::Relationship(way);
                        let name = hop.name.clone().unwrap_or_default();
                        let known = next.names.get(&name).filter(|_| hop.name.is_some());
                        if known.is_some_and(|known| *known != way) {
                            continue;
                        }
                        if hop.name.is_some() {
                            next.names.insert(name, way);
                        }
                        next.check(&Names::new(), &hop.filter);
                        found.push(next);
                    }
                }
                Link::Many(hop, min, max, _) => {
                    let mut ends = vec![(state, Vec::new())];
                    let mut length = 0;
                    while !ends.is_empty() {
                        let mut next = Vec::new();
                        for (state, list) in ends {
                            if length >= *min && max.is_none_or(|max| length <= max) {
                                let mut state = state.clone();
                                if let Some(name) = &hop.name {
                                    let list = Bound::List(list.clone());
                                    state.names.insert(name.clone(), list);
                                }
                                found.push(state);
                            }
                            for (mut one, way) in self.hop(&state, hop) {
                                let way = Bound::Relationship(way);
                                let mut list: Vec<Bound> = list.clone();
                                list.push(way.clone());
                                let name = hop.name.clone().unwrap_or_default();
                                one.check(&Names::from([(name, way)]), &hop.filter);
                                next.push((one, list));
                            }
                        }
                        length += 1;
                        ends = next;
                    }
                }
                Link::Rounds(path, min, max) => {
                    self.rounds(&state, path, (*min, *max), &mut found)?;
                }
            }
        }
        Some(found)
    }

    fn rounds(
        &self,
        state: &State,
        path: &Path,
        (min, max): (usize, Option<usize>),
        found: &mut Vec<State>,
    ) -> Option<()> {
        let outer: Vec<String> = state.names.keys().cloned().collect();
        let mut own = names_in(path);
        own.retain(|name| !outer.contains(name));
        let empty: Vec<Vec<Bound>> = own.iter().map(|_| Vec::new()).collect();
        let mut ends = vec![(state.clone(), empty)];
        let mut rounds = 0;
        while !ends.is_empty() {
            let mut next = Vec::new();
            for (state, lists) in ends {
                if rounds >= min && max.is_none_or(|max| rounds <= max) {
                    let mut state = state.clone();
                    for (name, list) in own.iter().zip(&lists) {
                        state.names.insert(name.clone(), Bound::List(list.clone()));
                    }
                    found.push(state);
                }
                if max.is_some_and(|max| rounds >= max) {
                    continue;
                }
                let checks = state.checks.len();
                for mut one in self.walk(vec![state.clone()], path)? {
                    let mut lists = lists.clone();
                    let mut local = Names::new();
                    for (name, list) in own.iter().zip(&mut lists) {
                        let value = one.names.remove(name).unwrap_or(Bound::Null);
                        list.push(value.clone());
                        local.insert(name.clone(), value);
                    }
                    for (sees, _) in &mut one.checks[checks..] {
                        let mut all = local.clone();
                        all.append(sees);
                        *sees = all;
                    }
                    one.check(&local, &path.within);
                    next.push((one, lists));
                }
            }
            if next.len() > 4 * MOST {
                return None;
            }
            rounds += 1;
            ends = next;
        }
        Some(())
    }

    /// One step along a relationship that was not taken before.
    fn hop(&self, state: &State, hop: &Hop) -> Vec<(State, usize)> {
        let mut found = Vec::new();
        for (number, one) in self.relationships.iter().enumerate() {
            let is = hop.of.is_none_or(|of| of == one.of) && hop.w.is_none_or(|w| w == one.w);
            if !is || state.used.contains(&number) {
                continue;
            }
            let mut ends = Vec::new();
            if hop.arrow != Arrow::Left && one.from == state.at() {
                ends.push(one.to);
            }
            if hop.arrow != Arrow::Right && one.to == state.at() {
                ends.push(one.from);
            }
            ends.dedup();
            for end in ends {
                let mut next = state.clone();
                next.used.push(number);
                next.nodes.push(end);
                next.ways.push(number);
                found.push((next, number));
            }
        }
        found
    }
}

/// The names that a path gives, in order.
fn names_in(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = path.first.name.iter().cloned().collect();
    for (link, node) in &path.rest {
        match link {
            Link::One(hop) | Link::Many(hop, ..) => names.extend(hop.name.clone()),
            Link::Rounds(path, ..) => names.extend(names_in(path)),
        }
        names.extend(node.name.clone());
    }
    let mut seen = Vec::new();
    names.retain(|name| {
        let new = !seen.contains(name);
        seen.push(name.clone());
        new
    });
    names
}

/// What a selector takes of all ways, between each two nodes.
fn chosen(states: Vec<State>, selector: Selector) -> Vec<State> {
    let mut between: BTreeMap<(usize, usize), Vec<State>> = BTreeMap::new();
    for state in states {
        let ends = (state.nodes[0], state.at());
        between.entry(ends).or_default().push(state);
    }
    let mut taken = Vec::new();
    for mut states in between.into_values() {
        states.sort_by_key(|state| state.ways.len());
        let mut lengths: Vec<usize> = states.iter().map(|state| state.ways.len()).collect();
        lengths.dedup();
        let longest = |groups: usize| lengths[groups.min(lengths.len()) - 1];
        match selector {
            Selector::Any(most) | Selector::Shortest(most) => states.truncate(most),
            Selector::AllShortest => states.retain(|state| state.ways.len() == lengths[0]),
            Selector::Groups(most) => states.retain(|state| state.ways.len() <= longest(most)),
        }
        taken.extend(states);
    }
    taken
}
