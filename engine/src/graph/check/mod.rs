//! Whether everything that the graph keeps in step is in step.
//!
//! ```text
//! declared       names, the indexes that prove constraints, nothing that was dropped
//! nodes          beside out and in: degrees, label sets, counts, index entries, values apart
//! relationships  both directions, ends, type sets, index entries, values apart
//! leftovers      what nobody points at: as many entries as were looked for, and not one more
//! hierarchies    no cycle, every level the shortest distance from a root
//! ```
//! Each family is walked in its order, once or twice, and single reads prove the rest: what must be
//! there is looked for, and then counted, so that there cannot be anything else. Sets of ids are all
//! that is kept in memory. It reports what it finds and goes on; it must never stop at the first.

mod declared;
mod findings;
mod hierarchies;
mod leftovers;
mod nodes;
mod relationships;

pub(crate) use findings::Findings;

use super::keys::Entity;
use super::properties::Slot;
use super::record::{NodeRecord, RelationshipRecord};
use super::rules::{self, Facts};
use super::view::View;
use crate::catalog::{Counter, Demand, Readiness, SchemaId};
use crate::error::{Error, Result};
use crate::graph::sets::SetId;
use crate::keys::{KeyRead, KeyReadTxn};
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use roaring::RoaringTreemap;
use std::collections::BTreeMap;

/// What was found to be there, to compare with what is stored about it.
struct Examination<'a, 'f> {
    view: View<'a, KeyReadTxn>,
    findings: &'f mut Findings,
    nodes: RoaringTreemap,
    sets: BTreeMap<SetId, RoaringTreemap>,
    counts: BTreeMap<Counter, u64>,
    /// How many index entries there must be.
    entries: BTreeMap<SchemaId, u64>,
    /// How many values must lie apart.
    texts: u64,
    vectors: u64,
    /// How many relationships were seen from either end.
    seen_out: u64,
    seen_in: u64,
    /// The ends of each hierarchy's relationships, and which of them have a parent.
    members: BTreeMap<SchemaId, RoaringTreemap>,
    children: BTreeMap<SchemaId, RoaringTreemap>,
}

/// Looks at the whole graph of a view.
pub(crate) fn examine(
    view: View<'_, KeyReadTxn>,
    findings: &mut Findings,
    watch: &mut Watch<'_>,
) -> Result<()> {
    let mut examination = Examination {
        view,
        findings,
        nodes: RoaringTreemap::new(),
        sets: BTreeMap::new(),
        counts: BTreeMap::new(),
        entries: BTreeMap::new(),
        texts: 0,
        vectors: 0,
        seen_out: 0,
        seen_in: 0,
        members: BTreeMap::new(),
        children: BTreeMap::new(),
    };
    examination.declared();
    examination.nodes(watch)?;
    examination.relationships(watch)?;
    examination.leftovers(watch)?;
    examination.hierarchies(watch)
}

impl Examination<'_, '_> {
    fn add(&mut self, counter: Counter, count: u64) {
        if count > 0 {
            *self.counts.entry(counter).or_default() += count;
        }
    }

    /// What is declared about an entity, and the values that lie apart from its record.
    fn facts(&mut self, entity: Entity, facts: &Facts<'_>) -> Result<()> {
        let catalog = self.view.catalog();
        for rules in facts.scopes().filter_map(|scope| catalog.rules(scope)) {
            for constraint in &rules.constraints {
                if constraint.readiness != Readiness::Ready {
                    continue;
                }
                let mut kept = Ok(());
                if matches!(constraint.demand, Demand::Type(_)) {
                    kept = rules::check_type(&self.view, entity, constraint, facts);
                } else if constraint.demand.needs_presence() {
                    kept = rules::check_presence_of(&self.view, entity, |id| id == constraint.id);
                }
                self.findings.note(kept)?;
            }
            for index in &rules.indexes {
                // While it is being built, an entry may be there or not.
                if index.readiness != Readiness::Ready {
                    continue;
                }
                let key = rules::key(&self.view, entity, index, facts);
                if let Some(Some(key)) = self.findings.note(key)? {
                    *self.entries.entry(index.id).or_default() += 1;
                    let entry = key.written();
                    let stored = self.view.keys.get(Family::PropIndex, &entry.key);
                    let stored = self.findings.note(stored)?;
                    if stored.is_some_and(|stored| stored != entry.value) {
                        let what = format_args!("{entity} is not in index {}", index.name);
                        self.findings.find(Family::PropIndex, what);
                    }
                }
            }
        }
        Ok(())
    }

    fn values<'r>(
        &mut self,
        entity: Entity,
        properties: impl Iterator<Item = &'r (crate::catalog::PropertyId, Slot)>,
    ) -> Result<()> {
        for (property, slot) in properties {
            if self.view.catalog().properties.name(*property).is_none() {
                let what = format_args!("{entity} has a property without a name: {property}");
                self.findings.find(Family::Nodes, what);
            }
            match slot {
                Slot::Value(_) => continue,
                Slot::Text(_) => self.texts += 1,
                Slot::Vector(_) => self.vectors += 1,
            }
            let value = slot.clone().into_value(self.view.keys, entity, *property);
            self.findings.note(value)?;
        }
        Ok(())
    }

    fn node_facts(&mut self, entity: Entity, record: &NodeRecord) -> Result<()> {
        self.facts(entity, &Facts::of_node(record))?;
        self.values(entity, record.properties.iter())
    }

    fn relationship_facts(&mut self, entity: Entity, record: &RelationshipRecord) -> Result<()> {
        self.facts(entity, &Facts::of_relationship(record))?;
        self.values(entity, record.properties.iter())
    }
}

/// Whether an error says that the database is wrong, rather than that the check cannot go on.
fn is_finding(error: &Error) -> bool {
    matches!(
        error,
        Error::Record { .. }
            | Error::Corruption { .. }
            | Error::ConstraintViolation(_)
            | Error::IndexedValueTooLong { .. }
            | Error::NotIndexable { .. }
            | Error::HierarchyTooLarge { .. }
    )
}
