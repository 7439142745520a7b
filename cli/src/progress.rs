//! A bar on stderr for long work, when somebody is there to see it.

use crate::interrupt::Interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stratigraph::storage::cancel::{self, Watch};

/// What a step of the work counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes of files.
    Bytes,
    /// Column families.
    Families,
    /// Stages of a pipeline.
    Stages,
    /// Nodes and relationships, texts, documents.
    Entities,
}

/// Shows how far work is, and stops it when the user wants that.
#[derive(Debug)]
pub(crate) struct Progress {
    interrupt: Interrupt,
    visible: bool,
}

impl Progress {
    /// Stops work when `interrupt` says so; `quiet` shows nothing.
    pub(crate) fn new(interrupt: Interrupt, quiet: bool) -> Self {
        QUIET.store(quiet, Ordering::Relaxed);
        Self {
            interrupt,
            visible: !quiet && io::stderr().is_terminal(),
        }
    }

    /// What hears Ctrl-C.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Does `work`, with a bar of its own while it lasts.
    ///
    /// # Errors
    /// Those of `work`, [`Error::Cancelled`](stratigraph::Error::Cancelled) among them.
    pub(crate) fn watch<T, E>(
        &self,
        unit: Unit,
        work: impl FnOnce(&mut Watch<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.showing(|show| {
            let mut report = |progress: cancel::Progress<'_>| show(unit, progress);
            work(&mut Watch::new(&mut report, self.interrupt.token()))
        })
    }

    /// The same for work whose steps count different things, and that hears by itself whether it is stopped.
    pub(crate) fn showing<T>(
        &self,
        work: impl FnOnce(&mut dyn FnMut(Unit, cancel::Progress<'_>)) -> T,
    ) -> T {
        let bar = Bar(self.visible.then(new_bar));
        let mut looks = Looks::default();
        work(&mut |unit, progress| {
            if let Bar(Some(bar)) = &bar {
                show(bar, &mut looks, unit, progress);
            }
        })
    }
}

impl Progress {
    /// A bar of so many things, for work that several threads tell of.
    pub(crate) fn bar(&self, total: u64) -> Bar {
        self.bar_of(Unit::Entities, total)
    }

    /// A bar of the stages of a pipeline.
    pub(crate) fn stages(&self, total: u64) -> Bar {
        self.bar_of(Unit::Stages, total)
    }

    fn bar_of(&self, unit: Unit, total: u64) -> Bar {
        let bar = Bar(self.visible.then(new_bar));
        if let Bar(Some(shown)) = &bar {
            shown.set_style(style(unit, total));
        }
        bar.out_of(total);
        bar
    }
}

/// A bar, if there is somebody to see it; it goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    /// So many things are done.
    pub(crate) fn at(&self, done: u64) {
        if let Self(Some(bar)) = self {
            bar.set_position(done);
        }
    }

    /// There are so many.
    pub(crate) fn out_of(&self, total: u64) {
        if let Self(Some(bar)) = self {
            bar.set_length(total);
        }
    }

    /// What stands beside it.
    pub(crate) fn beside(&self, note: String) {
        if let Self(Some(bar)) = self {
            bar.set_message(note);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Self(Some(bar)) = self {
            bar.finish_and_clear();
        }
    }
}

/// Whether the user wants no bars: kept for work whose bar is not handed down to it.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether the user wants no bars.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// A bar of a hundred parts.
pub(crate) fn of_percent() -> ProgressBar {
    let bar = new_bar();
    let template = "{spinner} {elapsed:>4} [{bar:24}] {pos} %, {eta} left: {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_length(100);
    bar
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    // One step may take long: the clock and the spinner show that we are alive.
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// What a bar looks like at the moment: a step of another unit or length has other looks.
#[derive(Debug, Default)]
struct Looks(Option<(Unit, u64)>);

impl Looks {
    /// Whether it has to look otherwise from now on.
    fn change(&mut self, unit: Unit, total: u64) -> bool {
        let now = (unit, total);
        self.0.replace(now) != Some(now)
    }
}

fn show(bar: &ProgressBar, looks: &mut Looks, unit: Unit, progress: cancel::Progress<'_>) {
    if looks.change(unit, progress.total) {
        bar.set_style(style(unit, progress.total));
        bar.set_length(progress.total);
    }
    bar.set_message(progress.step.to_owned());
    bar.set_position(progress.done);
}

/// How the bar looks: how long it took, how much is done, how fast, and how long it still takes. A single step has no
/// length worth a bar.
fn style(unit: Unit, total: u64) -> ProgressStyle {
    // A template that does not parse costs the looks of the bar, not the work; a test reads them.
    ProgressStyle::with_template(template(unit, total))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

fn template(unit: Unit, total: u64) -> &'static str {
    match unit {
        _ if total <= 1 => "{spinner} {elapsed:>4} {msg}",
        Unit::Bytes => {
            "{spinner} {elapsed:>4} [{bar:24}] {binary_bytes}/{binary_total_bytes}, {binary_bytes_per_sec}, {eta} left: {msg}"
        }
        Unit::Families | Unit::Stages => "{spinner} {elapsed:>4} [{bar:24}] {pos}/{len}: {msg}",
        Unit::Entities => {
            "{spinner} {elapsed:>4} [{bar:24}] {human_pos}/{human_len}, {per_sec:0}, {eta} left: {msg}"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bar_can_be_drawn() {
        let units = [Unit::Bytes, Unit::Families, Unit::Stages, Unit::Entities];
        for unit in units {
            for total in [0, 1, 2] {
                let template = template(unit, total);
                assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
            }
        }
    }

    #[test]
    fn a_step_of_another_unit_looks_otherwise_though_it_is_as_long() {
        let mut looks = Looks::default();
        let steps = [
            (Unit::Bytes, 7),
            (Unit::Bytes, 7),
            (Unit::Entities, 7),
            (Unit::Entities, 8),
            (Unit::Entities, 8),
        ];
        let changes = steps.map(|(unit, total)| looks.change(unit, total));
        assert_eq!(changes, [true, false, true, true, false]);
    }

    #[test]
    fn work_is_stopped_by_the_token() {
        let interrupt = Interrupt::deaf();
        let progress = Progress::new(interrupt.clone(), true);
        assert!(
            progress
                .watch(Unit::Bytes, |watch| watch.step("copy", 0, 2))
                .is_ok()
        );
        interrupt.token().cancel();
        let stopped = progress.watch(Unit::Bytes, |watch| watch.step("copy", 1, 2));
        assert!(matches!(stopped, Err(stratigraph::Error::Cancelled)));
    }
}
