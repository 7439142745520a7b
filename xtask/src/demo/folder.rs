//! The folder of the demo: the sample in it, and a mark that says who made it.
//!
//! A folder without the mark is somebody else's, and is left alone.

use crate::files::write;
use std::fs;
use std::path::Path;

/// The file that says that the folder may be made anew.
const MARK: &str = ".made-by-cargo-xtask-demo";

/// Makes the folder anew, with a copy of the sample: the demo edits it.
pub(super) fn make(folder: &Path, sample: &Path) -> Result<(), String> {
    if folder.join(MARK).is_file() {
        fs::remove_dir_all(folder)
            .map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    }
    let there = folder
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some());
    if there {
        return Err(format!(
            "{} is not empty, and not of the demo: name another folder with --into",
            folder.display()
        ));
    }
    copy(sample, folder)?;
    write(&folder.join(MARK), "")
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let because = |error: std::io::Error| {
        format!(
            "cannot copy {} to {}: {error}",
            from.display(),
            to.display()
        )
    };
    fs::create_dir_all(to).map_err(because)?;
    for entry in from.read_dir().map_err(because)? {
        let entry = entry.map_err(because)?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target).map_err(because)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::read;

    #[test]
    fn its_own_folder_is_made_anew_and_nobody_elses() {
        let root = std::env::temp_dir().join(format!("xtask-demo-{}", std::process::id()));
        let (sample, own, other) = (root.join("sample"), root.join("own"), root.join("other"));
        fs::create_dir_all(sample.join("guide")).unwrap();
        fs::create_dir_all(&other).unwrap();
        write(&sample.join("guide/a.md"), "# A\n").unwrap();
        write(&other.join("letter"), "mine").unwrap();

        make(&own, &sample).unwrap();
        write(&own.join("guide/a.md"), "edited").unwrap();
        make(&own, &sample).unwrap();
        let again = read(&own.join("guide/a.md"));
        let refused = make(&other, &sample);
        let letter = read(&other.join("letter"));
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(again.unwrap(), "# A\n");
        assert!(refused.unwrap_err().contains("--into"));
        assert_eq!(letter.unwrap(), "mine");
    }
}
