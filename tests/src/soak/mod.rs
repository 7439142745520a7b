//! `soak`: a server under mixed load for as long as one likes, killed and started again and again.
//!
//! ```text
//! serve ──> compare with what was acknowledged ──> everybody at once, for a while ──> SIGKILL ──> serve ...
//! ```
//! [`writer`]s, [`reader`]s, [`documents`] and a [`keeper`] (backups, changes of the schema, checks, compaction) work at
//! the same time. Outside of the server stands what is known of everything ([`world`], a [`history`] of each thing): each
//! row that anybody is given must have been so between question and answer, and what was acknowledged must be there
//! after a kill. Now and then the database is opened without a server, its indexes are held against ones that are made
//! anew, and the last backup is restored and compared ([`audit`]). [`slopes`] says whether memory or open files grow, and
//! what of memory the server itself does not account for; [`report`] tells all of it.

mod audit;
mod content;
mod documents;
mod history;
mod keeper;
mod reader;
mod report;
mod slopes;
mod world;
mod writer;

use crate::driver::program::{Common, proves_something};
use crate::driver::scratch::Scratch;
use crate::serving::{PATIENT_SETTINGS, Served};
use anyhow::Result;
use report::Report;
use slopes::{Had, Samples};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use stratigraph_client::{Client, Retry};
use tokio::task::JoinSet;
use world::{WRITERS, World, lock};

const READERS: usize = 3;
/// On a busy machine all of it may be needed.
const CALL_LIMIT: Duration = Duration::from_secs(300);
/// The longest life in a short run, in milliseconds; in a long one it is a sixth of all.
const SHORTEST_LONG: u64 = 90_000;
/// Caches that hold less than is live, so that blocks and decoded texts go and are read from the files again all the time; and
/// a buffer that is full every few seconds, or reads would find everything in it. What grows then is no cache that fills.
const SMALL_CACHES: &str = "cache_size = \"256KiB\"\ntext_cache_size = \"64KiB\"\nprojection_cache_size = \"64KiB\"\nwrite_buffer_size = \"2MiB\"\n";
/// Of so many kills one is looked at without a server.
const EXAMINE_ONE_OF: u8 = 4;

/// Runs a server under mixed load, kills it at random, and compares.
///
/// Example: `soak --minutes 5 --seed 1`
#[derive(Debug, clap::Args)]
pub(crate) struct SoakArgs {
    /// How long it goes on.
    #[arg(long, default_value_t = 60.0)]
    minutes: f64,
    /// Put the figures into docs/quality.md, if the run has found nothing wrong.
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    common: Common,
}

/// A run.
///
/// # Errors
/// What kept it from beginning; what it has found is told.
pub(crate) fn run(args: &SoakArgs) -> Result<bool> {
    let seed = args.common.seed();
    // Before an hour has gone by for nothing.
    let page = args.write.then(report::page).transpose()?;
    let load = report::load();
    let scratch = Scratch::new(None, "soak")?;
    eprintln!("soak: seed {seed}, in {}", scratch.root().display());
    let world = Arc::new(World::new());
    let mut soak = Soak {
        world: Arc::clone(&world),
        random: fastrand::Rng::with_seed(seed),
        folder: scratch.root(),
        plant: args.common.plant.as_deref(),
        samples: Samples::default(),
        longest: SHORTEST_LONG.max((args.minutes * 60_000.0 / 6.0) as u64),
        kills: 0,
        restored: 0,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let until = Instant::now() + Duration::from_secs_f64(args.minutes * 60.0);
    let done = runtime.block_on(soak.until(until));
    let (kills, restored, samples) = (soak.kills, soak.restored, soak.samples);
    scratch.remove()?;
    if let Err(error) = &done {
        world.error(format!("it broke off: {error:#}"));
    }
    let (found, counts) = (world.found(), &world.counts);
    let report = Report {
        minutes: args.minutes,
        seed,
        load: &load,
        kills,
        restored,
        found: &found,
        counts,
        samples: &samples,
    };
    for line in report.details() {
        eprintln!("soak: {line}");
    }
    println!("{}", report.last_line());
    let is_fine = found.acked_lost + found.wrong_rows + found.index_diffs + found.errors == 0;
    if !is_fine {
        let plant = args.common.plant_again();
        eprintln!(
            "soak: reproduce with: cargo xtask soak --minutes {} --seed {seed}{plant}",
            args.minutes
        );
    }
    let proves = proves_something(
        "soak",
        &[
            (kills == 0, "nothing was killed"),
            (counts.writes.load(Relaxed) == 0, "nothing was written"),
            (
                counts.taken_back.load(Relaxed) == 0,
                "no transaction was taken back",
            ),
            (counts.reads.load(Relaxed) == 0, "nothing was read"),
            (counts.searches.load(Relaxed) == 0, "nothing was searched"),
            (
                counts.documents.load(Relaxed) == 0,
                "no document was taken in",
            ),
        ],
    );
    let is_fine = is_fine && proves;
    match &page {
        Some(page) if is_fine => report.write(page)?,
        Some(_) => eprintln!("soak: nothing of this is written into docs/quality.md"),
        None => {}
    }
    Ok(is_fine)
}

/// A run.
struct Soak<'a> {
    world: Arc<World>,
    random: fastrand::Rng,
    folder: &'a Path,
    plant: Option<&'a str>,
    samples: Samples,
    /// The longest life, in milliseconds.
    longest: u64,
    kills: u64,
    restored: u64,
}

impl Soak<'_> {
    /// One life of the server after the other.
    async fn until(&mut self, until: Instant) -> Result<()> {
        let backups = self.folder.join("backups");
        let settings = format!(
            "{PATIENT_SETTINGS}{SMALL_CACHES}backup_keep = 3\nbackup_dir = \"{}\"\n",
            backups.display()
        );
        while Instant::now() < until {
            self.world.set_killed(false);
            let server = Served::start_with(self.folder, &settings, self.plant)?;
            audit::compare(&self.world, &client(&server).await?).await?;
            // Of a life that is over nobody knows any more what was begun when.
            *lock(&self.world.backup) = None;
            self.live(server, until).await?;
            if self.random.u8(..EXAMINE_ONE_OF) == 0 || Instant::now() >= until {
                let restored = self.folder.join("restored");
                let of_default = backups.join("default");
                let was_there = audit::restore_last(&self.world, &of_default, &restored)?;
                self.restored += u64::from(was_there);
                audit::examine(&self.world, &self.folder.join("data/default"))?;
            }
            let found = self.world.found();
            eprintln!("soak: {} kills, {found:?}", self.kills);
        }
        // What the last kill has left, too.
        self.world.set_killed(false);
        let server = Served::start_with(self.folder, &settings, self.plant)?;
        audit::compare(&self.world, &client(&server).await?).await
    }

    /// Everybody at once, until the server is killed among them.
    async fn live(&mut self, mut server: Served, until: Instant) -> Result<()> {
        let mut work = JoinSet::new();
        for writer in 0..WRITERS {
            let (world, client) = (Arc::clone(&self.world), client(&server).await?);
            work.spawn(writer::run(world, client, writer, self.random.u64(..)));
        }
        for _ in 0..READERS {
            let (world, client) = (Arc::clone(&self.world), client(&server).await?);
            work.spawn(reader::run(world, client, self.random.u64(..)));
        }
        let (world, client) = (&self.world, client(&server).await?);
        work.spawn(documents::write(
            Arc::clone(world),
            client.clone(),
            self.random.u64(..),
        ));
        work.spawn(documents::read(
            Arc::clone(world),
            client.clone(),
            self.random.u64(..),
        ));
        work.spawn(keeper::run(Arc::clone(world), client, self.random.u64(..)));
        let began = Instant::now();
        let length = self.length().min(until.saturating_duration_since(began));
        let ends = began + length;
        while Instant::now() < ends {
            tokio::time::sleep(
                Duration::from_secs(1).min(ends.saturating_duration_since(Instant::now())),
            )
            .await;
            let memory = server.memory_use()?;
            let age = (began.elapsed().as_secs_f64(), length.as_secs_f64());
            let files = server.open_files()?;
            // Asked last, over a connection that is an open file of the server for a while.
            let had = Had {
                memory: memory.all,
                most: memory.most,
                mapped: memory.mapped,
                told: server.told_memory()?,
                files,
            };
            self.samples.note(self.kills, age, had);
        }
        if let Err(wrong) = server.memory_is_fine() {
            self.world.error(wrong);
        }
        self.world.set_killed(true);
        tokio::task::block_in_place(|| drop(server));
        self.kills += 1;
        while let Some(ended) = work.join_next().await {
            ended?;
        }
        Ok(())
    }

    /// Most lives are short, since a kill finds most; some are long, so that growth can be told from the filling of caches.
    fn length(&mut self) -> Duration {
        let milliseconds = match self.random.u8(..4) {
            0 => self.random.u64(30_000..self.longest),
            _ => self.random.u64(500..12_000),
        };
        Duration::from_millis(milliseconds)
    }
}

/// A connection that does nothing twice: what is known must be what was done.
async fn client(server: &Served) -> Result<Client> {
    let client = Client::builder(format!("http://{}", server.address))
        .retry(Retry::never())
        .timeout(CALL_LIMIT);
    Ok(client.connect().await?)
}
