//! `overload`: asks a server for more than it has; see [`stratigraph_tests::overload`].

use std::process::ExitCode;

fn main() -> ExitCode {
    stratigraph_tests::overload::main()
}
