//! Finds or else creates, for each row: each sees what the rows before it have created.
//!
//! Next: `gather/mod.rs`.

use super::Flat;
use super::optional::begin_run;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::Site;
use crate::query::exec::write;
use crate::query::plan::Merge;
use crate::value::Value;

/// The search, and what came of it.
#[derive(Default)]
pub(in crate::query::exec) struct Merging {
    run: Option<Box<Run>>,
    found: Batch,
}

impl Merging {
    pub(in crate::query::exec) fn nested(&mut self) -> Option<&mut Run> {
        self.run.as_deref_mut()
    }

    pub(in crate::query::exec) fn reset(&mut self) {
        self.found = Batch::default();
    }
}

impl Flat for Merging {
    type Of<'o> = &'o Merge;

    fn begin(
        &mut self,
        of: &Merge,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        write::check_merge(site.context, &of.create, row)?;
        begin_run(&mut self.run, &of.ops, site, row);
        self.found = Batch::new(row.len());
        // The search is over before anything is set, so that it does not see what is set.
        if let Some(run) = self.run.as_deref_mut() {
            while let Some(batch) = run.next(site.context)? {
                self.found.append(batch);
                // They are kept together, be they as many as the graph has nodes.
                site.charge_in_all(self.found.len() * row.len() * size_of::<Value>())?;
            }
        }
        if self.found.is_empty() {
            let new = self.found.push(row);
            write::create(site.context, &of.create, new)?;
            return write::set(site.context, &of.on_create, new);
        }
        if !of.on_match.is_empty() {
            for at in 0..self.found.len() {
                write::set(site.context, &of.on_match, self.found.row_mut(at))?;
            }
        }
        Ok(())
    }

    fn give(
        &mut self,
        _: &Merge,
        site: &mut Site<'_, '_>,
        _: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        out.append(std::mem::take(&mut self.found));
        site.charge_in_all(0)?;
        Ok(true)
    }
}
