//! System packages: what the build needs from Debian, and installing exactly what is missing.
//!
//! It looks before it installs, so that a machine that has everything needs neither root nor a
//! network. It must never remove or upgrade a package.

use crate::shell;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One thing the build needs that Rust does not bring.
struct Need {
    what: &'static str,
    /// The smallest set, by the names of Debian 12.
    packages: &'static [&'static str],
    /// What any other Debian or Ubuntu calls it.
    elsewhere: &'static [&'static str],
    present: fn() -> bool,
}

/// RocksDB is C++; its Rust bindings are made by libclang, which needs its own headers too.
const NEEDS: &[Need] = &[
    Need {
        what: "a C++ compiler",
        packages: &["g++"],
        elsewhere: &["g++"],
        present: || shell::succeeds("c++", &["--version"]),
    },
    Need {
        what: "libclang with its headers (for RocksDB's bindings)",
        packages: &["libclang1-14", "libclang-common-14-dev"],
        elsewhere: &["libclang-dev"],
        present: libclang_is_present,
    },
];

/// Installs what is missing: as root, or through sudo; else says the one line to run and stops.
pub(crate) fn ensure() -> Result<(), String> {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !(need.present)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for need in &missing {
        shell::say(&format!("missing: {}", need.what));
    }
    let by_name: Vec<&str> = missing
        .iter()
        .flat_map(|need| need.packages)
        .copied()
        .collect();
    if !shell::succeeds("apt-get", &["--version"]) {
        return Err(format!(
            "this system has no apt-get; install what Debian calls {} and run again",
            by_name.join(" ")
        ));
    }
    let Some(prefix) = becoming_root()? else {
        return Err(format!(
            "run this line once, then the same command again:\n\n    {}\n",
            by_hand(&by_name)
        ));
    };
    shell::say("installing system packages (under a minute)");
    apt(prefix, &["update", "-qq"])?;
    let mut install = vec!["install", "-y", "-qq", "--no-install-recommends"];
    for need in &missing {
        let known = need
            .packages
            .iter()
            .all(|name| shell::succeeds("apt-cache", &["show", name]));
        install.extend(if known { need.packages } else { need.elsewhere });
    }
    apt(prefix, &install)?;
    match missing.iter().find(|need| !(need.present)()) {
        None => Ok(()),
        Some(need) => Err(format!(
            "{} is still not found after `apt-get {}`",
            need.what,
            install.join(" ")
        )),
    }
}

/// The words to put before a command so that root runs it, or nothing when there is no way.
fn becoming_root() -> Result<Option<&'static [&'static str]>, String> {
    if shell::output("id", &["-u"])? == "0" {
        return Ok(Some(&[]));
    }
    if shell::succeeds("sudo", &["-n", "true"]) {
        return Ok(Some(&["sudo", "-n"]));
    }
    // Somebody is there to type a password; an unattended run must stop and say so instead.
    let attended = std::io::stdin().is_terminal() && shell::succeeds("sudo", &["--version"]);
    Ok(if attended { Some(&["sudo"]) } else { None })
}

/// One line to paste. A fresh image has empty package lists, hence the update; Debian without sudo
/// has `su`.
fn by_hand(packages: &[&str]) -> String {
    let work = format!(
        "apt-get update && apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    );
    let root = if shell::succeeds("sudo", &["--version"]) {
        "sudo sh -c"
    } else {
        "su -c"
    };
    format!("{root} '{work}'")
}

fn apt(prefix: &[&str], arguments: &[&str]) -> Result<(), String> {
    // A fresh machine often runs its own updates just then: wait for the lock instead of failing.
    let apt = [
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-o",
        "DPkg::Lock::Timeout=300",
    ];
    let words: Vec<&str> = prefix.iter().chain(&apt).copied().collect();
    shell::run(Command::new(words[0]).args(&words[1..]).args(arguments))
}

/// The library alone is not enough: without clang's own `stdbool.h` the bindings fail to build.
fn libclang_is_present() -> bool {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    // Debian keeps each version in a folder of its own, and only a matching pair works.
    let versions = entries(Path::new("/usr/lib"))
        .filter(|(name, _)| name.starts_with("llvm-"))
        .map(|(_, folder)| folder.join("lib"));
    let elsewhere = ["/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from);
    versions
        .chain(elsewhere)
        .any(|folder| has_libclang(&folder) && has_headers(&folder))
}

fn has_libclang(folder: &Path) -> bool {
    entries(folder).any(|(name, _)| is_libclang(&name))
}

/// `libclang.so`, `libclang.so.1`, `libclang-14.so.14.0.6`; but `libclang-cpp.so.14` is another library.
fn is_libclang(name: &str) -> bool {
    name == "libclang.so"
        || name.starts_with("libclang.so.")
        || name.strip_prefix("libclang-").is_some_and(|rest| {
            rest.starts_with(|first: char| first.is_ascii_digit()) && rest.contains(".so")
        })
}

fn has_headers(folder: &Path) -> bool {
    entries(&folder.join("clang")).any(|(_, version)| version.join("include/stdbool.h").exists())
}

/// A folder that cannot be read has no entries.
fn entries(folder: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    entries.map(|entry| {
        (
            entry.file_name().to_string_lossy().into_owned(),
            entry.path(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpp_library_is_not_mistaken_for_libclang() {
        for name in [
            "libclang.so",
            "libclang.so.1",
            "libclang-14.so.1",
            "libclang-14.so.14.0.6",
        ] {
            assert!(is_libclang(name), "{name}");
        }
        for name in [
            "libclang-cpp.so.14",
            "libclang-cpp.so",
            "libclang.a",
            "libclangAST.a",
            "libclang-14.a",
        ] {
            assert!(!is_libclang(name), "{name}");
        }
    }

    #[test]
    fn the_line_to_run_by_hand_refreshes_the_lists_first() {
        let line = by_hand(&["g++"]);
        assert!(
            line.ends_with("'apt-get update && apt-get install -y --no-install-recommends g++'"),
            "{line}"
        );
    }
}
