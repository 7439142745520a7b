//! A server process at a socket, for tests of what is asked over it.

use crate::world::command;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Settings of a server that waits for transactions of slow machines, and of people.
pub(crate) const PATIENT: [&str; 4] = [
    "--max-transaction-idle",
    "10min",
    "--max-transaction-time",
    "1h",
];

/// A server that ends with the test.
pub(crate) struct Served {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub(crate) place: String,
}

/// Starts a server; it and where it listens.
pub(crate) fn serve(arguments: &[&str], stderr: Stdio) -> (Child, String) {
    started(command(&["serve"]).args(arguments), stderr)
}

/// The same under a systemd that listens at this socket.
pub(crate) fn serve_under(systemd: &Path, arguments: &[&str], stderr: Stdio) -> (Child, String) {
    let mut server = command(&["serve"]);
    started(server.env("NOTIFY_SOCKET", systemd).args(arguments), stderr)
}

fn started(server: &mut Command, stderr: Stdio) -> (Child, String) {
    let mut server = server
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    let place = line
        .trim()
        .strip_prefix("serving gRPC on ")
        .unwrap_or_else(|| panic!("{line}"));
    (server, place.to_owned())
}

impl Served {
    /// Serves a folder, anywhere.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_at(folder, "127.0.0.1:0", arguments)
    }

    /// Serves a folder at a place.
    pub(crate) fn start_at(folder: &Path, place: &str, arguments: &[&str]) -> Self {
        let mut all = vec![folder.to_str().unwrap(), "--listen", place];
        all.extend(arguments);
        let (child, place) = serve(&all, Stdio::inherit());
        Self { child, place }
    }

    /// `grpc://127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> String {
        format!("grpc://{}", self.place)
    }

    /// Ends it without a word to anybody, as a loss of power would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it in order.
    pub(crate) fn terminate(mut self) {
        terminate(&self.child);
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn terminate(server: &Child) {
    let told = Command::new("kill")
        .arg(server.id().to_string())
        .status()
        .unwrap();
    assert!(told.success());
}

/// Does to it what Ctrl-C does.
pub(crate) fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let told = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(told.success());
}

/// A place where a server can listen again after it has ended: below the ports that systems give to connections.
pub(crate) fn steady_place() -> String {
    let first = std::process::id() % 10_000;
    let mut ports = (0..10_000).map(|next| 20_000 + (first + next) % 10_000);
    let port = ports.find(|port| TcpListener::bind(("127.0.0.1", *port as u16)).is_ok());
    format!("127.0.0.1:{}", port.expect("a port is free"))
}
