//! Rows that are read around some starts: keys only, level by level, each node once.
//!
//! It gives up where it would read a good part of the graph: that is what projections are for.
//!
//! Next: `whole.rs`.

use super::alike::Alike;
use super::{Asked, Counts, unless_too_large, whole};
use crate::algo::walks::{Bits, Class, Classes, Ground, Link, Rows, Times, Wanted};
use crate::graph::{Entity, Way};
use crate::query::error::Fault;
use crate::query::exec::stage::Site;
use crate::query::graph_face::GraphFace;
use crate::value::NodeId;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// Of so many relationships one may be read before a projection is the better deal; a key that is looked for costs as
/// much as some that lie behind each other.
const RELATIONSHIPS_PER_READ: u64 = 4;
/// The same where the projection is there already: going through all of it takes as long as reading one of so many.
const RELATIONSHIPS_PER_LITTLE: u64 = 64;
/// So many may be read of any graph.
const FREE_READS: u64 = 4096;
/// Looking for a row costs as much as reading so many of its entries.
const READS_PER_ROW: u64 = 8;
/// What an entry and its node take, about.
const BYTES_PER_READ: usize = 40;

/// Numbers are spread well enough by one multiplication.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// The nodes that were met, with numbers in the order in which they were.
#[derive(Default)]
struct Met {
    numbers: HashMap<u64, u32, BuildHasherDefault<IdHasher>>,
    ids: Vec<u64>,
}

impl Met {
    fn number(&mut self, id: u64) -> u32 {
        let next = self.ids.len() as u32;
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            self.ids.push(id);
        }
        number
    }
}

/// The rows of one direction, as far as they were read.
#[derive(Default)]
struct Read {
    begins: Vec<u32>,
    ends: Vec<u32>,
    targets: Vec<u32>,
    known: Vec<Known>,
}

/// What is known of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    #[default]
    Nothing,
    /// How long it is, and not where it leads.
    Length,
    All,
}

impl Read {
    fn rows(&self) -> Rows<'_> {
        Rows::new(&self.begins, &self.ends, &self.targets)
    }

    fn row(&self, place: u32) -> &[u32] {
        let at = place as usize;
        match (self.begins.get(at), self.ends.get(at)) {
            (Some(begin), Some(end)) => {
                let row = self.targets.get(*begin as usize..*end as usize);
                row.unwrap_or_default()
            }
            _ => &[],
        }
    }

    fn grow(&mut self, places: usize) {
        self.begins.resize(places, 0);
        self.ends.resize(places, 0);
        self.known.resize(places, Known::Nothing);
    }
}

/// What was read so far, and how much more may be.
struct Near {
    met: Met,
    /// By number of types, out and in.
    read: Vec<[Read; 2]>,
    left: u64,
    spent: u64,
}

/// By node of a figure, the places where it was met.
type Levels = Vec<Vec<u32>>;

/// By node of a figure, the places where it may be; none if that is anywhere.
type Fitting = Vec<Option<Bits>>;

fn side(way: Way) -> usize {
    match way {
        Way::Out => 0,
        Way::In => 1,
    }
}

/// Counts from some starts; none if that reads too much, or more than a little.
pub(super) fn counts(
    asked: &Asked<'_>,
    (starts, little): (&[(u64, u64)], bool),
    site: &mut Site<'_, '_>,
) -> Result<Option<Counts>, Fault> {
    let relationships = asked.relationships(site)?;
    let left = match little {
        true => relationships / RELATIONSHIPS_PER_LITTLE,
        false => FREE_READS + relationships / RELATIONSHIPS_PER_READ,
    };
    if starts.len() as u64 > left {
        return Ok(None);
    }
    let mut near = Near {
        met: Met::default(),
        read: asked.types.iter().map(|_| Default::default()).collect(),
        left,
        spent: 0,
    };
    let Some(counts) = unless_too_large(near.counts(asked, starts, site))? else {
        return Ok(None);
    };
    whole::note_reads(asked, near.spent, site);
    Ok(counts)
}

impl Near {
    fn counts(
        &mut self,
        asked: &Asked<'_>,
        starts: &[(u64, u64)],
        site: &mut Site<'_, '_>,
    ) -> Result<Option<Counts>, Fault> {
        let numbered: Vec<(u32, u64)> = starts
            .iter()
            .map(|(start, times)| (self.met.number(*start), *times))
            .collect();
        let Some((levels, allowed)) = self.read_levels(asked, &numbered, site)? else {
            return Ok(None);
        };
        let Some(classes) = self.read_classes(asked, &levels, site)? else {
            return Ok(None);
        };
        let places = self.met.ids.len();
        for read in self.read.iter_mut().flatten() {
            read.grow(places);
        }
        let ground = Ground {
            places,
            rows: { &self.read }
                .iter()
                .map(|[out, into]| [out.rows(), into.rows()])
                .collect(),
            allowed,
            classes,
            is_anywhere: false,
        };
        let id = |place: u32| {
            self.met
                .ids
                .get(place as usize)
                .copied()
                .unwrap_or_default()
        };
        asked.count(&ground, &numbered, id, site).map(Some)
    }

    /// Reads what can be reached, and gives the places that each node was met at, and where it may be; none if it is too
    /// much.
    fn read_levels(
        &mut self,
        asked: &Asked<'_>,
        starts: &[(u32, u64)],
        site: &mut Site<'_, '_>,
    ) -> Result<Option<(Levels, Fitting)>, Fault> {
        let mut conditions = asked.conditions.fresh();
        let last = asked.figure.nodes.len();
        // By node of the figure, the places where it may be.
        let mut levels: Levels = Vec::with_capacity(last + 1);
        let mut first: Vec<u32> = starts.iter().map(|(start, _)| *start).collect();
        if !self.keep_fitting(&mut conditions, 0, &mut first, site)? {
            return Ok(None);
        }
        levels.push(first);
        let depends = |node: usize| {
            let mut bars = asked.of.bars.iter();
            bars.any(|bar| bar.nodes.0 == node || bar.nodes.1 == node)
        };
        for (before, links) in asked.figure.nodes.iter().enumerate() {
            let node = before + 1;
            // What hangs on a node is folded before anything is walked.
            let hangs =
                links.iter().all(|link| link.times != Times::Each) && { asked.of.links.iter() }
                    .all(|link| link.from != node);
            let is_counted = (node == last || hangs)
                && !asked.conditions.are_any(node)
                && !depends(node)
                && !matches!(asked.wanted, Wanted::Last)
                && asked.wanted != Wanted::Each(node);
            if let ([link], true) = (links.as_slice(), is_counted)
                && let [way] = link.direction.ways()
            {
                let from = levels.get(link.from).map(Vec::as_slice);
                let from = from.unwrap_or_default();
                if !self.read_degrees(asked, (link.types, *way), from, site)? {
                    return Ok(None);
                }
                levels.push(Vec::new());
                continue;
            }
            for link in links {
                let from = levels.get(link.from).map(Vec::as_slice);
                let from = from.unwrap_or_default();
                for way in link.direction.ways() {
                    if !self.read_rows(asked, (link.types, *way), from, site)? {
                        return Ok(None);
                    }
                }
            }
            if node == last && !asked.conditions.are_any(node) && !depends(node) {
                continue;
            }
            let mut met = match links.first() {
                Some(link) => {
                    let from = levels.get(link.from).map(Vec::as_slice);
                    self.reached(link, from.unwrap_or_default())
                }
                None => Vec::new(),
            };
            if !self.keep_fitting(&mut conditions, node, &mut met, site)? {
                return Ok(None);
            }
            levels.push(met);
        }
        for absent in &asked.figure.absent {
            let from = levels.get(absent.nodes.0).map(Vec::as_slice);
            let from = from.unwrap_or_default();
            for way in absent.direction.ways() {
                if !self.read_rows(asked, (absent.types, *way), from, site)? {
                    return Ok(None);
                }
            }
        }
        let places = self.met.ids.len();
        let bits = (0..=last).map(|node| {
            asked.conditions.are_any(node).then(|| {
                let mut bits = Bits::new(places);
                let fits = levels.get(node).map(Vec::as_slice).unwrap_or_default();
                fits.iter().for_each(|place| bits.put(*place));
                bits
            })
        });
        let bits = bits.collect();
        Ok(Some((levels, bits)))
    }

    /// By property, who of the nodes that must differ in it are alike; none if that is too much to be read, or has to be
    /// asked row by row.
    fn read_classes(
        &mut self,
        asked: &Asked<'_>,
        levels: &Levels,
        site: &mut Site<'_, '_>,
    ) -> Result<Option<Vec<Classes>>, Fault> {
        let places = self.met.ids.len();
        let mut all = Vec::with_capacity(asked.keys.len());
        for (number, key) in asked.keys.iter().enumerate() {
            let mut alike = Alike::default();
            let mut classes = vec![Class::Unknown; places];
            site.context.memory.charge(Classes::bytes(places))?;
            let differ = asked.figure.differ.iter();
            let differ = differ.filter(|differ| differ.by == Some(number));
            let nodes: BTreeSet<usize> = differ
                .flat_map(|differ| [differ.nodes.0, differ.nodes.1])
                .collect();
            let met: BTreeSet<u32> = { nodes.iter() }
                .filter_map(|node| levels.get(*node))
                .flatten()
                .copied()
                .collect();
            if !self.spend(READS_PER_ROW.saturating_mul(met.len() as u64), 0, site)? {
                return Ok(None);
            }
            for place in met {
                site.context.step()?;
                let id = self.met.ids.get(place as usize).copied();
                let node = NodeId::new(id.unwrap_or_default());
                let value = site.context.graph.property(Entity::Node(node), key)?;
                match (alike.class(&value, site)?, classes.get_mut(place as usize)) {
                    (Some(class), Some(of)) => *of = class,
                    _ => return Ok(None),
                }
            }
            all.push(Classes::new(classes.into_iter()));
        }
        Ok(Some(all))
    }

    /// Keeps the places where a node of the figure may be; false if too much was read for that.
    fn keep_fitting(
        &mut self,
        conditions: &mut super::Conditions<'_>,
        node: usize,
        places: &mut Vec<u32>,
        site: &mut Site<'_, '_>,
    ) -> Result<bool, Fault> {
        if !conditions.are_any(node) {
            return Ok(true);
        }
        // A test reads the node.
        let cost = match conditions.are_tests(node) {
            true => READS_PER_ROW,
            false => 1,
        };
        if !self.spend(cost.saturating_mul(places.len() as u64), 0, site)? {
            return Ok(false);
        }
        let mut kept = Vec::with_capacity(places.len());
        for place in places.iter().copied() {
            let id = self
                .met
                .ids
                .get(place as usize)
                .copied()
                .unwrap_or_default();
            if conditions.fit(node, id, site)? {
                kept.push(place);
            }
        }
        *places = kept;
        Ok(true)
    }

    /// Where a link leads from some places, each once.
    fn reached(&self, link: &Link, from: &[u32]) -> Vec<u32> {
        let mut seen = Bits::new(self.met.ids.len());
        let mut reached = Vec::new();
        for way in link.direction.ways() {
            let Some(read) = self.read.get(link.types) else {
                continue;
            };
            for place in from {
                for far in read[side(*way)].row(*place) {
                    if !seen.has(*far) {
                        seen.put(*far);
                        reached.push(*far);
                    }
                }
            }
        }
        reached
    }

    /// Takes from what may be read.
    fn spend(&mut self, cost: u64, keys: usize, site: &mut Site<'_, '_>) -> Result<bool, Fault> {
        self.spent = self.spent.saturating_add(cost);
        site.context.look(keys)?;
        site.context
            .memory
            .charge(keys.saturating_mul(BYTES_PER_READ))?;
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Those of some places of whose rows not so much is known yet, by id.
    fn unread(&self, (types, way): (usize, Way), places: &[u32], enough: Known) -> Vec<(u64, u32)> {
        let Some(read) = self.read.get(types) else {
            return Vec::new();
        };
        let known = &read[side(way)].known;
        let unread = places.iter().copied();
        let unread = unread.filter(|place| known.get(*place as usize).copied() < Some(enough));
        let id = |place: u32| {
            self.met
                .ids
                .get(place as usize)
                .copied()
                .unwrap_or_default()
        };
        let mut unread: Vec<(u64, u32)> = unread.map(|place| (id(place), place)).collect();
        unread.sort_unstable();
        unread.dedup();
        unread
    }

    /// Reads the rows of some places.
    fn read_rows(
        &mut self,
        asked: &Asked<'_>,
        (types, way): (usize, Way),
        places: &[u32],
        site: &mut Site<'_, '_>,
    ) -> Result<bool, Fault> {
        let unread = self.unread((types, way), places, Known::All);
        let nodes: Vec<u64> = unread.iter().map(|(id, _)| *id).collect();
        let Some(names) = asked.types.get(types) else {
            return Ok(true);
        };
        let cost = READS_PER_ROW.saturating_mul(nodes.len() as u64);
        if !self.spend(cost, nodes.len(), site)? {
            return Ok(false);
        }
        let Self {
            met, read, left, ..
        } = self;
        let Some(read) = read.get_mut(types).map(|ways| &mut ways[side(way)]) else {
            return Ok(true);
        };
        let before = read.targets.len();
        let most = usize::try_from(*left).unwrap_or(usize::MAX);
        let mut lengths = vec![0_u32; nodes.len()];
        site.context
            .graph
            .rows_of(way, names, &nodes, &mut |at, far| {
                if read.targets.len() - before >= most {
                    return false;
                }
                lengths[at] += 1;
                read.targets.push(met.number(far));
                true
            })?;
        let keys = read.targets.len() - before;
        let mut begin = before;
        read.grow(met.ids.len());
        for ((_, place), length) in unread.iter().zip(lengths) {
            let end = begin + length as usize;
            let row = &mut read.targets[begin..end];
            if !row.is_sorted() {
                row.sort_unstable();
            }
            let at = *place as usize;
            (read.begins[at], read.ends[at]) = (begin as u32, end as u32);
            read.known[at] = Known::All;
            begin = end;
        }
        let all = keys < most;
        Ok(self.spend(keys as u64, keys, site)? && all)
    }

    /// Reads only how long the rows of some places are. Rows that are known stay.
    fn read_degrees(
        &mut self,
        asked: &Asked<'_>,
        (types, way): (usize, Way),
        places: &[u32],
        site: &mut Site<'_, '_>,
    ) -> Result<bool, Fault> {
        let unread = self.unread((types, way), places, Known::Length);
        let nodes: Vec<u64> = unread.iter().map(|(id, _)| *id).collect();
        let Some(names) = asked.types.get(types) else {
            return Ok(true);
        };
        let cost = READS_PER_ROW.saturating_mul(nodes.len() as u64);
        if !self.spend(cost, nodes.len(), site)? {
            return Ok(false);
        }
        let degrees = site.context.graph.degrees_of(way, names, &nodes)?;
        let places = self.met.ids.len();
        let Some(read) = self.read.get_mut(types).map(|ways| &mut ways[side(way)]) else {
            return Ok(true);
        };
        read.grow(places);
        for ((_, place), degree) in unread.iter().zip(degrees) {
            let at = *place as usize;
            let Ok(degree) = u32::try_from(degree) else {
                return Ok(false);
            };
            (read.begins[at], read.ends[at]) = (0, degree);
            read.known[at] = Known::Length;
        }
        Ok(true)
    }
}
