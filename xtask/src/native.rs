//! librocksdb, built once per (version, features, flags, compiler) and linked by every profile.
//!
//! `librocksdb-sys` would compile 343 C++ files again for each profile and checkout. Here a
//! throw-away package builds it in release mode into the cache, and `ROCKSDB_LIB_DIR` points every
//! later build at the result. The version comes from `Cargo.lock`, since the headers come from there.
//! A finished library is never changed in place: another recipe gets another folder.

use crate::files;
use crate::places::Places;
use crate::shell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The features of the workspace's `rocksdb` that change the C++ build.
const FEATURES: &str = "\"bindgen-runtime\", \"lz4\", \"zstd\"";

/// Hardware CRC32C: without these two, RocksDB checks every WAL record in software. Both have been
/// in every x86-64 processor since 2010, long before AVX.
#[cfg(target_arch = "x86_64")]
const RUSTFLAGS: &str = "-Ctarget-feature=+sse4.2,+pclmulqdq";
#[cfg(not(target_arch = "x86_64"))]
const RUSTFLAGS: &str = "";

/// The folder that holds `librocksdb.a`, built first if this machine does not have it.
pub(crate) fn ensure(places: &Places) -> Result<PathBuf, String> {
    let recipe = Recipe::of(places)?;
    let lib = recipe.home.join("lib");
    if !lib.join("librocksdb.a").exists() {
        build(places, &recipe)?;
    }
    link_checkout(&places.checkout, &recipe.home)?;
    Ok(lib)
}

/// The folder that would hold the library, whether or not it has been built.
pub(crate) fn lib_dir(places: &Places) -> Result<PathBuf, String> {
    Ok(Recipe::of(places)?.home.join("lib"))
}

/// Everything that decides which library is built, and the folder named after it.
struct Recipe {
    version: String,
    text: String,
    home: PathBuf,
}

impl Recipe {
    fn of(places: &Places) -> Result<Self, String> {
        let version = locked_version(&places.checkout)?;
        let compiler = shell::output("c++", &["-dumpfullversion", "-dumpversion"])?;
        let text = format!(
            "librocksdb-sys {version}\nfeatures {FEATURES}\nRUSTFLAGS {RUSTFLAGS}\nc++ {compiler}\n"
        );
        let home = places
            .cache
            .join("rocksdb")
            .join(format!("{version}-{:016x}", fnv1a(&text)));
        Ok(Self {
            version,
            text,
            home,
        })
    }
}

fn build(places: &Places, recipe: &Recipe) -> Result<(), String> {
    let Recipe {
        version,
        text,
        home,
    } = recipe;
    shell::say(&format!(
        "building librocksdb {version} once for this machine (about 15 minutes on two cores)"
    ));
    let package = home.join("build");
    create_dir(&package.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"librocksdb\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         librocksdb-sys = {{ version = \"={version}\", default-features = false, features = [{FEATURES}] }}\n\n[workspace]\n"
    );
    files::write(&package.join("Cargo.toml"), &manifest)?;
    files::write(
        &package.join("src/lib.rs"),
        "//! Only its dependency matters.\n",
    )?;
    let lock = places.checkout.join("Cargo.lock");
    fs::copy(&lock, package.join("Cargo.lock"))
        .map_err(|error| format!("cannot copy {}: {error}", lock.display()))?;
    let target = package.join("target");
    // The run happens in the package's own folder, outside the checkout, so that the checkout's
    // `.cargo/config.toml` (which names the library we are about to build) does not apply.
    shell::run(
        Command::new("cargo")
            .args(["build", "--release", "--target-dir"])
            .arg(&target)
            .current_dir(&package)
            .env("RUSTFLAGS", RUSTFLAGS)
            .env_remove("ROCKSDB_LIB_DIR")
            .env_remove("ROCKSDB_STATIC")
            .env_remove("CARGO_TARGET_DIR"),
    )?;
    let built = find_archive(&target.join("release/build"))?;
    let lib = home.join("lib");
    create_dir(&lib)?;
    files::write(&home.join("recipe.txt"), text)?;
    // Copied under another name first: a build cut short must not leave half an archive behind.
    let half = lib.join("librocksdb.a.part");
    fs::copy(&built, &half).map_err(|error| format!("cannot copy {}: {error}", built.display()))?;
    fs::rename(&half, lib.join("librocksdb.a")).map_err(|error| error.to_string())?;
    fs::remove_dir_all(&package)
        .map_err(|error| format!("cannot remove {}: {error}", package.display()))
}

fn find_archive(build: &Path) -> Result<PathBuf, String> {
    let entries = build
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", build.display()))?;
    entries
        .flatten()
        .map(|entry| entry.path().join("out/librocksdb.a"))
        .find(|archive| archive.exists())
        .ok_or_else(|| format!("the build left no librocksdb.a under {}", build.display()))
}

/// Plain `cargo build`, `cargo check` and rust-analyzer find the library through `.native`.
fn link_checkout(checkout: &Path, home: &Path) -> Result<(), String> {
    let link = checkout.join(".native");
    if fs::read_link(&link).is_ok_and(|old| old == home) {
        return Ok(());
    }
    if link.symlink_metadata().is_ok() {
        fs::remove_file(&link)
            .map_err(|error| format!("cannot replace {}: {error}", link.display()))?;
    }
    std::os::unix::fs::symlink(home, &link)
        .map_err(|error| format!("cannot link {}: {error}", link.display()))
}

/// The version of `librocksdb-sys` that the workspace links, as `Cargo.lock` has it.
fn locked_version(checkout: &Path) -> Result<String, String> {
    let path = checkout.join("Cargo.lock");
    let lock = files::read(&path)?;
    let mut lines = lock.lines();
    lines
        .find(|line| *line == "name = \"librocksdb-sys\"")
        .and_then(|_| lines.next())
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| format!("{} does not name librocksdb-sys", path.display()))
}

/// A stable name for a recipe; nothing depends on it but a folder name.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn create_dir(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|error| format!("cannot create {}: {error}", path.display()))
}
