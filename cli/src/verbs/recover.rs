//! `recover`: what is left of a database that has lost commits.
//!
//! It never acts unasked: without the flag it looks, read-only, and explains.

use super::report;
use crate::failure::Failure;
use crate::output::{Reply, things};
use crate::progress::{Progress, Unit};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use stratigraph::{Database, Error, ErrorKind};

const EXAMPLE: &str = "\
For when acknowledged commits are lost and there is no backup. Copy the folder first: what is lost
cannot be brought back afterwards. Without --accept-loss nothing is changed, and the command says
what is wrong.

Example:
  stratigraph recover /var/lib/library --accept-loss

JSON: path, database, commit, lost {acknowledged, recovered} or null, refused (why the database did
not open, or null), entries {family: count}, notes [{place, what}], findings [{place, what}]";

/// Arguments of `recover`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Recover {
    /// The database's folder
    dir: PathBuf,
    /// Give up what cannot be read any more
    #[arg(long)]
    accept_loss: bool,
}

impl Recover {
    /// Looks; then, if losses are accepted, opens for writing and checks what is there.
    ///
    /// # Errors
    /// That losses were not accepted, or damage that opening cannot get past.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let refusal = self.look()?;
        if !self.accept_loss {
            return Err(match refusal {
                Some(refusal) if refusal.kind() == ErrorKind::Corrupt => {
                    Failure::LossNotAccepted { refusal }
                }
                // Nothing is lost then, and the error itself says what to do.
                Some(refusal) => refusal.into(),
                None => Failure::NothingToRecover {
                    path: self.dir.clone(),
                },
            });
        }
        let db = Database::builder().accept_data_loss(true).open(&self.dir)?;
        let found = progress.watch(Unit::Families, |watch| db.check(watch))?;
        let mut reply = Reply::new("recover");
        reply.field(
            "refused",
            refusal
                .as_ref()
                .map_or(Value::Null, |error| error.to_string().into()),
        );
        let lost = match refusal {
            Some(Error::DataLoss {
                acknowledged,
                recovered,
                ..
            }) => {
                let commits = acknowledged.get().saturating_sub(recovered.get());
                reply.line(format!(
                    "{} lost: {acknowledged} was acknowledged, {recovered} is what is left",
                    things(commits, "commit")
                ));
                json!({ "acknowledged": acknowledged.get(), "recovered": recovered.get() })
            }
            Some(error) => {
                reply.line(format!("the database opens again; before: {error}"));
                Value::Null
            }
            None => {
                reply.line("nothing was lost");
                Value::Null
            }
        };
        reply.field("lost", lost).line("");
        report::add(&mut reply, &self.dir, &db, found);
        db.close()?;
        Ok(reply)
    }

    /// Why the database does not open, if it does not; what recovering cannot help with is an error.
    fn look(&self) -> Result<Option<Error>, Failure> {
        match Database::builder().open_read_only(&self.dir) {
            Ok(_) => Ok(None),
            // An ordinary open for writing would do here, and is what happens.
            Err(error @ (Error::RecoveryNeeded { .. } | Error::MigrationNeeded { .. })) => {
                Ok(Some(error))
            }
            Err(error) if error.kind() == ErrorKind::Corrupt => Ok(Some(error)),
            Err(error) => Err(error.into()),
        }
    }
}
