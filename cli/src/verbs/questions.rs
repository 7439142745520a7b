//! What the verbs share that put questions: which pipeline looks, what a question is limited to, the documents of a folder
//! that it is put to, how a place in them is told, and how far what was found is trusted.

use crate::failure::Failure;
use crate::rag_error::RagError;
use crate::remote::Asked;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use stratigraph::Database;
use stratigraph_rag::Datum;
use stratigraph_rag::door::{Equipment, Library, Open};
use stratigraph_rag::read::number;
use stratigraph_rag::retrieve::{Pipeline, Place, Question};

/// A preset by its name, or what a file has.
pub(super) fn pipeline(preset: &str) -> Result<Pipeline, Failure> {
    let text = match Path::new(preset).is_file() {
        true => std::fs::read_to_string(preset)
            .map_err(|error| Failure::of_request(format!("{preset}: {error}")))?,
        // What is written out as a pipeline has one of these, and a path none: it would be told that it is no TOML.
        false if !preset.contains(['\n', '{', '=']) => {
            return Pipeline::preset(preset).map_err(|error| match Path::new(preset).exists() {
                true => Failure::of_request(format!("{preset} is not a file")),
                false => Failure::of_request(format!("{error}; and there is no file of that name")),
            });
        }
        false => preset.to_owned(),
    };
    Pipeline::of(&text).map_err(Failure::of_request)
}

/// What a question is limited to: NAME=VALUE, each name once, as a filter has one value.
pub(super) fn only(given: &[String]) -> Result<Vec<(String, Json)>, Failure> {
    let mut names = BTreeSet::new();
    let only = given.iter().map(|only| {
        let (name, value) = only.split_once('=').ok_or_else(|| {
            Failure::Usage(format!("--only is NAME=VALUE, and `{only}` has no `=`"))
        })?;
        if !names.insert(name) {
            return Err(Failure::Usage(format!(
                "--only {name} is given twice, and has one value: ask once for each"
            )));
        }
        Ok((name.to_owned(), literal(value)))
    });
    only.collect()
}

/// A count that is none if it is 0, as `CALL rag.retrieve` has it.
pub(super) fn above_zero(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().ok().filter(|count| *count > 0);
    count.ok_or_else(|| "it is a count above zero".to_owned())
}

/// A question, as it is put to a folder.
pub(super) fn question(asked: Asked<'_>) -> Result<Question, Failure> {
    let mut question = Question::new(asked.question).map_err(Failure::of_request)?;
    if asked.exact {
        question = question.exact();
    }
    for (name, value) in asked.only {
        question = match value {
            Json::Bool(truth) => question.only(name, truth),
            Json::Number(number) => match number.as_i64() {
                Some(whole) => question.only(name, whole),
                None => question.only(name, number.as_f64()),
            },
            value => question.only(name, value.as_str()),
        };
    }
    Ok(question)
}

/// The documents of a folder, read and not written to, with these models.
pub(super) fn open_read_only(dir: &Path, equipment: Equipment) -> Result<Open, Failure> {
    let db = Database::builder().open_read_only(dir)?;
    let open = Library::new(&db, equipment).open();
    Ok(open.map_err(RagError::from)?)
}

/// A place in a document, for people.
pub(super) fn shown(place: &Place) -> String {
    let span = &place.span;
    format!("{} {}..{}", place.document, span.start, span.end)
}

/// How far what was retrieved is trusted, where that was calibrated.
pub(super) fn trusted(value: f32, threshold: f32) -> String {
    format!("confidence {value:.3}, answered from {threshold:.3} on")
}

/// What metadata is compared with: a number where readers of documents take it for one, a truth, and a text in quotes
/// whatever is in them.
fn literal(text: &str) -> Json {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(quoted) = quoted('"').or_else(|| quoted('\'')) {
        return quoted.into();
    }
    match (text, number(text)) {
        ("true", _) => true.into(),
        ("false", _) => false.into(),
        (_, Some(Datum::Integer(whole))) => whole.into(),
        (_, Some(Datum::Float(number))) => number.into(),
        (text, _) => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_what_readers_take_metadata_for() {
        let cases = [
            ("2023", json!(2023)),
            ("-0.5", json!(-0.5)),
            ("true", json!(true)),
            ("false", json!(false)),
            ("\"true\"", json!("true")),
            ("'2023'", json!("2023")),
            ("'it's'", json!("it's")),
            ("''", json!("")),
        ];
        for (text, value) in cases {
            assert_eq!(literal(text), value, "{text}");
        }
        let texts = [
            "00123", "inf", "nan", "1_000", "+5", "1e999", "True", "'tis", "\"", "", "a b",
        ];
        for text in texts {
            assert_eq!(literal(text), json!(text), "{text}");
        }
    }

    #[test]
    fn a_name_has_one_value() {
        let given = |all: &[&str]| only(&all.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(given(&["a=1", "b=x=y"]).unwrap()[1].1, json!("x=y"));
        let twice = given(&["a=1", "b=2", "a=3"]).unwrap_err().told();
        assert!(twice.contains("--only a is given twice"), "{twice}");
        assert!(given(&["a"]).is_err());
    }

    #[test]
    fn a_file_that_is_not_there_is_no_pipeline() {
        for missing in ["./nosuch.toml", "nosuch", "a/b c.json"] {
            let told = pipeline(missing).unwrap_err().told();
            for part in [missing, "`strata`", "no file of that name"] {
                assert!(told.contains(part), "{told}");
            }
        }
        let folder = pipeline(env!("CARGO_MANIFEST_DIR")).unwrap_err().told();
        assert!(folder.contains("is not a file"), "{folder}");
        assert_eq!(pipeline("bag").unwrap().name, "bag");
        assert_eq!(pipeline("name = 'mine'").unwrap().name, "mine");
        assert_eq!(pipeline("{\"name\": \"mine\"}").unwrap().name, "mine");
    }
}
