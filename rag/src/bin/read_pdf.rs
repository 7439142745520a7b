//! Parses one PDF from standard input, with limits, for whoever started it.
//!
//! Next: `read/pdf/child.rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    stratigraph_rag::read::serve_pdf_child()
}
