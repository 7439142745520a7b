//! `crash`: kills a writing process again and again; see [`stratigraph_tests::crash`].

use std::process::ExitCode;

fn main() -> ExitCode {
    stratigraph_tests::crash::main()
}
