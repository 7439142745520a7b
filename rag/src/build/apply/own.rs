//! The document's own nodes and the relationships that leave them.

use std::borrow::Cow;

use stratigraph::{NO_PROPERTIES, Value};

use super::super::contribution::{Label, NodeKey};
use super::super::property::Properties;
use super::super::schema::OUTLINE;
use super::super::wording::kept;
use super::{Refusal, Work};

impl Work<'_> {
    pub(super) fn remove_links(&mut self) -> Result<(), Refusal> {
        let removed = self.removed.iter().map(|link| self.held.links[*link]);
        for id in removed.chain(self.held.surplus.iter().copied()) {
            self.txn.delete_relationship(id)?;
            self.counts.deleted += 1;
        }
        self.counts.unchanged += (self.held.links.len() - self.removed.len()) as u64;
        Ok(())
    }

    pub(super) fn remove_nodes(&mut self) -> Result<(), Refusal> {
        for (key, node) in &self.held.nodes {
            if !self.new.nodes.contains_key(key) {
                // With what others have tied to it.
                self.txn.detach_delete_node(node.id)?;
                self.ids.remove(key);
                self.counts.deleted += 1;
            }
        }
        Ok(())
    }

    pub(super) fn write_nodes(&mut self) -> Result<(), Refusal> {
        for (key, properties) in &self.new.nodes {
            let held = self.held.nodes.get(key);
            let vector = match kept(key, held, properties) {
                Some(vector) => Some(vector.clone().into()),
                None => {
                    let text = self.wording.of_node(key, properties);
                    text.map(|text| self.vector(&text))
                }
            };
            if let Some(held) = held
                && held.properties == *properties
                && held.vector.is_some() == vector.is_some()
            {
                self.counts.unchanged += 1;
                continue;
            }
            let mut values = values(properties);
            values.extend(vector.map(|vector| (Cow::Borrowed("embedding"), vector)));
            self.write_node(key, values)?;
            self.counts.written += 1;
        }
        Ok(())
    }

    fn write_node(
        &mut self,
        key: &NodeKey,
        values: Vec<(Cow<'_, str>, Value)>,
    ) -> Result<(), Refusal> {
        let Some(id) = self.ids.get(key).copied() else {
            let id = self.txn.create_node([key.label.name()], values)?;
            self.ids.insert(key.clone(), id);
            if key.label == Label::Document {
                // Also one without any text is a root.
                self.txn.add_member(OUTLINE, id)?;
            }
            return Ok(());
        };
        // Only what differs: a long text and a vector that stay are not written again.
        let held = &self.held.nodes[key];
        let is_same = |name: &str, value: &Value| match value {
            Value::Vector(vector) => held
                .vector
                .as_ref()
                .is_some_and(|held| held.as_slice() == vector.as_slice()),
            _ => held.properties.get(name) == self.new.nodes[key].get(name),
        };
        let gone = held.properties.keys();
        let gone = gone.filter(|name| !self.new.nodes[key].contains_key(*name));
        let gone: Vec<_> = gone
            .map(|name| (Cow::Borrowed(&**name), Value::Null))
            .collect();
        let changed = values
            .into_iter()
            .filter(|(name, value)| !is_same(name, value));
        self.txn.set_properties(id, changed.chain(gone))?;
        Ok(())
    }

    pub(super) fn add_links(&mut self) -> Result<(), Refusal> {
        for link in self.added.clone() {
            let (source, target) = (self.id(&link.source)?, self.id(&link.target)?);
            let kind = link.kind.name();
            if link.properties.is_empty() {
                self.txn
                    .create_relationship(source, kind, target, NO_PROPERTIES)?;
            } else {
                self.txn
                    .create_relationship(source, kind, target, values(&link.properties))?;
            }
            self.counts.written += 1;
        }
        Ok(())
    }
}

fn values(properties: &Properties) -> Vec<(Cow<'_, str>, Value)> {
    let properties = properties.iter();
    properties
        .map(|(name, property)| (Cow::Borrowed(&**name), property.into()))
        .collect()
}
