//! Tables on their way to a server: the mapping, and the files that it names, in pieces, of which one is in memory at a time.
//!
//! Next: `server.rs`.

use super::server::Server;
use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_client::{Tables, TablesReport};

/// So many bytes of a file are read at a time.
const PIECE_BYTES: usize = 1 << 20;

/// What is sent before the files.
pub(crate) struct TablesHead<'t> {
    /// The name that the tables are known by.
    pub(crate) id: &'t str,
    /// The mapping as it was written.
    pub(crate) mapping: &'t str,
    pub(crate) keep_embedder: bool,
    pub(crate) dry_run: bool,
    pub(crate) prune: bool,
}

/// A stream of tables to a server. One that is dropped was never there.
pub(crate) struct SendingTables<'s> {
    server: &'s Server,
    tables: Tables,
    cancel: CancelToken,
}

/// Why a file was not sent.
pub(crate) enum UnsentTable {
    /// It is not there.
    Missing,
    /// It cannot be read.
    Unreadable(io::Error),
    /// Nothing goes on.
    All(Failure),
}

impl<'s> SendingTables<'s> {
    /// Begins to send.
    pub(crate) fn begin(server: &'s Server, head: &TablesHead<'_>, cancel: CancelToken) -> Self {
        let _within = server.runtime.enter();
        let mut settings = server.client.rag().tables(head.id, head.mapping);
        if head.keep_embedder {
            settings = settings.keep_embedder();
        }
        if head.dry_run {
            settings = settings.dry_run();
        }
        if head.prune {
            settings = settings.prune();
        }
        Self {
            server,
            tables: settings.start(),
            cancel,
        }
    }

    /// Sends a file under the name that the mapping has for it; `told` hears of each piece how many bytes it has.
    pub(crate) fn file(
        &mut self,
        name: &str,
        path: &Path,
        told: &mut dyn FnMut(u64),
    ) -> Result<(), UnsentTable> {
        let mut file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => UnsentTable::Missing,
            _ => UnsentTable::Unreadable(error),
        })?;
        let mut first = true;
        loop {
            let mut piece = Vec::new();
            let read = (&mut file).take(PIECE_BYTES as u64).read_to_end(&mut piece);
            let read = read.map_err(UnsentTable::Unreadable)?;
            // An empty file is one, too.
            if read == 0 && !first {
                return Ok(());
            }
            first = false;
            let sent = self
                .server
                .until(&self.cancel, self.tables.send(name, piece));
            let sent = sent.map_err(UnsentTable::All)?;
            sent.map_err(|error| UnsentTable::All(self.server.failure(&error, "").into()))?;
            told(read as u64);
        }
    }

    /// Waits until what the tables state is durable.
    ///
    /// # Errors
    /// What the server refuses, and nothing has changed then; or nobody knows.
    pub(crate) fn finish(self) -> Result<TablesReport, Failure> {
        let finished = self.server.until(&self.cancel, self.tables.finish())?;
        finished.map_err(|error| self.server.failure(&error, "").into())
    }
}
