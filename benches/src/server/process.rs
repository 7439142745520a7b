//! The two servers, a process each, alike in all but what they serve.

use super::bare::Bare;
use super::content::Recorded;
use anyhow::{Context, Result, bail};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use stratigraph_server::Flags;

/// A server that runs in a process of its own, and ends with us.
pub(super) struct Child {
    pub(super) address: String,
    process: std::process::Child,
    /// Its end is what tells the child to end.
    _stdin: Option<ChildStdin>,
}

/// Ours and the bare one.
pub(super) struct Both {
    pub(super) ours: Child,
    pub(super) bare: Child,
}

impl Child {
    /// Ours.
    pub(super) fn serving(dir: &Path) -> Result<Self> {
        Self::start("--serve", dir)
    }

    /// The bare one.
    pub(super) fn bare(recorded: &Path) -> Result<Self> {
        Self::start("--serve-bare", recorded)
    }

    /// How long its threads have had a processor so far: what other work on the machine hardly changes.
    pub(super) fn processor_us(&self) -> Result<f64> {
        let mut sum = 0.0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.process.id()))? {
            // A thread may have ended meanwhile.
            let told = std::fs::read_to_string(thread?.path().join("schedstat"));
            let nanoseconds = told.ok().and_then(|told| {
                let first = told.split(' ').next()?;
                first.parse::<f64>().ok()
            });
            sum += nanoseconds.unwrap_or_default() / 1000.0;
        }
        Ok(sum)
    }

    fn start(what: &str, path: &Path) -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(what)
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let _stdin = process.stdin.take();
        let stdout = process.stdout.take().context("no stdout")?;
        let mut address = String::new();
        BufReader::new(stdout).read_line(&mut address)?;
        if address.trim().is_empty() {
            bail!("a server has not started");
        }
        Ok(Self {
            address: address.trim().to_owned(),
            process,
            _stdin,
        })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self._stdin.take();
        // It ends by itself; this is for one that hangs.
        let _ = self.process.wait();
    }
}

/// Ends this process when whoever has started it is gone.
fn end_with_the_parent() {
    std::thread::spawn(|| {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        std::process::exit(0);
    });
}

fn tell(address: impl std::fmt::Display) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{address}").and_then(|()| stdout.flush());
}

/// Serves a database as `stratigraph serve` does, with the log that it has.
pub(super) fn serve(dir: &Path) -> Result<()> {
    end_with_the_parent();
    let mut config = Flags::default().resolve()?;
    config.listen = ([127, 0, 0, 1], 0).into();
    config.log_level = "stratigraph_server=info,warn".to_owned();
    stratigraph_server::start_log(&config);
    stratigraph_server::serve(dir, config, |server| tell(server.address()))?;
    Ok(())
}

/// Serves what was recorded.
pub(super) fn serve_bare(file: &Path) -> Result<()> {
    end_with_the_parent();
    let bare = Bare::new(Recorded::read(file)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let incoming = tonic::transport::server::TcpIncoming::bind(([127, 0, 0, 1], 0).into())
            .map_err(|error| anyhow::anyhow!("{error}"))?
            .with_nodelay(Some(true));
        tell(incoming.local_addr()?);
        let served = tonic::transport::Server::builder()
            .add_service(bare)
            .serve_with_incoming(incoming);
        tokio::spawn(served).await??;
        Ok(())
    })
}
