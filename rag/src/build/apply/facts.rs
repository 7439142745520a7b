//! Who states which fact. A fact is there as long as a chunk states it.

use std::collections::BTreeSet;

use stratigraph::{RelationshipId, Value};

use super::super::contribution::{Fact, Label, NodeKey, Support};
use super::super::held::{StoredFact, find_fact};
use super::super::schema::FACT;
use super::super::vectors::texts_of_fact;
use super::{Refusal, Work};

impl Work<'_> {
    /// Changes who states what, and returns the entities of facts that are stated otherwise now.
    pub(super) fn state_facts(&mut self) -> Result<BTreeSet<NodeKey>, Refusal> {
        let (held, new) = (self.held, self.new);
        let nobody = BTreeSet::new();
        let mut touched = BTreeSet::new();
        let facts: BTreeSet<&Fact> = held.facts.keys().chain(new.facts.keys()).collect();
        for fact in facts {
            let before = held.facts.get(fact).unwrap_or(&nobody);
            let after = new.facts.get(fact).unwrap_or(&nobody);
            if before == after {
                self.counts.unchanged += 1;
                continue;
            }
            for end in [&fact.subject, &fact.object] {
                touched.insert(NodeKey::new(Label::Entity, end.as_str()));
            }
            match find_fact(self.txn, &fact.key())? {
                None => self.first_to_state(fact, after)?,
                Some(id) => {
                    let mut supports = StoredFact::read(self.txn, id)?.supports;
                    supports.retain(|support| !before.contains(support));
                    supports.extend(after.iter().cloned());
                    self.state(id, &supports)?;
                }
            }
        }
        Ok(touched)
    }

    fn first_to_state(&mut self, fact: &Fact, supports: &BTreeSet<Support>) -> Result<(), Refusal> {
        if supports.is_empty() {
            return Ok(());
        }
        let subject = self.id(&NodeKey::new(Label::Entity, fact.subject.as_str()))?;
        let object = self.id(&NodeKey::new(Label::Entity, fact.object.as_str()))?;
        let (plain, sourced) = texts_of_fact(fact, self.profile);
        let mut properties = vec![
            ("key", fact.key().into()),
            ("predicate", fact.predicate.as_str().into()),
            ("source", fact.source.as_str().into()),
            ("embedding", self.vector(&plain)?.into()),
        ];
        if let Some(sourced) = sourced {
            properties.push(("embedding_with_source", self.vector(&sourced)?.into()));
        }
        properties.extend(lists(supports));
        self.txn
            .create_relationship(subject, FACT, object, properties)?;
        self.counts.written += 1;
        Ok(())
    }

    fn state(&mut self, id: RelationshipId, supports: &BTreeSet<Support>) -> Result<(), Refusal> {
        if supports.is_empty() {
            self.txn.delete_relationship(id)?;
            self.counts.deleted += 1;
        } else {
            self.txn.set_properties(id, lists(supports))?;
            self.counts.written += 1;
        }
        Ok(())
    }
}

/// Two lists of the same length: who says it, and what each says of it.
fn lists(supports: &BTreeSet<Support>) -> [(&'static str, Value); 2] {
    let list = |text: fn(&Support) -> &str| {
        Value::List(
            supports
                .iter()
                .map(|support| text(support).into())
                .collect(),
        )
    };
    [
        ("chunks", list(|support| &support.chunk)),
        ("descriptions", list(|support| &support.description)),
    ]
}
