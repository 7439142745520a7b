//! Which facts there are. A fact is there as long as a chunk states it.
//!
//! Who states it is said by the chunks, each with a relationship of its own, and none is written with the fact: one that
//! half of all documents state costs the next of them no more than any other.

use std::collections::BTreeSet;

use super::super::contribution::{Fact, Label, NodeKey, stated_by};
use super::super::held::{fact_of, find_fact, is_stated};
use super::super::schema::FACT;
use super::{Refusal, Work};

impl Work<'_> {
    /// Makes facts that are stated for the first time, takes away those that nobody states any more, and returns the
    /// entities of facts of which anything is stated otherwise now. The chunks must have their links by then.
    pub(super) fn settle_facts(&mut self) -> Result<BTreeSet<NodeKey>, Refusal> {
        let links = self.removed.iter().chain(&self.added);
        let changed: BTreeSet<&str> = links.filter_map(|link| stated_by(link)).collect();
        let mut touched = BTreeSet::new();
        for key in changed {
            let new = self.new.facts.get(key);
            let known = find_fact(self.txn, key)?;
            let fact = match (known, new) {
                (_, Some(fact)) => fact.clone(),
                (Some(id), None) => fact_of(self.txn, id)?,
                (None, None) => continue,
            };
            for end in [&fact.subject, &fact.object] {
                touched.insert(NodeKey::new(Label::Entity, end.as_str()));
            }
            match known {
                None => self.make_fact(key, &fact)?,
                Some(id) if !is_stated(self.txn, key)? => {
                    self.txn.delete_relationship(id)?;
                    self.counts.deleted += 1;
                }
                Some(_) => {}
            }
        }
        Ok(touched)
    }

    fn make_fact(&mut self, key: &str, fact: &Fact) -> Result<(), Refusal> {
        let subject = self.id(&NodeKey::new(Label::Entity, fact.subject.as_str()))?;
        let object = self.id(&NodeKey::new(Label::Entity, fact.object.as_str()))?;
        let (plain, sourced) = self.wording.of_fact(fact);
        let mut properties = vec![
            ("key", key.into()),
            ("predicate", fact.predicate.as_str().into()),
            ("source", fact.source.as_str().into()),
            ("text", plain.as_str().into()),
            ("embedding", self.vector(&plain)),
        ];
        if let Some(sourced) = sourced {
            properties.push(("embedding_with_source", self.vector(&sourced)));
        }
        self.txn
            .create_relationship(subject, FACT, object, properties)?;
        self.counts.written += 1;
        Ok(())
    }
}
