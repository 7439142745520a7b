//! The transaction of a query: who may stop it, how it is written with, and the next one after it where a query commits
//! as it goes.

use super::{Graph, Txn, over};
use crate::database::Database;
use crate::error::Result;
use crate::graph::WriteTxn;
use crate::query::error::{Detail, Fault, raise};
use crate::storage::cancel::CancelToken;

impl<'t> Graph<'t> {
    /// The same, where `stop` ends whatever reads or writes. A host's own transaction is told so by whoever
    /// takes it back.
    pub(in crate::query::exec) fn stopped_by(mut self, stop: &CancelToken) -> Self {
        self.txn = match self.txn {
            Txn::Read(read) => Txn::OwnRead(Box::new(read.for_query(stop))),
            Txn::OwnRead(read) => Txn::OwnRead(Box::new(read.for_query(stop))),
            Txn::Write(write) => {
                write.stop_by(write.cancel_token().or(stop));
                Txn::Write(write)
            }
            Txn::OwnWrite(mut write) => {
                write.stop_by(stop.clone());
                Txn::OwnWrite(write)
            }
            Txn::Over => Txn::Over,
        };
        self.stop = stop.clone();
        self
    }

    /// The transaction, to commit it or to give it back.
    pub(crate) fn into_txn(self) -> Txn<'t> {
        self.txn
    }

    /// The transaction to write with.
    pub(crate) fn writer(&mut self) -> Result<&mut WriteTxn, Fault> {
        match &mut self.txn {
            Txn::Write(txn) => Ok(txn),
            Txn::OwnWrite(txn) => Ok(txn),
            Txn::Over => Err(over().into()),
            Txn::Read(_) | Txn::OwnRead(_) => {
                let message =
                    "the statement changes the graph, and runs where nothing can be changed";
                let fault = raise(Detail::ReadOnlyQuery, message);
                Err(fault.hint("run it in a write transaction"))
            }
        }
    }

    /// Whether the query can commit as it goes.
    pub(crate) fn is_own_write(&self) -> bool {
        matches!(self.txn, Txn::OwnWrite(_))
    }

    /// Commits. Until the next transaction has begun there is none.
    pub(crate) fn commit_portion(&mut self) -> Result<()> {
        if let Txn::OwnWrite(txn) = self.leave() {
            txn.commit()?;
            self.committed += 1;
        }
        Ok(())
    }

    /// How many transactions were committed before this one.
    pub(crate) fn committed_portions(&self) -> u64 {
        self.committed
    }

    /// Whether there is no transaction, so that nothing can go on.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.txn, Txn::Over)
    }

    fn leave(&mut self) -> Txn<'t> {
        self.read_bytes = self.read_bytes();
        std::mem::replace(&mut self.txn, Txn::Over)
    }

    /// Takes back what is not committed, and begins the next transaction.
    pub(crate) fn next_transaction(&mut self, database: &Database) -> Result<()> {
        if let Txn::OwnWrite(txn) = self.leave() {
            txn.rollback();
        }
        let next = database.write()?.with_cancel(self.stop.clone());
        self.txn = Txn::OwnWrite(Box::new(next));
        Ok(())
    }
}
