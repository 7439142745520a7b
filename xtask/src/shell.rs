//! Running other programs: every command is announced, and a failure names the command.
//!
//! Nothing here goes through a shell, so no argument is ever split or expanded.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Prints one line of what is about to happen.
pub(crate) fn say(text: &str) {
    eprintln!("==> {text}");
}

/// Runs a command with our own terminal; an exit code other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let line = describe(command);
    say(&line);
    let started = Instant::now();
    let status = command
        .status()
        .map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if status.success() {
        eprintln!("    done in {:.1} s", started.elapsed().as_secs_f64());
        Ok(())
    } else {
        Err(format!("`{line}` failed with {status}"))
    }
}

/// Like [`run`], for programs that may wait for a network that is not there: they are ended after
/// the limit.
pub(crate) fn run_within(command: &mut Command, limit: Duration) -> Result<(), String> {
    let line = describe(command);
    say(&format!("{line} (at most {} s)", limit.as_secs()));
    let started = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot start `{line}`: {error}"))?;
    loop {
        match child
            .try_wait()
            .map_err(|error| format!("cannot wait for `{line}`: {error}"))?
        {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("`{line}` failed with {status}")),
            None if started.elapsed() < limit => thread::sleep(Duration::from_millis(100)),
            None => {
                // It may have ended by itself just now; either way there is no child after this.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`{line}` took longer than {} s", limit.as_secs()));
            }
        }
    }
}

/// Runs a command quietly and returns whether it exited with 0; a missing program counts as no.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The standard output of a command that must succeed, without its last newline.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start `{program}`: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "`{program} {}` failed with {}",
            arguments.join(" "),
            output.status
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned())
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command() {
        let message = run(&mut Command::new("false")).unwrap_err();
        assert!(message.starts_with("`false` failed with"), "{message}");
        let message = run(&mut Command::new("no-such-program")).unwrap_err();
        assert!(
            message.starts_with("cannot start `no-such-program`"),
            "{message}"
        );
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let started = Instant::now();
        let message =
            run_within(Command::new("sleep").arg("60"), Duration::from_millis(200)).unwrap_err();
        assert!(message.contains("took longer"), "{message}");
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
