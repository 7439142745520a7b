//! How far an index or a constraint is that a statement declares: the statement returns only when it is ready.
//!
//! Somebody at a terminal sees a bar on stderr, unless it is quick. It is told by the database itself, asked from
//! beside, as anybody else could.

use crate::progress;
use indicatif::ProgressBar;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use stratigraph::Value;

/// What is ready sooner needs no bar.
const PATIENCE: Duration = Duration::from_millis(700);
/// How often the database is asked.
const EVERY: Duration = Duration::from_millis(250);
/// What is being built, and how much of it is done.
pub(crate) const UNDER_WAY: &str = "SHOW INDEXES YIELD name, state, populationPercent WHERE state = 'POPULATING' RETURN name, populationPercent";

/// A bar as long as this is kept.
pub(crate) struct Building {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Building {
    /// Shows a bar if `text` declares something and somebody is there to see it. What `ask` gives is asked again and
    /// again, for what is being built and how much of it is done.
    pub(crate) fn show<A>(text: &str, ask: impl FnOnce() -> A) -> Option<Self>
    where
        A: FnMut() -> Option<(String, u64)> + Send + 'static,
    {
        if !declares(text) || !io::stderr().is_terminal() || progress::is_quiet() {
            return None;
        }
        let (stop, stopped) = channel::<()>();
        let mut under_way = ask();
        let thread = thread::Builder::new()
            .name("building".into())
            .spawn(move || {
                let mut bar: Option<ProgressBar> = None;
                let mut wait = PATIENCE;
                while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(wait) {
                    wait = EVERY;
                    if let Some((name, percent)) = under_way() {
                        let bar = bar.get_or_insert_with(progress::of_percent);
                        bar.set_message(name);
                        bar.set_position(percent);
                    }
                }
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                }
            });
        Some(Self {
            stop: Some(stop),
            thread: thread.ok(),
        })
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A bar that panicked is gone; nothing else is wrong.
            let _ = thread.join();
        }
    }
}

/// What is being built, and how much of it is done, as a row of [`UNDER_WAY`] says it.
pub(crate) fn building(row: &[Value]) -> Option<(String, u64)> {
    let name = row.first()?.as_str()?;
    let percent = row.get(1)?.as_float()?;
    Some((format!("build {name}"), percent as u64))
}

/// Whether a statement declares an index or a constraint, as far as its first words say.
fn declares(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_uppercase);
    words.next().as_deref() == Some("CREATE")
        && words.next().is_some_and(|word| {
            matches!(
                word.as_str(),
                "INDEX" | "VECTOR" | "FULLTEXT" | "RANGE" | "CONSTRAINT" | "HIERARCHY"
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declarations_are_watched() {
        for text in [
            "CREATE INDEX a FOR (n:A) ON (n.a)",
            "create vector\nindex v FOR (n) ON n.v",
        ] {
            assert!(declares(text), "{text}");
        }
        for text in ["CREATE (n)", "DROP INDEX a", "MATCH (n) RETURN n", ""] {
            assert!(!declares(text), "{text}");
        }
    }

    #[test]
    fn the_database_tells_what_is_being_built() {
        let db = stratigraph::Database::in_memory().unwrap();
        // The statement is a right one, also when nothing is being built.
        assert!(
            db.query(UNDER_WAY, ())
                .is_ok_and(|mut rows| rows.next().is_none())
        );
        let row = ["v".into(), 12.7.into()];
        assert_eq!(building(&row), Some(("build v".to_owned(), 12)));
    }
}
