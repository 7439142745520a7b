//! Sets of rows: tables of typed things, and questions of which the answer is a cell.
//!
//! A row has `table`, which becomes its type, and a cell for everything else that is a text or a number; `id` is its key, or
//! else `name`. What is right for a question is a row of any table that has a row which the question names, by the longest
//! name there is, and which has an answer in a cell.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;

use super::rows::{is_there, rows};
use super::{LabelledSet, SetError};

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityRow {
    /// Its table.
    pub table: String,
    /// What it is called, by the columns that say so: `id` and `name`, as far as it has them.
    pub names: Vec<(&'static str, String)>,
    /// Its cells, in words.
    pub cells: Vec<String>,
    /// All of it, as a line of JSON.
    pub line: String,
}

/// The rows of a set; none if it has documents.
pub(super) fn read(folder: &Path) -> Result<Vec<EntityRow>, SetError> {
    let mut others = ["corpus", "pages", "triples"].iter();
    match is_there(folder, "entities") && !others.any(|name| is_there(folder, name)) {
        true => rows(folder, "entities", |row, _| row_of(row)),
        false => Ok(Vec::new()),
    }
}

fn row_of(row: &Json) -> Result<EntityRow, String> {
    let cells = row.as_object().ok_or("is no object")?;
    let table = row["table"].as_str().unwrap_or_default().trim();
    let names = ["id", "name"].into_iter();
    let names = names.filter_map(|name| Some((name, row[name].as_str()?.to_owned())));
    let words = |cell: &Json| match cell {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    };
    Ok(EntityRow {
        table: table.to_owned(),
        names: names.collect(),
        cells: cells.values().filter_map(words).collect(),
        line: row.to_string(),
    })
}

/// The tables with a row that a question names, by the longest name, and that has one of these answers.
pub(super) fn tables_that_answer(
    rows: &[EntityRow],
    question: &str,
    answers: &[String],
) -> Vec<String> {
    let named = rows.iter().filter_map(|row| {
        let stands = |name: &&String| name.chars().count() > 1 && question.contains(name.as_str());
        let names = row.names.iter().map(|(_, name)| name);
        let length = names.filter(stands).map(String::len).max()?;
        let has = |answer: &String| row.cells.contains(answer);
        (!row.table.is_empty() && answers.iter().any(has)).then_some((length, row))
    });
    let named: Vec<(usize, &EntityRow)> = named.collect();
    let longest = named.iter().map(|(length, _)| *length).max();
    let tables = named.into_iter();
    let tables = tables.filter(|(length, _)| Some(*length) == longest);
    let tables: BTreeSet<String> = tables.map(|(_, row)| row.table.clone()).collect();
    tables.into_iter().collect()
}

impl LabelledSet {
    /// Its rows as a file and a mapping of it, by the names that they are to have; nothing if it has documents.
    #[must_use]
    pub fn tables(&self) -> Option<[(&'static str, String); 2]> {
        if self.entities.is_empty() {
            return None;
        }
        let tables = self.entities.iter().map(|row| row.table.as_str());
        let tables: BTreeSet<&str> = tables.filter(|table| !table.is_empty()).collect();
        // Names in quotes are written alike in JSON and in TOML.
        let tables = tables
            .into_iter()
            .map(|table| Json::from(table).to_string());
        let tables: Vec<String> = tables.collect();
        // A column that no row has would be a slip in a mapping.
        let has = |column: &&str| {
            let mut named = self.entities.iter().flat_map(|row| &row.names);
            named.any(|(known, _)| known == column)
        };
        let quoted = |columns: &[&str]| {
            let columns = columns.iter().filter(|column| has(column));
            let columns: Vec<String> = columns.map(|column| format!("{column:?}")).collect();
            columns.join(", ")
        };
        let mapping = format!(
            "[[nodes]]\nfile = \"entities.jsonl\"\nlabel = {{ column = \"table\", of = [{}] }}\nkey = [{}]\nmetadata = [{}]\n",
            tables.join(", "),
            quoted(&["id", "name"]),
            quoted(&["name"])
        );
        let lines = self.entities.iter().map(|row| format!("{}\n", row.line));
        Some([
            ("entities.jsonl", lines.collect()),
            ("entities.toml", mapping),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_longest_name_says_which_table_is_right() {
        let rows = [
            json!({"table": "River", "name": "Ash", "length": 12}),
            json!({"table": "Bridge", "name": "Ash Bridge", "length": 12}),
            json!({"table": "Bridge", "id": "Ash Bridge", "length": 12}),
            json!({"table": "Inn", "name": "Ash Bridge", "length": 13}),
        ];
        let rows = rows.map(|row| row_of(&row).unwrap());
        let tables = |question: &str, answer: &str| {
            tables_that_answer(&rows, question, &[answer.to_owned()])
        };
        assert_eq!(tables("How long is Ash Bridge?", "12"), ["Bridge"]);
        assert_eq!(tables("How long is Ash?", "12"), ["River"]);
        assert_eq!(tables("How long is Ash Bridge?", "13"), ["Inn"]);
        assert!(tables("How long is Ash Bridge?", "7").is_empty());
        assert!(tables("How long is it?", "12").is_empty());
        assert!(row_of(&json!([1])).is_err());
    }
}
