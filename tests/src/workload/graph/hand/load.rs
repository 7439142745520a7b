//! Carries bulk loads out: those that are batches, and those that come to nothing.

use super::super::draw::{Ending, Undone};
use super::super::names::{Tint, Type};
use super::super::operation::Operation;
use super::add::add;
use super::{GraphHand, Ids};
use anyhow::{Context, Result, bail, ensure};
use stratigraph::codec::CommitSeq;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{BulkLoad, BulkOptions, Database, Error, Read};

/// What a load says when it is about to take in a family, which is when most is at stake.
const TAKES_IN: &str = "take in the sorted runs";

impl GraphHand {
    /// A batch that is a bulk load.
    pub(super) fn load(
        &self,
        db: &Database,
        options: BulkOptions,
        operations: &[Operation],
    ) -> Result<(CommitSeq, Ids)> {
        let loading = self.loading(db, options, operations)?;
        let finished = loading.load.finish(&mut Watch::quiet());
        let report = finished?;
        let more = |of: fn(&Ids) -> usize| (of(&loading.ids) - of(&self.ids)) as u64;
        let (nodes, relationships) = (
            more(|ids| ids.nodes.len()),
            more(|ids| ids.relationships.len()),
        );
        ensure!(
            (report.nodes, report.relationships) == (nodes, relationships),
            "it should have brought {nodes} nodes and {relationships} relationships: {report:?}"
        );
        Ok((report.commit, loading.ids))
    }

    /// A bulk load that comes to nothing, for the right reason, after which nothing is new.
    pub(super) fn load_in_vain(&self, db: &Database, undone: &Undone) -> Result<()> {
        let ending = undone.ending;
        let before = self.sets(db)?;
        let Loading { load, .. } = self.loading(db, undone.options, &undone.operations)?;
        let token = CancelToken::new();
        let mut cancel = |at: Progress<'_>| {
            if let Ending::Cancelled(families) = ending
                && at.step == TAKES_IN
                // Nobody asks any more after the last step, which takes in nothing.
                && (at.done >= families || at.done + 1 == at.total)
            {
                token.cancel();
            }
        };
        let finished = if ending == Ending::Dropped {
            drop(load);
            None
        } else {
            Some(load.finish(&mut Watch::new(&mut cancel, token.clone())))
        };
        match (ending, finished) {
            (Ending::Dropped, None)
            | (Ending::Cancelled(_), Some(Err(Error::Cancelled)))
            | (Ending::OneKey, Some(Err(Error::ConstraintViolation(_))))
            | (Ending::Cycle, Some(Err(Error::HierarchyCycle { .. }))) => {}
            (_, Some(Err(error))) => return Err(error).context(format!("{ending:?}")),
            (_, other) => bail!("a load came to an end: {ending:?}, {other:?}"),
        }
        // The rest shows in later answers; this shows where it comes from. Whether what was there is
        // right is for the oracle to say.
        ensure!(
            self.sets(db)? == before,
            "an undone load has left something behind"
        );
        Ok(())
    }

    /// Which nodes and relationships the sets hold. Nothing is read of them, since an oracle outside
    /// has to get as far as comparing also where some of them are not there.
    fn sets(&self, db: &Database) -> Result<Vec<Vec<u64>>> {
        let (read, names) = (db.read()?, self.names);
        let mut sets = vec![read.nodes_with_label(&names.label())?.into_iter().collect()];
        for tint in Tint::ALL {
            sets.push(
                read.nodes_with_label(&names.tint(tint))?
                    .into_iter()
                    .collect(),
            );
        }
        for of in Type::ALL {
            let of = names.relationship_type(of);
            sets.push(read.relationships_of_type(&of)?.into_iter().collect());
        }
        Ok(sets)
    }

    /// A load to which everything was added.
    fn loading(
        &self,
        db: &Database,
        options: BulkOptions,
        operations: &[Operation],
    ) -> Result<Loading> {
        let mut loading = Loading {
            load: db.bulk_load_with(options)?,
            ids: self.ids.clone(),
        };
        for operation in operations {
            let done = add(&mut loading.load, self.names, &mut loading.ids, operation);
            done.with_context(|| format!("loading {operation:?}"))?;
        }
        Ok(loading)
    }
}

/// One bulk load, and the ids with those that it has handed out.
struct Loading {
    load: BulkLoad,
    ids: Ids,
}
