//! The files of a set: JSON lines, packed or not.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde_json::Value as Json;

use super::SetError;
use crate::Datum;

/// The longest line of a set.
const LONGEST_LINE: u64 = 64 << 20;

/// Whether a folder has a file of this name, or the same with `.gz`.
pub(super) fn is_there(folder: &Path, name: &str) -> bool {
    let mut ends = ["jsonl", "jsonl.gz"].iter();
    ends.any(|end| folder.join(format!("{name}.{end}")).is_file())
}

/// The rows of a file, or of the same with `.gz`, each with its number from 0.
pub(super) fn rows<T>(
    folder: &Path,
    name: &str,
    of: impl FnMut(&Json, usize) -> Result<T, String>,
) -> Result<Vec<T>, SetError> {
    let plain = folder.join(format!("{name}.jsonl"));
    let packed = folder.join(format!("{name}.jsonl.gz"));
    rows_of(if packed.is_file() { &packed } else { &plain }, of)
}

/// The rows of this file, unpacked if its name ends with `.gz`.
pub(in crate::evaluate) fn rows_of<T>(
    path: &Path,
    mut of: impl FnMut(&Json, usize) -> Result<T, String>,
) -> Result<Vec<T>, SetError> {
    let file = path.display().to_string();
    let failed = |source| SetError::File {
        file: file.clone(),
        source,
    };
    let opened = File::open(path).map_err(failed)?;
    let mut lines: Box<dyn BufRead> = match path.extension().is_some_and(|end| end == "gz") {
        true => Box::new(BufReader::new(MultiGzDecoder::new(opened))),
        false => Box::new(BufReader::new(opened)),
    };
    let mut all = Vec::new();
    for line in 1.. {
        let mut text = Vec::new();
        let read = lines
            .by_ref()
            .take(LONGEST_LINE + 1)
            .read_until(b'\n', &mut text);
        if read.map_err(failed)? == 0 {
            break;
        }
        let wrong = |problem| SetError::Row {
            file: file.clone(),
            line,
            problem,
        };
        if text.len() as u64 > LONGEST_LINE {
            return Err(wrong(format!("is longer than {LONGEST_LINE} bytes")));
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let row: Json = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        all.push(of(&row, all.len()).map_err(wrong)?);
    }
    Ok(all)
}

/// A name, which some sets write as a number.
pub(in crate::evaluate) fn id_of(id: &Json) -> Option<String> {
    match id {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The name of a page.
pub(super) fn page(row: &Json) -> Option<String> {
    Some(format!(
        "{}#{}",
        row["doc"].as_str()?,
        row["page"].as_u64()?
    ))
}

/// A text, number or truth as metadata.
pub(super) fn datum(value: &Json) -> Option<Datum> {
    match value {
        Json::String(text) => Some(text.as_str().into()),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Some(whole.into()),
            None => number.as_f64().map(Datum::Float),
        },
        Json::Bool(truth) => Some(Datum::Boolean(*truth)),
        _ => None,
    }
}

/// The texts of a list; nothing for what is none.
pub(in crate::evaluate) fn texts_of(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}
