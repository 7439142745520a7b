//! `powerloss`: records what a database does to its files, builds disks that a loss of power may
//! leave of it, and opens each of them; an oracle checks that every acknowledged batch is there,
//! none is half there, and no such disk is refused.
//!
//! [`plan`] draws each recording's options, [`child`] is the process that is recorded, [`session`]
//! one recording with what was acknowledged in it, [`shots`] the points and modes, [`judge`] opens
//! one image, [`trial`] walks through all of them and counts. The disk itself is modelled by
//! [`power`](crate::power).
//!
//! A run must fail when it proves nothing: when no batch was acknowledged, or no image lost
//! anything. Recordings differ between runs of one seed, because threads do; the points in a
//! recording that was kept do not.

pub mod child;
pub mod judge;
mod mapped;
pub mod plan;
pub mod session;
pub mod shots;
mod trial;

use crate::driver::child::ChildArgs;
use crate::driver::program::{self, Common};
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use trial::Trial;

/// Builds the disks that a loss of power may leave, and checks that nothing acknowledged is lost.
#[derive(Debug, Parser)]
#[command(name = "powerloss", args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    role: Option<Role>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// The process that is recorded.
    #[command(hide = true)]
    Child(ChildArgs),
}

/// The arguments of a run.
#[derive(Debug, clap::Args)]
struct RunArgs {
    /// How many images to open.
    #[arg(long, default_value_t = 50)]
    images: u64,
    #[command(flatten)]
    common: Common,
    /// Where the recordings go; a temporary folder otherwise. One that is there already is used
    /// again instead of recording anew.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Keeps the recordings of a run without failures too.
    #[arg(long)]
    keep: bool,
    /// Opens only this image, of the recordings in `--dir`, and keeps it.
    #[arg(long, requires = "dir", requires = "seed")]
    only: Option<u64>,
}

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.role {
        Some(Role::Child(child)) => child::run(child).map(|()| true),
        None => run(&args.run),
    };
    program::end("powerloss", done)
}

fn run(args: &RunArgs) -> anyhow::Result<bool> {
    let seed = args.common.seed();
    let temporary = tempfile::Builder::new()
        .prefix("stratigraph-powerloss-")
        .tempdir()?;
    let root = args
        .dir
        .clone()
        .unwrap_or_else(|| temporary.path().to_path_buf());
    std::fs::create_dir_all(&root)?;
    let root = root.canonicalize()?;
    let memory = scratch_in_memory()?;
    eprintln!(
        "powerloss: {} images, seed {seed}, in {}",
        args.images,
        root.display()
    );
    let started = Instant::now();
    let mut trial = Trial::new(
        seed,
        args.images,
        root.clone(),
        memory.path().to_path_buf(),
        args.common.plant.clone(),
    )?;
    trial.only = args.only;
    trial.keep = args.keep || args.only.is_some();
    if let Err(error) = trial.run() {
        eprintln!("powerloss: {error:#}");
        trial.counts.broken += 1;
    }
    let counts = trial.counts;
    eprintln!("powerloss: {}", counts.in_words());
    eprintln!("powerloss: {:.1} s", started.elapsed().as_secs_f64());
    let proves = args.only.is_some() || counts.prove_something();
    if counts.has_failures() {
        let bug = args.common.plant_again();
        let call = format!("powerloss --images {} --seed {seed}{bug}", args.images);
        eprintln!(
            "powerloss: the recordings are kept; reproduce with: {call} --dir {} --only IMAGE",
            root.display()
        );
        eprintln!("powerloss: or record anew, which threads may make different, with: {call}");
    }
    if args.dir.is_none() && (counts.has_failures() || args.keep) {
        eprintln!("powerloss: kept in {}", temporary.keep().display());
    }
    println!("{}", counts.last_line());
    Ok(proves && !counts.has_failures())
}

/// A folder for images: they need no disk, and there are many.
///
/// # Errors
/// If no folder can be made.
pub fn scratch_in_memory() -> std::io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("stratigraph-image-");
    builder
        .tempdir_in(Path::new("/dev/shm"))
        .or_else(|_| builder.tempdir())
}
