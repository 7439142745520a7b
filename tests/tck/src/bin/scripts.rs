//! Runs the scripts and the examples of the documentation in every variant.
//!
//! The last line is `scripts cases=p/n`. Exit code 0 if all passed, 1 if not. With `--accept` it writes
//! what came in the place of what was stated, after which somebody has to read the difference. It must
//! never accept what only one variant gives: the variant that answers is the default, the others must agree.

use anyhow::{Context, Result, bail};
use clap::Parser;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use stratigraph_tck::bound::Bound;
use stratigraph_tck::engine::Variant;
use stratigraph_tck::pool::{self, Ended};
use stratigraph_tck::script::attempt::{Came, Difference, attempt};
use stratigraph_tck::script::{Case, document, rewrite, text};

/// Scripts against the engine.
#[derive(Parser)]
#[command(name = "scripts")]
struct Arguments {
    /// Run only cases whose file or name contains this.
    filter: Option<String>,
    /// Write what came in the place of what was stated.
    #[arg(long)]
    accept: bool,
    /// Run this variant only.
    #[arg(long, value_enum)]
    variant: Option<Variant>,
    /// The folder of the scripts.
    #[arg(long, value_name = "DIR", default_value = "tests/scripts")]
    folder: PathBuf,
    /// Documents whose examples are run.
    #[arg(long, value_name = "FILE", default_values = ["docs/language.md", "docs/traverse.md"])]
    document: Vec<PathBuf>,
    /// How many seconds a case may take.
    #[arg(long, value_name = "N", default_value_t = 60)]
    limit: u64,
}

/// A case and the file it is from.
struct Found {
    file: PathBuf,
    case: Case,
}

fn main() -> ExitCode {
    match work(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("scripts: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn work(arguments: &Arguments) -> Result<ExitCode> {
    let mut found = Vec::new();
    for file in files(arguments)? {
        let cases = cases(&file).with_context(|| format!("{}", file.display()))?;
        found.extend(cases.into_iter().map(|case| Found {
            file: file.clone(),
            case,
        }));
    }
    if let Some(word) = &arguments.filter {
        found.retain(|one| {
            one.case.name.contains(word.as_str())
                || one.file.to_string_lossy().contains(word.as_str())
        });
    }
    let found = Arc::new(found);
    if arguments.accept {
        let differences = run(arguments, &found, Variant::Default)?;
        accept(&found, &differences)?;
        return Ok(ExitCode::SUCCESS);
    }
    let variants = arguments
        .variant
        .map_or(Variant::ALL.to_vec(), |one| vec![one]);
    let mut failed = BTreeSet::new();
    for variant in variants {
        for (index, differences) in run(arguments, &found, variant)?.iter().enumerate() {
            // What failed in one variant already is not told again for the others.
            if !differences.is_empty() && failed.insert(index) {
                tell(&found[index], variant, differences);
            }
        }
    }
    let all = found.len();
    println!("scripts cases={}/{all}", all - failed.len());
    Ok(ExitCode::from(u8::from(!failed.is_empty())))
}

fn files(arguments: &Arguments) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let folder = &arguments.folder;
    for entry in folder
        .read_dir()
        .with_context(|| format!("{}", folder.display()))?
    {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "test") {
            files.push(path);
        }
    }
    files.sort();
    files.extend(
        arguments
            .document
            .iter()
            .filter(|file| file.is_file())
            .cloned(),
    );
    if files.is_empty() {
        bail!("there is no script in {}", folder.display());
    }
    Ok(files)
}

fn cases(file: &Path) -> Result<Vec<Case>> {
    let content = fs::read_to_string(file)?;
    if file.extension().is_some_and(|end| end == "md") {
        document::read(&content)
    } else {
        text::read(&content)
    }
}

/// What differs in each case.
fn run(
    arguments: &Arguments,
    found: &Arc<Vec<Found>>,
    variant: Variant,
) -> Result<Vec<Vec<Difference>>> {
    let shared = Arc::clone(found);
    let limit = Duration::from_secs(arguments.limit);
    let ended = pool::map(found.len(), limit, move |index| {
        attempt(&shared[index].case, &Bound, variant)
    })?;
    let lines = found.iter().map(|one| one.case.line);
    Ok(ended
        .into_iter()
        .zip(lines)
        .map(|(ended, line)| {
            let words = match ended {
                Ended::Returned(differences) => return differences,
                Ended::Panicked(words) => format!("a panic: {words}"),
                Ended::Hung => "no end within the limit".to_owned(),
            };
            vec![Difference {
                line,
                words,
                came: None,
            }]
        })
        .collect())
}

fn tell(found: &Found, variant: Variant, differences: &[Difference]) {
    for difference in differences {
        println!(
            "{}:{}: {} ({})\n    {}",
            found.file.display(),
            difference.line,
            found.case.name,
            variant.name(),
            difference.words.replace('\n', "\n    ")
        );
    }
}

fn accept(found: &[Found], differences: &[Vec<Difference>]) -> Result<()> {
    let files: BTreeSet<&PathBuf> = found.iter().map(|one| &one.file).collect();
    for file in files {
        let own = || {
            found
                .iter()
                .zip(differences)
                .filter(|(one, _)| one.file == *file)
        };
        let all: Vec<&Difference> = own().flat_map(|(_, all)| all).collect();
        let came: Vec<Box<Came>> = all.iter().filter_map(|one| one.came.clone()).collect();
        for (one, differences) in own() {
            // What cannot be accepted is told.
            let left: Vec<Difference> = differences
                .iter()
                .filter(|difference| difference.came.is_none())
                .cloned()
                .collect();
            tell(one, Variant::Default, &left);
        }
        if !came.is_empty() {
            let content = fs::read_to_string(file)?;
            fs::write(file, rewrite::rewrite(&content, &came))?;
            println!("{}: {} expectations written", file.display(), came.len());
        }
    }
    Ok(())
}
