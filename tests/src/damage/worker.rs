//! Cases run in a child, since damage may make RocksDB end the process or never come back. Both
//! count against the engine, and the next child goes on with the next case.

use super::case::{Outcome, Stock, Tried};
use super::golden;
use super::harm::Kind;
use crate::driver::child::{plant_by_name, planted};
use crate::driver::link::{Listener, Silence, Speaker, die_with_parent};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::time::Duration;

/// The other database's seed lies this far away.
const FOREIGN: u64 = 0x00F0_4E16;
/// A case takes a tenth of a second, and much more where others compile beside it; one that takes this long will never
/// end.
const CASE_LIMIT: Duration = Duration::from_secs(120);

/// What the cases are drawn from; the child gets it on its command line.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Plan {
    /// The folder of the run.
    #[arg(long)]
    root: PathBuf,
    /// Its seed.
    #[arg(long)]
    seed: u64,
    /// Only this kind of damage.
    #[arg(long)]
    kind: Option<Kind>,
    /// A planted bug.
    #[arg(long)]
    plant: Option<String>,
}

/// Which cases the child tries.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct WorkerArgs {
    #[command(flatten)]
    plan: Plan,
    /// The first case.
    #[arg(long)]
    from: u64,
    /// The case after the last.
    #[arg(long)]
    until: u64,
}

impl Plan {
    pub(super) fn new(root: PathBuf, seed: u64, kind: Option<Kind>, plant: Option<String>) -> Self {
        Self {
            root,
            seed,
            kind,
            plant,
        }
    }

    /// Makes the healthy databases and those of somebody else.
    pub(super) fn prepare(&self) -> Result<()> {
        golden::make_all(&self.root.join("golden"), self.seed, self.plant.as_deref())
            .context("cannot make the healthy databases")?;
        golden::make_all(
            &self.root.join("foreign"),
            self.seed ^ FOREIGN,
            self.plant.as_deref(),
        )
        .context("cannot make the other databases")
    }

    /// Where the damaged copy lies.
    pub(super) fn case_dir(&self) -> PathBuf {
        self.root.join("case")
    }

    /// Tries the cases from `from` to before `until`, and passes each to `each`.
    pub(super) fn run(
        &self,
        mut from: u64,
        until: u64,
        each: &mut dyn FnMut(&Tried),
    ) -> Result<()> {
        while from < until {
            let mut child: Listener<Tried> = Listener::start(&self.words(from, until))?;
            while from < until {
                let outcome = match child.next(CASE_LIMIT) {
                    Ok(tried) => {
                        from = tried.number + 1;
                        each(&tried);
                        continue;
                    }
                    Err(Silence::TooLong) => Outcome::Stuck,
                    Err(Silence::Ended) => Outcome::Died,
                };
                drop(child);
                each(&self.stock()?.unfinished(from, outcome, &self.case_dir())?);
                from += 1;
                break;
            }
        }
        Ok(())
    }

    fn stock(&self) -> Result<Stock> {
        let check = self.plant.is_none();
        Ok(Stock {
            seed: self.seed,
            golden: golden::all(&self.root.join("golden"), self.seed, check)?,
            foreign: golden::folders(&self.root.join("foreign")),
            kind: self.kind,
        })
    }

    fn words(&self, from: u64, until: u64) -> Vec<String> {
        let mut words = vec![
            "worker".to_owned(),
            format!("--root={}", self.root.display()),
        ];
        words.push(format!("--seed={}", self.seed));
        words.extend(self.kind.map(|kind| format!("--kind={kind}")));
        words.extend(planted(self.plant.as_deref()));
        words.extend([format!("--from={from}"), format!("--until={until}")]);
        words
    }
}

/// Runs in the child.
pub(super) fn run_child(arguments: &WorkerArgs) -> Result<()> {
    let plan = &arguments.plan;
    die_with_parent();
    plant_by_name(plan.plant.as_deref())?;
    let stock = plan.stock()?;
    for number in arguments.from..arguments.until {
        Speaker.say(stock.run(number, &plan.case_dir())?)?;
    }
    Ok(())
}
