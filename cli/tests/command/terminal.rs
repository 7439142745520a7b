//! A terminal that a test sits at: a pseudo-terminal, and the command at its other end.

use crate::screen::Screen;
use crate::world::command;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with the command in it.
pub(crate) struct Terminal {
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// What came and was not looked at yet.
    seen: Vec<u8>,
    child: Child,
}

impl Terminal {
    /// Starts the command with a terminal of so many columns and no colours. It finds the user's state in `state`.
    pub(crate) fn start(arguments: &[&str], state: &Path, columns: u16) -> Self {
        Self::start_with(arguments, state, columns, &[("NO_COLOR", "1")])
    }

    /// The same with these variables instead.
    pub(crate) fn start_with(
        arguments: &[&str],
        state: &Path,
        columns: u16,
        variables: &[(&str, &str)],
    ) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect(
            "this test needs a pseudo-terminal, and the system (/dev/ptmx) has none to give",
        );
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let theirs = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let size = Winsize {
            ws_row: 40,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&theirs, size).unwrap();
        let binary = command::<&str>(&[]);
        // It makes the terminal the one that sends Ctrl-C to the command.
        let mut setsid = Command::new("setsid");
        setsid
            .arg("--ctty")
            .arg(binary.get_program())
            .args(arguments)
            .env_remove("RUST_LOG")
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", state)
            .env_remove("NO_COLOR")
            .env_remove("PAGER")
            .env_remove("STRATIGRAPH_PAGER")
            .envs(variables.iter().copied())
            .stdin(theirs.try_clone().unwrap())
            .stdout(theirs.try_clone().unwrap())
            .stderr(theirs);
        let child = setsid
            .spawn()
            .expect("this test needs setsid, of util-linux");
        drop(setsid);
        let keyboard = File::from(keyboard);
        let mut ours = keyboard.try_clone().unwrap();
        let (send, screen) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails when the other end is closed.
            while let Ok(read) = ours.read(&mut bytes) {
                if read == 0 || send.send(bytes[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            keyboard,
            screen,
            seen: Vec::new(),
            child,
        }
    }

    /// Types.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `text` is on the screen, and gives what came before it. What was looked at is gone.
    #[track_caller]
    pub(crate) fn waits_for(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let seen = String::from_utf8_lossy(&self.seen).into_owned();
            if let Some(at) = seen.find(text) {
                let rest = seen.as_bytes()[at + text.len()..].to_vec();
                self.seen = rest;
                return seen[..at].to_owned();
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen.extend(bytes),
                Err(_) => panic!("no {text:?} on the screen:\n{seen}"),
            }
        }
    }

    /// Shows what comes next on a screen.
    #[track_caller]
    pub(crate) fn sees(&mut self, screen: &mut Screen) {
        match self.screen.recv_timeout(PATIENCE) {
            Ok(bytes) => screen.show(&bytes),
            Err(_) => panic!("nothing more comes:\n{}", screen.text()),
        }
    }

    /// Shows what comes until nothing has come for a while.
    pub(crate) fn rests(&mut self, screen: &mut Screen) {
        while let Ok(bytes) = self.screen.recv_timeout(Duration::from_secs(1)) {
            screen.show(&bytes);
        }
    }

    /// Waits until the command has ended.
    #[track_caller]
    pub(crate) fn ends(mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(20));
        }
        self.child.kill().unwrap();
        panic!("the command has not ended");
    }
}
