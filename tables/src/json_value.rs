//! JSON values as values of the graph.

use serde_json::Value as Json;
use stratigraph::Value;
use stratigraph::value::json::from_json;

use crate::kind::Kind;
use crate::place::{Problem, excerpt};

/// JSON as a value of a type: a text is read as a field is, a list as one of such.
pub fn value_as(kind: Kind, json: &Json, key: &str, array: char) -> Result<Value, Problem> {
    let wrong = |text: &str, reason| Problem::Value {
        field: excerpt(key),
        text: excerpt(text),
        kind: kind.name(),
        reason,
    };
    match (kind, json) {
        (Kind::List(of), Json::Array(all)) => {
            let elements = all
                .iter()
                .map(|one| value_as(Kind::One(of), one, key, array));
            let elements = elements.collect::<Result<Vec<_>, _>>()?;
            Value::list(elements).map_err(|error| Problem::Json(error.to_string()))
        }
        (Kind::Any, json) => {
            from_json(json).map_err(|error| wrong(&json.to_string(), error.to_string()))
        }
        (kind, Json::String(text)) => kind.read(text, array).map_err(|reason| wrong(text, reason)),
        // Numbers and truth in the text that a field would have.
        (kind, json) => {
            let text = json.to_string();
            kind.read(&text, array)
                .map_err(|reason| wrong(&text, reason))
        }
    }
}

/// JSON that nobody has explained.
pub fn plain(json: &Json) -> Result<Value, String> {
    match json {
        Json::Object(_) => {
            Err("an object is no property: map its keys, or leave it out".to_owned())
        }
        other => from_json(other).map_err(|error| error.to_string()),
    }
}
