//! The same row by row: where something was written that nobody else may see, and where memory does not do.
//!
//! Next: `mod.rs`.

use crate::query::error::Fault;
use crate::query::exec::gather::Groups;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::{Poll, Site};
use crate::query::plan::Walks;
use crate::value::{NodeId, NodeValue, Value};

/// The runs that are still to be made, and the groups so far.
pub(super) struct ByRows {
    /// So many runs find their first node themselves.
    anywhere: u64,
    /// The first node of each other run.
    starts: std::vec::IntoIter<u64>,
    run: Option<Run>,
    groups: Groups,
    gathered: bool,
}

impl ByRows {
    /// So many runs that begin anywhere, and runs that begin with these nodes.
    pub(super) fn new(anywhere: u64, starts: Vec<u64>) -> Self {
        Self {
            anywhere,
            starts: starts.into_iter(),
            run: None,
            groups: Groups::default(),
            gathered: false,
        }
    }

    /// The operators that are run.
    pub(super) fn nested(&mut self) -> Option<&mut Run> {
        self.run.as_mut()
    }

    /// Gathers, and gives groups.
    pub(super) fn poll(&mut self, of: &Walks, site: &mut Site<'_, '_>) -> Result<Poll, Fault> {
        if !self.gathered {
            while let Some(left) = self.anywhere.checked_sub(1) {
                self.anywhere = left;
                self.gather(of, None, site)?;
            }
            while let Some(start) = self.starts.next() {
                self.gather(of, Some(start), site)?;
            }
            self.gathered = true;
        }
        self.groups.give(&of.aggregate, site)
    }

    fn gather(
        &mut self,
        of: &Walks,
        start: Option<u64>,
        site: &mut Site<'_, '_>,
    ) -> Result<(), Fault> {
        let mut argument = site.frame.argument.clone();
        if let (Some(start), Some(first)) = (start, of.nodes.first()) {
            argument[first.slot.at()] = Value::Node(NodeValue::of(NodeId::new(start)));
        }
        let run = match &mut self.run {
            Some(run) => {
                run.restart(site.context, &argument);
                run
            }
            run => run.insert(Run::new(&of.by_rows, site.frame.width, argument)),
        };
        while let Some(mut batch) = run.next(site.context)? {
            for at in 0..batch.len() {
                self.groups.add(&of.aggregate, site, batch.row_mut(at))?;
            }
        }
        Ok(())
    }
}
