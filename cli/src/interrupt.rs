//! Ctrl-C: the first one asks running work to stop, the second one ends the process.
//!
//! In a conversation the work is one statement, and the process goes on after it. A second Ctrl-C ends the
//! process then only if the statement does not stop for a while: two quick ones are one that was meant twice.

use crate::exit::Exit;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::CancelToken;

/// How long a statement of a conversation has to stop before another Ctrl-C ends the process.
const PATIENCE: Duration = Duration::from_secs(2);

/// What hears Ctrl-C. Clones share one state.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// What stops the work.
    token: CancelToken,
    work: Work,
    /// When Ctrl-C was first heard during this work.
    heard: Option<Instant>,
}

/// What a Ctrl-C would stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// The whole command.
    Command,
    /// A statement of a conversation.
    Statement,
    /// Nothing: a conversation that waits for the next statement.
    Nothing,
}

/// Starts to listen; the token is cancelled by the first Ctrl-C.
pub(crate) fn listen() -> Interrupt {
    let interrupt = Interrupt::deaf();
    match Signals::new([SIGINT]) {
        Ok(signals) => {
            let heard = interrupt.clone();
            let started = thread::Builder::new()
                .name("interrupt".into())
                .spawn(move || obey(signals, &heard));
            if let Err(error) = started {
                tracing::warn!(%error, "Ctrl-C will have no effect");
            }
        }
        // Ctrl-C then ends the process at once, as it does without us: a database survives that.
        Err(error) => tracing::warn!(%error, "Ctrl-C will end the process at once"),
    }
    interrupt
}

impl Interrupt {
    /// One that hears nothing yet.
    pub(crate) fn deaf() -> Self {
        let state = State {
            token: CancelToken::new(),
            work: Work::Command,
            heard: None,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// What stops the work that is under way.
    pub(crate) fn token(&self) -> CancelToken {
        self.state().token.clone()
    }

    /// Runs a statement of a conversation: Ctrl-C stops it, and nothing else.
    pub(crate) fn statement<T>(&self, run: impl FnOnce(&CancelToken) -> T) -> T {
        let token = CancelToken::new();
        *self.state() = State {
            token: token.clone(),
            work: Work::Statement,
            heard: None,
        };
        let ran = run(&token);
        self.state().work = Work::Nothing;
        ran
    }

    /// From here on Ctrl-C stops statements, and not the command.
    pub(crate) fn converse(&self) {
        self.state().work = Work::Nothing;
    }

    /// A thread that has panicked leaves nothing half-done here.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Obeys one Ctrl-C; whether the process has to end at once.
    fn hear(&mut self, now: Instant) -> bool {
        if self.work == Work::Nothing {
            return false;
        }
        let Some(first) = self.heard else {
            self.heard = Some(now);
            self.token.cancel();
            return false;
        };
        self.work == Work::Command || now.duration_since(first) > PATIENCE
    }
}

fn obey(mut signals: Signals, interrupt: &Interrupt) {
    for _ in signals.forever() {
        let mut state = interrupt.state();
        if state.hear(Instant::now()) {
            // Some steps are one long call into RocksDB. A database survives a killed process, and
            // an orderly exit would wait for RocksDB's threads.
            signal_hook::low_level::exit(i32::from(Exit::Cancelled.code()));
        }
        let command = state.work == Work::Command;
        drop(state);
        if command {
            let hint = "stopping after this step; press Ctrl-C again to stop at once";
            // Nobody is left to hear that stderr is closed.
            let _ = writeln!(io::stderr(), "{hint}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_stops_at_the_first_and_ends_at_the_second() {
        let interrupt = Interrupt::deaf();
        let now = Instant::now();
        assert!(!interrupt.state().hear(now));
        assert!(interrupt.token().is_cancelled());
        assert!(interrupt.state().hear(now));
    }

    #[test]
    fn a_conversation_outlives_its_statements() {
        let interrupt = Interrupt::deaf();
        let now = Instant::now();
        interrupt.converse();
        assert!(!interrupt.state().hear(now) && !interrupt.state().hear(now + 2 * PATIENCE));
        interrupt.statement(|token| {
            assert!(!token.is_cancelled());
            assert!(!interrupt.state().hear(now) && !interrupt.state().hear(now + PATIENCE));
            assert!(token.is_cancelled());
            assert!(
                interrupt.state().hear(now + 2 * PATIENCE),
                "it does not stop"
            );
        });
        interrupt.statement(|token| assert!(!token.is_cancelled(), "a new one begins anew"));
    }
}
