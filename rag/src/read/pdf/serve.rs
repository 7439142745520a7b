//! The child: it bounds itself, parses the PDF from its standard input, and answers on standard output.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use super::message::{Request, encode};
use super::{Refused, parse};

/// What a program does that was started to parse a PDF: bounds itself, parses what is on standard input, and
/// answers on standard output. Nobody but [`PdfParsing::in_child`](super::PdfParsing::in_child) can talk to it.
#[must_use]
pub fn serve_pdf_child() -> ExitCode {
    let mut input = io::stdin().lock();
    let Some(request) = Request::read(&mut input) else {
        eprintln!("this is started by stratigraph itself, to parse a PDF");
        return ExitCode::from(2);
    };
    if let Err(error) = bound(&request) {
        eprintln!("the limits cannot be set: {error}");
        return ExitCode::from(2);
    }
    let mut pdf = Vec::new();
    let length = usize::try_from(request.pdf_bytes).unwrap_or(usize::MAX);
    if pdf.try_reserve_exact(length).is_err() {
        // As the standard library says it.
        eprintln!("memory allocation of {length} bytes failed");
        return ExitCode::from(2);
    }
    let read = input.take(request.pdf_bytes).read_to_end(&mut pdf);
    if read.is_err() || pdf.len() as u64 != request.pdf_bytes {
        eprintln!("the PDF did not come whole");
        return ExitCode::from(2);
    }
    // Whoever waits takes the last of these lines for the page that we died at.
    let reply = parse::apart(&pdf, |page| eprintln!("page {page}"));
    let bytes = encode(&reply, request.reply_bytes).or_else(|| {
        let refused = Refused::too_much("what there is to say of it");
        encode(&Err(refused), request.reply_bytes)
    });
    let mut output = io::stdout().lock();
    let written = output
        .write_all(&bytes.unwrap_or_default())
        .and_then(|()| output.flush());
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Sets the limits of this process. It writes no file and leaves no core behind either.
#[cfg(unix)]
fn bound(request: &Request) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let set = |resource: Resource, current: u64, most: u64| {
        // Nobody may raise what was lowered from outside.
        let hard = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let limit = Rlimit {
            current: Some(current.min(hard)),
            maximum: Some(most.min(hard)),
        };
        setrlimit(resource, limit).map_err(io::Error::from)
    };
    set(Resource::Core, 0, 0)?;
    set(Resource::Fsize, 0, 0)?;
    let seconds = request.cpu_seconds;
    set(Resource::Cpu, seconds, seconds.saturating_add(1))?;
    // The address space of a process cannot be bounded on a Mac.
    if cfg!(target_os = "linux") {
        set(Resource::As, request.memory_bytes, request.memory_bytes)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn bound(_: &Request) -> io::Result<()> {
    Ok(())
}
