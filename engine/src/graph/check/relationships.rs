//! The relationships: their ends are there, and both see them.

use super::Examination;
use crate::catalog::Counter;
use crate::error::Result;
use crate::graph::keys::{Entity, decode_record_key};
use crate::graph::record::RelationshipRecord;
use crate::graph::sets::SetId;
use crate::graph::write::adjacency;
use crate::keys::KeyRead;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use crate::value::RelationshipId;

/// Progress is told once in so many relationships.
const RELATIONSHIPS_PER_STEP: u64 = 8192;

impl Examination<'_, '_> {
    pub(super) fn relationships(&mut self, watch: &mut Watch<'_>) -> Result<()> {
        let (keys, next) = (self.view.keys, self.view.state.next.relationship);
        let mut scan = keys.scan_with(Family::Edges, &KeyRange::all(), ScanOptions::once())?;
        let mut done = 0;
        while let Some(entry) = scan.next()? {
            if done % RELATIONSHIPS_PER_STEP == 0 {
                let total = self.view.count(Counter::Relationships)?;
                watch.step("check relationships", done, total)?;
            }
            done += 1;
            let id = match decode_record_key(entry.key) {
                Ok(number) => RelationshipId::new(number),
                Err(error) => {
                    self.findings.find(Family::Edges, error);
                    continue;
                }
            };
            if id.get() >= next {
                let what = format_args!("relationship {id} is beyond the next free id, {next}");
                self.findings.find(Family::Edges, what);
            }
            match RelationshipRecord::decode(entry.value) {
                Ok(record) => self.relationship(id, &record)?,
                Err(error) => {
                    let what = format_args!("relationship {id}: {error}");
                    self.findings.find(Family::Edges, what);
                }
            }
        }
        for (family, seen) in [(Family::Out, self.seen_out), (Family::In, self.seen_in)] {
            // Each relationship is in both, and so nothing else can be if there are as many.
            if seen != done {
                let what = format_args!("{seen} entries for {done} relationships");
                self.findings.find(family, what);
            }
        }
        Ok(())
    }

    fn relationship(&mut self, id: RelationshipId, record: &RelationshipRecord) -> Result<()> {
        let ends = record.ends();
        let of = ends.relationship_type;
        if self.view.catalog().types.name(of).is_none() {
            let what = format_args!("relationship {id} has a type without a name: {of}");
            self.findings.find(Family::Edges, what);
        }
        for end in [ends.source, ends.target] {
            if !self.nodes.contains(end.get()) {
                let what = format_args!("relationship {id} ends at node {end}, which is not there");
                self.findings.find(Family::Edges, what);
            }
        }
        let [out, incoming] = adjacency(id, ends);
        for (family, key) in [(Family::Out, out), (Family::In, incoming)] {
            let there = self.view.keys.contains(family, &key);
            if self.findings.note(there)? == Some(false) {
                self.findings
                    .find(family, format_args!("relationship {id} is missing"));
            }
        }
        self.add(Counter::Relationships, 1);
        self.add(Counter::Type(of), 1);
        self.sets
            .entry(SetId::Type(of))
            .or_default()
            .insert(id.get());
        self.relationship_facts(Entity::Relationship(id), record)
    }
}
