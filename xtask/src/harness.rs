//! Programs that are run in release mode with the caller's own arguments: the benchmarks and the
//! crash, power-loss, damage, law, overload and soak harnesses.
//!
//! Nothing here reads their arguments, so that each program documents and checks its own.

use crate::cargo::Cargo;
use crate::places::Places;
use crate::verbs::{self, Failure};
use std::path::Path;

/// `cargo xtask bench NAME`
pub(crate) fn bench(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    let names = programs(&places.checkout.join("benches/src/bin"))?;
    let Some((name, rest)) = arguments.split_first() else {
        println!("benchmarks:");
        names.iter().for_each(|name| println!("  {name}"));
        return Ok(());
    };
    known("benchmark", name, &names)?;
    release(
        &Cargo::linking(places)?,
        "stratigraph-bench",
        name,
        &words(rest),
    )?;
    Ok(())
}

/// `cargo xtask crash`
pub(crate) fn crash(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    Ok(run(&Cargo::linking(places)?, "crash", &words(arguments))?)
}

/// `cargo xtask powerloss`
pub(crate) fn powerloss(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    Ok(run(
        &Cargo::linking(places)?,
        "powerloss",
        &words(arguments),
    )?)
}

/// `cargo xtask damage`
pub(crate) fn damage(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    Ok(run(&Cargo::linking(places)?, "damage", &words(arguments))?)
}

/// `cargo xtask law`
pub(crate) fn law(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    Ok(run(&Cargo::linking(places)?, "law", &words(arguments))?)
}

/// `cargo xtask overload`
pub(crate) fn overload(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    Ok(run(
        &Cargo::linking(places)?,
        "overload",
        &words(arguments),
    )?)
}

/// `cargo xtask soak`
pub(crate) fn soak(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    let arguments = [&["soak"], words(arguments).as_slice()].concat();
    Ok(run(&Cargo::linking(places)?, "overload", &arguments)?)
}

/// Runs one harness.
pub(crate) fn run(cargo: &Cargo<'_>, name: &str, arguments: &[&str]) -> Result<(), String> {
    release(cargo, "stratigraph-tests", name, arguments)
}

/// Refuses a name that is not there, with the nearest one that is.
pub(crate) fn known(kind: &str, name: &str, names: &[String]) -> Result<(), Failure> {
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let hint = match verbs::did_you_mean(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names.join(" ")),
    };
    Err(Failure::Usage(format!(
        "there is no {kind} `{name}`; {hint}"
    )))
}

/// The programs in a folder: `NAME.rs`, or `NAME/main.rs` for a larger one.
pub(crate) fn programs(folder: &Path) -> Result<Vec<String>, String> {
    let entries = folder
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension().is_some_and(|end| end == "rs") || path.join("main.rs").exists()
        })
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

fn release(cargo: &Cargo<'_>, package: &str, name: &str, arguments: &[&str]) -> Result<(), String> {
    let mut command = vec![
        "run",
        "--release",
        "--package",
        package,
        "--bin",
        name,
        "--",
    ];
    command.extend(arguments);
    cargo.run(&command)
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_a_usage_error_with_a_hint() {
        let names = ["storage".to_owned()];
        assert!(known("benchmark", "storage", &names).is_ok());
        let Err(Failure::Usage(message)) = known("benchmark", "storgae", &names) else {
            panic!()
        };
        assert_eq!(
            message,
            "there is no benchmark `storgae`; did you mean `storage`?"
        );
        let Err(Failure::Usage(message)) = known("benchmark", "x", &names) else {
            panic!()
        };
        assert_eq!(message, "there is no benchmark `x`; there are: storage");
    }

    #[test]
    fn programs_are_read_from_the_folder() {
        // At run time: checkouts share their build output, and the path of another may be built in.
        let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let names = programs(&Path::new(&here).join("src")).unwrap();
        assert!(names.contains(&"harness".to_owned()) && names.is_sorted());
    }
}
