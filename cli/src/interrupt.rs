//! Ctrl-C: the first one asks running work to stop, the second one ends the process.

use crate::exit::Exit;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use std::io::{self, Write};
use std::thread;
use stratigraph::storage::cancel::CancelToken;

/// Starts to listen; the token is cancelled by the first Ctrl-C.
pub(crate) fn listen() -> CancelToken {
    let token = CancelToken::new();
    match Signals::new([SIGINT]) {
        Ok(signals) => {
            let token = token.clone();
            let started = thread::Builder::new()
                .name("interrupt".into())
                .spawn(move || obey(signals, &token));
            if let Err(error) = started {
                tracing::warn!(%error, "Ctrl-C will have no effect");
            }
        }
        // Ctrl-C then ends the process at once, as it does without us: a database survives that.
        Err(error) => tracing::warn!(%error, "Ctrl-C will end the process at once"),
    }
    token
}

fn obey(mut signals: Signals, token: &CancelToken) {
    for _ in signals.forever() {
        if token.is_cancelled() {
            // Some steps are one long call into RocksDB. A database survives a killed process, and
            // an orderly exit would wait for RocksDB's threads.
            signal_hook::low_level::exit(i32::from(Exit::Cancelled.code()));
        }
        token.cancel();
        let hint = "stopping after this step; press Ctrl-C again to stop at once";
        // Nobody is left to hear that stderr is closed.
        let _ = writeln!(io::stderr(), "{hint}");
    }
}
