//! `STRATIGRAPH_KERNELS` as a process has it: it is read once, so each case is a process of its own.

use std::process::Command;
use stratigraph_vector::halves::HalfKernels;
use stratigraph_vector::{CodeKernels, KERNELS_VARIABLE, Kernels};

/// Not a test: prints the names of the tables that this process takes.
#[test]
#[ignore = "the processes of the other test run this"]
fn names() {
    println!(
        "taken: {} {} {}",
        Kernels::best().name(),
        CodeKernels::best().name(),
        HalfKernels::best().name()
    );
}

fn taken_with(value: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "names",
        "--exact",
        "--include-ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    match value {
        Some(value) => command.env(KERNELS_VARIABLE, value),
        None => command.env_remove(KERNELS_VARIABLE),
    };
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let (_, names) = output.split_once("taken: ").unwrap();
    names.lines().next().unwrap().to_owned()
}

#[test]
fn the_variable_limits_what_is_taken() {
    let best = [
        Kernels::available().last().unwrap().name(),
        CodeKernels::available().last().unwrap().name(),
        HalfKernels::available().last().unwrap().name(),
    ]
    .join(" ");
    for value in [None, Some(""), Some("avx1024"), Some("avx512")] {
        assert_eq!(taken_with(value), best, "{value:?}");
    }
    assert_eq!(taken_with(Some("scalar")), "scalar scalar scalar");
    if CodeKernels::available().iter().any(|k| k.name() == "avx2") {
        let taken = taken_with(Some("avx2"));
        assert!(taken.ends_with("avx2 avx2"), "{taken}");
        assert!(!taken.contains("avx512"), "{taken}");
    }
}
