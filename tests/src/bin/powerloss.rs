//! `powerloss`: opens the disks that a loss of power may leave; see [`stratigraph_tests::powerloss`].

use std::process::ExitCode;

fn main() -> ExitCode {
    stratigraph_tests::powerloss::main()
}
