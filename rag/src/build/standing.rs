//! Whether a document is new, or takes the place of another text under its name: whoever takes documents in is told how
//! many do, as two folders may have one name for different documents.

use stratigraph::Read as _;

use super::contribution::{Contribution, Label, NodeKey};
use super::held::Held;
use super::names::document_key;
use super::property::text;
use super::schema::find;
use super::{BuildError, Layers};

/// The property of a document that has the hash of its text.
pub(super) const HASH: &str = "hash";

/// A document beside what is there under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing is there.
    New,
    /// Another text is.
    Changed,
    /// Its text is, however it was read.
    Same,
}

impl Standing {
    fn of(before: Option<&str>, now: &str) -> Self {
        match before {
            None => Self::New,
            Some(before) if before == now => Self::Same,
            Some(_) => Self::Changed,
        }
    }

    /// What a document is beside what is held of it; nothing if it goes.
    pub(super) fn of_change(held: &Held, new: &Contribution) -> Option<Self> {
        let now = new.text_hash()?;
        let before = held.nodes.get(&new.root());
        let before = before.map(|node| text(&node.properties, HASH));
        Some(Self::of(before, now))
    }
}

impl Contribution {
    /// The node of its document.
    fn root(&self) -> NodeKey {
        NodeKey::new(Label::Document, self.document.as_str())
    }

    /// The hash of its document's text; nothing if it has no document.
    pub(crate) fn text_hash(&self) -> Option<&str> {
        Some(text(self.nodes.get(&self.root())?, HASH))
    }
}

impl Layers {
    /// What a document of this name and with a text of this hash would be beside what is there.
    pub(crate) fn standing(&self, id: &str, hash: &str) -> Result<Standing, BuildError> {
        let key = document_key(id)?;
        let read = self.database().read()?;
        let Some(node) = find(&read, Label::Document, &key)? else {
            return Ok(Standing::New);
        };
        let before = read.property(node, HASH)?;
        Ok(Standing::of(
            Some(before.as_str().unwrap_or_default()),
            hash,
        ))
    }
}
