//! `config`: whether the settings of a server fit together, and what they are.

use crate::failure::Failure;
use crate::output::{Reply, Table};
use clap::{Args, Subcommand};
use stratigraph_server::{ConfigError, Flags, ServerError};

const EXAMPLE: &str = "\
Settings come from flags, the environment and the file of --config, in that order, as for `serve`.

Example:
  stratigraph config check --config /etc/stratigraph.toml

JSON: every setting by its name";

/// Arguments of `config`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ConfigVerb {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Check that the settings of a server fit together, and show them all
    Check(Box<Check>),
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
struct Check {
    #[command(flatten)]
    flags: Flags,
}

impl ConfigVerb {
    /// Checks the settings.
    ///
    /// # Errors
    /// What does not fit.
    pub(super) fn run(&self) -> Result<Reply, Failure> {
        let What::Check(check) = &self.what;
        let refused = |error: ConfigError| Failure::Server(ServerError::Config(error));
        let config = check.flags.clone().resolve().map_err(refused)?;
        let findings = config.check();
        if !findings.is_empty() {
            return Err(refused(ConfigError::Refused { findings }));
        }
        let mut table = Table::of_facts();
        let mut reply = Reply::new("config");
        for (name, _, value) in config.shown() {
            table.fact(name, &value);
            reply.field(name, value);
        }
        reply.table(&table);
        Ok(reply)
    }
}
