//! The index with the kernels of each machine: every one gives the same answers, bit for bit. The kernels are
//! chosen once per process, so each has a process of its own.
//!
//! All tests of this crate run with others by `STRATIGRAPH_KERNELS=scalar cargo test -p stratigraph-vector`,
//! as `cargo xtask test` does; there are `scalar`, `avx2`, `avx512` and `neon`.

mod shared;

use fastrand::Rng;
use shared::{CODINGS, METRICS, Space};
use std::process::Command;
use stratigraph_vector::{CodeKernels, Effort, KERNELS_VARIABLE, Query, Settings};

/// A number that depends on every bit of many answers, for those that call it as a process.
#[test]
fn answers() {
    let mut mixed: u64 = 0;
    let mut mix =
        |bits: u64| mixed = (mixed.rotate_left(5) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut random = Rng::with_seed(1);
    let (mut right, mut all) = (0, 0);
    for metric in METRICS {
        for coding in CODINGS {
            let space = Space::new(&mut random, 43);
            let settings = Settings::new(43, metric)
                .coding(coding)
                .links(8)
                .breadth(40);
            let index = settings.memory_limit(16 << 20).build().unwrap();
            for id in 0..2500 {
                index.insert(id, id, &space.vector(&mut random)).unwrap();
            }
            for id in 0..500 {
                index.remove(2500, id * 3).unwrap();
            }
            index.tend(2500);
            for query in space.vectors(&mut random, 30) {
                let search = |effort| {
                    index
                        .search(&Query::new(&query, 10).effort(effort))
                        .unwrap()
                };
                let truth = search(Effort::Exact);
                let proven = search(Effort::Proven);
                assert_eq!(proven.hits, truth.hits, "{metric:?} {coding:?}");
                mix(proven.compared);
                for answer in [
                    search(Effort::Breadth(24)),
                    search(Effort::Scan),
                    truth.clone(),
                ] {
                    for hit in &answer.hits {
                        mix(hit.id);
                        mix(u64::from(hit.score.to_bits()));
                        right += usize::from(truth.hits.contains(hit));
                    }
                    all += answer.hits.len();
                    mix(answer.compared);
                    mix(answer.steps);
                }
            }
        }
    }
    assert!(right * 100 > all * 97, "{right} of {all}");
    println!("answers: {} {mixed:x}", CodeKernels::best().name());
}

#[test]
fn each_machine_gives_the_same_answers() {
    let answers = |kernels: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["answers", "--exact", "--nocapture", "--test-threads=1"]);
        let output = command.env(KERNELS_VARIABLE, kernels).output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        let (_, answers) = output
            .split_once("answers: ")
            .unwrap_or_else(|| panic!("{output}"));
        let answers = answers.lines().next().unwrap();
        let (name, mixed) = answers.split_once(' ').unwrap();
        (name.to_owned(), mixed.to_owned())
    };
    let wanted = answers("scalar");
    assert_eq!(wanted.0, "scalar");
    for kernels in CodeKernels::available() {
        let (name, mixed) = answers(kernels.name());
        assert_eq!((name.as_str(), &mixed), (kernels.name(), &wanted.1));
    }
}
