//! The process that serves, as `stratigraph serve` does.

use crate::driver::child::plant_by_name;
use anyhow::{Context, Result};
use std::io::{BufRead as _, Read as _, Write as _};
use std::path::PathBuf;
use stratigraph_server::Flags;

/// What a parent tells it.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ChildArgs {
    /// The folder with databases.
    #[arg(long)]
    pub(crate) dir: PathBuf,
    /// The file with its settings.
    #[arg(long)]
    pub(crate) settings: PathBuf,
    /// A bug to plant.
    #[arg(long)]
    pub(crate) plant: Option<String>,
}

/// Serves until stdin ends, which it does when the parent is gone.
pub(crate) fn serve(args: &ChildArgs) -> Result<()> {
    // Nothing that takes memory is done before the parent has set the limit.
    let mut go = String::new();
    std::io::stdin().lock().read_line(&mut go)?;
    plant_by_name(args.plant.as_deref())?;
    let flags = Flags {
        config: Some(args.settings.clone()),
        ..Flags::default()
    };
    let config = flags.resolve()?;
    stratigraph_server::start_log(&config);
    std::thread::spawn(|| {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        std::process::exit(0);
    });
    stratigraph_server::serve(&args.dir, config, |server| {
        let mut stdout = std::io::stdout().lock();
        let metrics = server.metrics_address();
        let told = metrics.map(|metrics| writeln!(stdout, "{} {metrics}", server.address()));
        // The parent is gone if nobody reads it, and then we are about to end as well.
        let _ = told.and_then(Result::ok).map(|()| stdout.flush());
    })
    .context("cannot serve")
}
