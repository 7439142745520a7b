//! Whoever wants a PDF parsed: it starts the child, and believes nothing of what comes back.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;

use super::message::{Request, decode};
use super::{Parsed, PdfLimits, Refused};

/// So much of what the child complains of is kept: its last words.
const LAST_WORDS: usize = 4096;

/// Has a PDF parsed.
pub(super) fn parse(
    program: &Path,
    arguments: &[OsString],
    pdf: &[u8],
    limits: &PdfLimits,
) -> Result<Parsed, Refused> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        // What is secret here (keys of models) is no business of a parser.
        .env_clear()
        .envs(std::env::var_os("LD_LIBRARY_PATH").map(|path| ("LD_LIBRARY_PATH", path)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| {
        Refused::new(
            format!("the parser {} does not start: {error}", program.display()),
            "name a program that parses PDFs, such as `stratigraph-read-pdf`",
        )
    })?;
    let end = wait(child, pdf, limits).map_err(|error| {
        Refused::new(
            format!("the parser cannot be talked to: {error}"),
            "try again when the machine has room",
        )
    })?;
    if let Some(reply) = end.reply.as_deref().and_then(decode) {
        return reply;
    }
    let refused = end.why(limits);
    Err(match end.page() {
        Some(page) => refused.on(page),
        None => refused,
    })
}

/// How a child ended.
struct End {
    /// What it answered; nothing if it took too long.
    reply: Option<Vec<u8>>,
    status: ExitStatus,
    last_words: String,
}

fn wait(mut child: Child, pdf: &[u8], limits: &PdfLimits) -> io::Result<End> {
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ended = thread::scope(|scope| {
        scope.spawn(move || {
            // A child that has died does not read on, which is told by its end.
            let request = Request::new(limits, pdf);
            input.map(|mut input| request.write(pdf, &mut input))
        });
        let last_words = scope.spawn(move || errors.map(keep_last).unwrap_or_default());
        let (send, receive) = mpsc::channel();
        scope.spawn(move || {
            let mut reply = Vec::new();
            if let Some(output) = output {
                // One byte more than there may be: it is none then.
                let _ = output.take(limits.reply_bytes + 1).read_to_end(&mut reply);
            }
            // Nobody waits any more if it took too long.
            let _ = send.send(reply);
        });
        let reply = receive.recv_timeout(limits.time).ok();
        // It has answered or never will. That it is gone already is no error.
        let _ = child.kill();
        let status = child.wait()?;
        let last_words = last_words.join().unwrap_or_default();
        Ok::<_, io::Error>((reply, status, last_words))
    });
    let (reply, status, last_words) = ended?;
    Ok(End {
        reply,
        status,
        last_words,
    })
}

/// The end of what is written.
fn keep_last(mut errors: impl Read) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut chunk = [0; 1024];
    while let Ok(read @ 1..) = errors.read(&mut chunk) {
        kept.extend(&chunk[..read]);
        let extra = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..extra);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

impl End {
    /// The page that it was at.
    fn page(&self) -> Option<usize> {
        let mut lines = self.last_words.lines().rev();
        lines.find_map(|line| line.strip_prefix("page ")?.parse().ok())
    }

    /// Why there is no answer.
    fn why(&self, limits: &PdfLimits) -> Refused {
        let raise = "raise the limit if you trust the file, or print it to a new PDF";
        let Some(reply) = &self.reply else {
            let seconds = limits.time.as_secs_f64();
            return Refused::new(format!("it took longer than {seconds} s"), raise);
        };
        if reply.len() as u64 > limits.reply_bytes {
            return Refused::too_much("what there is to say of it");
        }
        if self.last_words.contains("memory allocation of") {
            let mib = limits.memory_bytes >> 20;
            return Refused::new(format!("it needs more than {mib} MiB of memory"), raise);
        }
        if self.last_words.contains("overflowed its stack") {
            return Refused::broken("its objects lie too deep within each other");
        }
        if out_of_time(self.status) {
            let seconds = limits.cpu_seconds;
            let reason = format!("it took more than {seconds} s of the processor");
            return Refused::new(reason, raise);
        }
        let words = self.last_words.lines().rev();
        let last = words
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with("page "));
        let last = last.map(|line| format!(": {}", stratigraph_tables::excerpt(line)));
        let reason = format!(
            "the parser ended without an answer ({}){}",
            self.status,
            last.unwrap_or_default()
        );
        Refused::broken(&reason)
    }
}

#[cfg(unix)]
fn out_of_time(status: ExitStatus) -> bool {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn out_of_time(_: ExitStatus) -> bool {
    false
}
