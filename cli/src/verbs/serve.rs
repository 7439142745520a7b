//! `serve`: databases over gRPC.
//!
//! The server is `stratigraph-server`'s; here are its arguments, and what is told when it listens.

use crate::arguments::Global;
use crate::failure::Failure;
use crate::models::pdf;
use crate::output::Reply;
use clap::Args;
use std::io::Write as _;
use std::path::PathBuf;
use stratigraph_server::{Config, Flags, Server};

const EXAMPLE: &str = "\
DIR is a database, or a folder with a database in each of its folders; what is missing is made. Every setting can be
a flag, a variable of the environment, or a name in the file of --config (`max_rows = 1000`), in that order.
An address that others reach needs TLS and tokens. The server ends with SIGTERM or Ctrl-C: what runs may finish.

Examples:
  stratigraph serve /var/lib/stratigraph
  stratigraph serve /var/lib/stratigraph --config /etc/stratigraph.toml --log-format json
  stratigraph serve ./library --listen 0.0.0.0:7687 --tokens tokens.toml \\
    --tls-certificate server.pem --tls-key server.key --metrics-listen 127.0.0.1:9464

JSON: nothing beside the verb, when the server has ended; where it listens is told on stderr";

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Serve {
    /// A database's folder, or a folder of databases
    dir: PathBuf,
    #[command(flatten)]
    flags: Flags,
}

impl Serve {
    /// The settings, from flags, the environment and the file.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let config = self.flags.clone().resolve();
        config.map_err(|error| Failure::Server(error.into()))
    }

    /// Serves until somebody ends it.
    ///
    /// # Errors
    /// What keeps the server from starting, or has ended it.
    pub(super) fn run(&self, global: Global) -> Result<Reply, Failure> {
        let config = self.config()?;
        let started = |server: &Server| {
            let mut told = format!("serving gRPC on {}\n", server.address());
            if let Some(address) = server.metrics_address() {
                told += &format!("serving metrics on {address}\n");
            }
            // One JSON object is all that stdout has with --json. Nobody is left to hear that it is closed.
            let _ = if global.json {
                std::io::stderr().write_all(told.as_bytes())
            } else {
                let mut stdout = std::io::stdout().lock();
                stdout
                    .write_all(told.as_bytes())
                    .and_then(|()| stdout.flush())
            };
        };
        stratigraph_server::serve_with(&self.dir, config, pdf(), started)
            .map_err(Failure::Server)?;
        Ok(Reply::new("serve"))
    }
}
