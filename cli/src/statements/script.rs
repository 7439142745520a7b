//! A text of several statements, one after the other, and where it comes from.
//!
//! The first that fails ends it. What came before stays done: each statement is a transaction of its own.
//!
//! Next: `parameters.rs`.

use super::{Layout, Printer, Session, Shown};
use crate::failure::Failure;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_query_lang::split;

/// Runs the statements of `text`, prints their rows, and gives what was shown of each to `after`, with what is to be said
/// beside it. The text is part of another if `first_line` says where.
///
/// # Errors
/// That of the statement that failed, with its line if it is one of several.
pub(crate) fn run_script(
    session: &mut Session,
    text: &str,
    first_line: Option<usize>,
    printer: &mut Printer,
    layout: Layout,
    cancel: &CancelToken,
    mut after: impl FnMut(&Shown, &[String]),
) -> Result<(), Failure> {
    let several = first_line.is_some() || split(text).nth(1).is_some();
    let (mut line, mut counted) = (first_line.unwrap_or(1), 0);
    for (statement, span) in split(text) {
        let start = span.start as usize;
        line += text
            .get(counted..start)
            .map_or(0, |between| between.matches('\n').count());
        counted = start;
        cancel.check()?;
        // Each on its own, so that what is told after it comes after a pager too.
        let ran = printer
            .whole(|printer| session.run(statement, cancel, |answer| printer.rows(answer, layout)));
        match ran {
            Ok(shown) => after(&shown, &session.notes(statement)),
            Err(failure) if several => return Err(failure.at_line(line)),
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

/// What a file holds, or standard input if there is none.
///
/// # Errors
/// It cannot be read, or is no text.
pub(crate) fn read_input(file: Option<&Path>) -> Result<String, Failure> {
    let read = match file {
        Some(path) => fs::read(path),
        None => {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        }
    };
    let name = || {
        file.map_or_else(
            || "standard input".to_owned(),
            |path| path.display().to_string(),
        )
    };
    let bytes = read.map_err(|source| Failure::Input {
        name: name(),
        source,
    })?;
    String::from_utf8(bytes).map_err(|_| Failure::NotText { name: name() })
}
