//! What mappings have in common: where properties come from, and where files may lie.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use crate::kind::{Kind, Simple};

/// Where a property comes from.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum PropertyFrom {
    /// From the column of that name, with this type.
    Type(String),
    /// From another column, or with both said.
    Column(FromColumn),
}

/// A column and its type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromColumn {
    /// The column; that of the property's name if nothing is said.
    pub from: Option<String>,
    #[serde(rename = "type")]
    /// The type; text if nothing is said.
    pub of: Option<String>,
}

impl PropertyFrom {
    /// The column that this property comes from, and its type.
    ///
    /// # Errors
    /// There is no such type.
    pub fn column<'a>(&'a self, property: &'a str) -> Result<(&'a str, Kind), String> {
        let (column, of) = match self {
            Self::Type(of) => (property, Some(of)),
            Self::Column(column) => (
                column.from.as_deref().unwrap_or(property),
                column.of.as_ref(),
            ),
        };
        let kind = match of {
            None => Kind::One(Simple::String),
            Some(of) => Kind::named(of).ok_or_else(|| format!("{property}: `{of}` is no type"))?,
        };
        Ok((column, kind))
    }
}

/// Where a file lies as seen from the mapping, by its name alone: each place has one spelling.
///
/// # Errors
/// It lies neither in the folder of the mapping nor below it.
pub fn inside(file: &Path) -> Result<PathBuf, String> {
    let mut place = PathBuf::new();
    for part in file.components() {
        match part {
            Component::Normal(name) => place.push(name),
            Component::CurDir => {}
            _ => return Err(outside(file)),
        }
    }
    Ok(place)
}

/// A file in the folder or below it, also behind links.
///
/// # Errors
/// It lies elsewhere.
pub fn within(folder: &Path, file: &Path) -> Result<PathBuf, String> {
    let path = folder.join(inside(file)?);
    // A file that is missing is told of when it is opened.
    if let (Ok(real), Ok(root)) = (path.canonicalize(), folder.canonicalize())
        && !real.starts_with(root)
    {
        return Err(outside(file));
    }
    Ok(path)
}

fn outside(file: &Path) -> String {
    format!(
        "{}: files lie in the folder of the mapping or below it",
        file.display()
    )
}
