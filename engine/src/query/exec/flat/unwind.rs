//! An element of a list, for each row.
//!
//! Next: `optional.rs`.

use super::Flat;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::eval::eval;
use crate::query::exec::stage::Site;
use crate::query::expr::{Expr, Slot};
use crate::value::Value;
use std::sync::Arc;

/// The elements that are still to be given.
#[derive(Default)]
pub(in crate::query::exec) struct Unwind {
    list: Option<Arc<[Value]>>,
    at: usize,
}

impl Flat for Unwind {
    type Of<'o> = (&'o Expr, Slot);

    fn begin(
        &mut self,
        (list, _): (&Expr, Slot),
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        self.at = 0;
        self.list = match eval(site.context, list, row)? {
            Value::Null => None,
            Value::List(list) => Some(list),
            one => Some(Arc::from([one])),
        };
        Ok(())
    }

    fn give(
        &mut self,
        (_, into): (&Expr, Slot),
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        let Some(list) = &self.list else {
            return Ok(true);
        };
        while let Some(element) = list.get(self.at) {
            if out.len() >= site.frame.room {
                return Ok(false);
            }
            self.at += 1;
            out.push(row)[into.at()] = element.clone();
        }
        self.list = None;
        Ok(true)
    }
}
