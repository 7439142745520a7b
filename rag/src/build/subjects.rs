//! What a node is called, and which nodes have no summary yet: for whoever writes summaries.

use std::collections::BTreeSet;

use stratigraph::{Direction, NodeId, Read, ReadTxn};

use super::contribution::{Label, NodeKey};
use super::held::key_of;
use super::schema::{DOMAINS, HAS_SUBDOMAIN, find};
use super::{BuildError, Inputs, Layers, Summary};

/// What a summary would be made from now, beside the one that is there.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) inputs: Inputs,
    /// None if there never was one.
    pub(crate) summary: Option<There>,
}

/// A summary that is there.
#[derive(Debug)]
pub(crate) struct There {
    /// Who wrote it: the name of a model, or [`Summary::RULES`].
    pub(crate) by: Option<String>,
    /// Whether it was made from something else than is said now.
    pub(crate) is_stale: bool,
}

impl Layers {
    /// The statement that counts the domains of [`without_summary`](Self::without_summary), for whoever has the database
    /// in a folder or behind an address, and only wants to know how many.
    pub const DOMAINS_WITHOUT_SUMMARY: &'static str =
        "MATCH (d:DomainTag) WHERE d.summary_inputs IS NULL RETURN count(d) AS domains";

    /// What an entity or domain is called, and its summary if it has one. What is not there is called as its key.
    ///
    /// # Errors
    /// What the database says.
    pub fn name_and_summary(&self, node: &NodeKey) -> Result<(String, Option<String>), BuildError> {
        let read = self.database().read()?;
        let Some(id) = find(&read, node.label, &node.key)? else {
            return Ok((node.key.clone(), None));
        };
        let text = |name| {
            let value = read.property(id, name)?;
            Ok::<_, BuildError>(value.as_str().map(str::to_owned))
        };
        let name = text("name")?.unwrap_or_else(|| node.key.clone());
        Ok((name, text("summary")?))
    }

    /// The entities or domains that never had a summary, in the order of their keys.
    ///
    /// # Errors
    /// What the database says.
    pub fn without_summary(&self, label: Label) -> Result<Vec<NodeKey>, BuildError> {
        self.chosen(label, has_none)
    }

    /// The same, and those whose summary no model wrote.
    pub(crate) fn without_model_summary(&self, label: Label) -> Result<Vec<NodeKey>, BuildError> {
        self.chosen(label, |read, id| {
            Ok(has_none(read, id)?
                || read.property(id, "summary_model")?.as_str() == Some(Summary::RULES))
        })
    }

    /// How it stands with the summary of an entity or domain, all of it as of one commit; nothing if it is not there.
    pub(crate) fn look(&self, node: &NodeKey) -> Result<Option<Looked>, BuildError> {
        let read = self.database().read()?;
        let Some(id) = find(&read, node.label, &node.key)? else {
            return Ok(None);
        };
        let inputs = Inputs::read(&read, node, id)?;
        let made_from = read.property(id, "summary_inputs")?;
        let summary = match made_from.is_null() {
            true => None,
            false => {
                let by = read.property(id, "summary_model")?;
                Some(There {
                    by: by.as_str().map(str::to_owned),
                    is_stale: made_from.as_str() != Some(inputs.hash().as_str()),
                })
            }
        };
        Ok(Some(Looked { inputs, summary }))
    }

    /// The first of the domains that one lies in, as [`Inputs::within`] begins; no more of it is read.
    pub(crate) fn first_above(&self, domain: &str) -> Result<Option<String>, BuildError> {
        let read = self.database().read()?;
        let Some(id) = find(&read, Label::DomainTag, domain)? else {
            return Ok(None);
        };
        let mut above = BTreeSet::new();
        for link in read.neighbours(id, Direction::Incoming, Some(HAS_SUBDOMAIN))? {
            above.insert(key_of(&read, link?.node)?);
        }
        Ok(above.pop_first())
    }

    /// The entities or domains of which this is so, in the order of their keys.
    fn chosen(
        &self,
        label: Label,
        is_one: impl Fn(&ReadTxn, NodeId) -> Result<bool, BuildError>,
    ) -> Result<Vec<NodeKey>, BuildError> {
        let read = self.database().read()?;
        let mut nodes = Vec::new();
        for node in read.nodes_with_label(label.name())? {
            let id = NodeId::new(node);
            if is_one(&read, id)? {
                nodes.push(NodeKey::new(label, key_of(&read, id)?));
            }
        }
        nodes.sort_unstable();
        Ok(nodes)
    }

    /// These in the order in which they are summarised: domains by their level, so that what lies below can be told what
    /// was said above.
    pub(crate) fn widest_first(&self, nodes: Vec<NodeKey>) -> Result<Vec<NodeKey>, BuildError> {
        let is_domain = |node: &NodeKey| node.label == Label::DomainTag;
        // Not every profile has domains.
        if !nodes.iter().any(is_domain) {
            return Ok(nodes);
        }
        let read = self.database().read()?;
        let levels = read.hierarchy(DOMAINS)?;
        let mut by_level = Vec::with_capacity(nodes.len());
        for node in nodes {
            let id = match is_domain(&node) {
                true => find(&read, node.label, &node.key)?,
                false => None,
            };
            let level = id.map(|id| levels.level(id)).transpose()?.flatten();
            by_level.push((level, node));
        }
        by_level.sort_unstable();
        Ok(by_level.into_iter().map(|(_, node)| node).collect())
    }
}

/// Whether it never had a summary.
fn has_none(read: &ReadTxn, id: NodeId) -> Result<bool, BuildError> {
    Ok(read.property(id, "summary_inputs")?.is_null())
}
