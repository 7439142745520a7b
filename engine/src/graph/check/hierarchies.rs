//! The hierarchies: no cycle, one parent in a tree, and levels that are distances from a root.

use super::Examination;
use crate::catalog::{Counter, HierarchyDef};
use crate::codec::KeyReader;
use crate::error::Result;
use crate::graph::adjacency::neighbour_set;
use crate::graph::hierarchy::keys::{HierarchyKey, decode_level};
use crate::graph::hierarchy::{Stored, failed, find_cycle};
use crate::graph::keys::Way;
use crate::graph::sets;
use crate::keys::KeyRead;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use roaring::RoaringTreemap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A check may read everything.
const NO_LIMIT: u64 = u64::MAX;

/// What is stored of one hierarchy.
#[derive(Default)]
struct Kept {
    /// Levels of single nodes.
    levels: BTreeMap<u32, RoaringTreemap>,
    /// Members of levels.
    members: BTreeMap<u32, RoaringTreemap>,
    named: RoaringTreemap,
}

impl Examination<'_, '_> {
    pub(super) fn hierarchies(&mut self, watch: &mut Watch<'_>) -> Result<()> {
        let mut kept = self.kept()?;
        let hierarchies: Vec<Arc<HierarchyDef>> =
            self.view.catalog().hierarchies().cloned().collect();
        let total = hierarchies.len() as u64;
        for (done, hierarchy) in hierarchies.iter().enumerate() {
            watch.step("check hierarchies", done as u64, total)?;
            let kept = kept.remove(&hierarchy.id.get()).unwrap_or_default();
            self.hierarchy(hierarchy, &kept)?;
        }
        for number in kept.keys() {
            let mut dropped = self.view.catalog().dropped().iter();
            if !dropped.any(|id| id.get() == *number) {
                let what = format_args!("entries of hierarchy {number}, which is not there");
                self.findings.find(Family::Hierarchy, what);
            }
        }
        watch.step("check hierarchies", total, total)
    }

    fn hierarchy(&mut self, hierarchy: &HierarchyDef, kept: &Kept) -> Result<()> {
        let name = &hierarchy.name;
        let mut members = self.members.remove(&hierarchy.id).unwrap_or_default();
        let children = self.children.remove(&hierarchy.id).unwrap_or_default();
        for stranger in &(&kept.named - &self.nodes) {
            let what = format_args!("{name}: member {stranger} by name is not there");
            self.findings.find(Family::Hierarchy, what);
        }
        members |= &kept.named;
        let lineage = Stored {
            view: &self.view,
            definition: hierarchy,
        };
        let cycle =
            find_cycle(&lineage, &members, NO_LIMIT).map_err(|error| failed(hierarchy, error));
        if let Some(Some(cycle)) = self.findings.note(cycle)? {
            let what = format_args!("{name}: there is a cycle through node {}", cycle[0]);
            self.findings.find(Family::Hierarchy, what);
        }
        // Breadth first from the roots: the level at which a node is met first is its distance.
        let types = [hierarchy.relationship_type];
        let mut levels: BTreeMap<u32, RoaringTreemap> = BTreeMap::new();
        let mut met = RoaringTreemap::new();
        let mut frontier = &members - &children;
        let mut edges = 0;
        for level in 0.. {
            if frontier.is_empty() {
                break;
            }
            met |= &frontier;
            let mut reached = RoaringTreemap::new();
            let keys = self.view.keys;
            edges += neighbour_set(keys, &frontier, Way::Out, Some(&types), &mut reached)?;
            levels.insert(level, frontier);
            frontier = reached - &met;
        }
        let parents = edges == children.len();
        if hierarchy.tree && !parents && !self.is_tree(hierarchy, &children)? {
            let what = format_args!("{name} is a tree, and a child has two parents");
            self.findings.find(Family::Hierarchy, what);
        }
        for (what_is_kept, stored) in [("levels", &kept.levels), ("members", &kept.members)] {
            if *stored != levels {
                let what = format_args!("{name}: {what_is_kept} are not the distances from a root");
                self.findings.find(Family::Hierarchy, what);
            }
        }
        let counted = self.view.count(Counter::Members(hierarchy.id))?;
        if counted != members.len() {
            let what = format_args!("{name}: {counted} members are counted of {}", members.len());
            self.findings.find(Family::Meta, what);
        }
        Ok(())
    }

    /// Whether no child has two parents; several relationships to one parent are fine.
    fn is_tree(&self, hierarchy: &HierarchyDef, children: &RoaringTreemap) -> Result<bool> {
        let types = [hierarchy.relationship_type];
        for child in children {
            let mut parents = RoaringTreemap::new();
            let child = [child].into_iter().collect();
            neighbour_set(self.view.keys, &child, Way::In, Some(&types), &mut parents)?;
            if parents.len() > 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Everything that is stored of all hierarchies.
    fn kept(&mut self) -> Result<BTreeMap<u32, Kept>> {
        let mut all: BTreeMap<u32, Kept> = BTreeMap::new();
        let keys = self.view.keys;
        let mut scan = keys.scan_with(Family::Hierarchy, &KeyRange::all(), ScanOptions::once())?;
        while let Some(entry) = scan.next()? {
            let (key, number) = match HierarchyKey::decode(entry.key)
                .and_then(|key| Ok((key, KeyReader::new("hierarchy key", entry.key).read_u32()?)))
            {
                Ok(decoded) => decoded,
                Err(error) => {
                    self.findings.find(Family::Hierarchy, error);
                    continue;
                }
            };
            let kept = all.entry(number).or_default();
            match key {
                HierarchyKey::LevelOf(_, node) => match decode_level(entry.value) {
                    Ok(level) => drop(kept.levels.entry(level).or_default().insert(node.get())),
                    Err(error) => self.findings.find(Family::Hierarchy, error),
                },
                HierarchyKey::Members(_, level, high) => {
                    let container = sets::decode_container(entry.value);
                    match container {
                        Ok(container) => {
                            let members = kept.members.entry(level).or_default();
                            let appended = sets::append(members, high, &container);
                            self.findings.note(appended)?;
                        }
                        Err(error) => self.findings.find(Family::Hierarchy, error),
                    }
                }
                HierarchyKey::Named(_, node) => drop(kept.named.insert(node.get())),
            }
        }
        Ok(all)
    }
}
