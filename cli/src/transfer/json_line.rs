//! Lines of JSON that say themselves what they are.
//!
//! ```text
//! {"node":1,"labels":["Person"],"properties":{"name":"Ann","born":{"date":"1984-10-11"}}}
//! {"relationship":1,"type":"KNOWS","from":1,"to":2,"properties":{}}
//! {"member":1,"hierarchy":"parts"}
//! {"index":"by_name","label":"Person","properties":["name"]}
//! ```
//! These are the lines of a dump (docs/dump-format.md) with ids of any kind: numbers, or texts.

use stratigraph_tables::json_lines::{BadLine, Entries, parse, refuse_large_integers};

/// A record that says itself what it is.
#[derive(Debug)]
pub(crate) enum JsonRecord {
    Node(NodeLine),
    Relationship(RelationshipLine),
    Member(MemberLine),
    /// An index, a constraint or a hierarchy: the engine reads it.
    Declaration,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeLine {
    pub(crate) node: JsonId,
    #[serde(default)]
    pub(crate) labels: Vec<String>,
    #[serde(default)]
    pub(crate) properties: Entries,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelationshipLine {
    /// Its own id is of no use: it gets another.
    #[serde(rename = "relationship")]
    _id: Option<JsonId>,
    #[serde(rename = "type")]
    pub(crate) of: String,
    pub(crate) from: JsonId,
    pub(crate) to: JsonId,
    #[serde(default)]
    pub(crate) properties: Entries,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberLine {
    pub(crate) member: JsonId,
    pub(crate) hierarchy: String,
}

/// An id: a text, or a number, which is the same as its text.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum JsonId {
    Number(i64),
    Text(String),
}

impl JsonId {
    pub(crate) fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

/// Reads a line that says what it is.
///
/// # Errors
/// It says nothing that we know.
pub(crate) fn record(text: &str) -> Result<JsonRecord, BadLine> {
    let inside = text.trim_start().strip_prefix('{');
    let key =
        inside.and_then(|inside| Some(inside.trim_start().strip_prefix('"')?.split_once('"')?.0));
    let record = match key {
        Some("node") => JsonRecord::Node(parse(text)?),
        Some("relationship") => JsonRecord::Relationship(parse(text)?),
        Some("member") => JsonRecord::Member(parse(text)?),
        Some("index" | "vector_index" | "text_index" | "constraint" | "hierarchy") => {
            return Ok(JsonRecord::Declaration);
        }
        Some("stratigraph_dump" | "label" | "type" | "property" | "end") => {
            let why = "this is a dump: `stratigraph load` takes it";
            return Err((None, why.to_owned()));
        }
        _ => {
            let why = "a line is a JSON object whose first key is node, relationship, member, or the kind of a \
                       declaration; other objects need a mapping";
            return Err((None, why.to_owned()));
        }
    };
    refuse_large_integers(text).map_err(|why| (None, why))?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_they_are() {
        assert!(matches!(
            record(r#"{"node":"a","labels":[],"properties":{"a":1}}"#),
            Ok(JsonRecord::Node(_))
        ));
        assert!(matches!(
            record(r#"{"relationship":null,"type":"T","from":1,"to":"b"}"#),
            Ok(JsonRecord::Relationship(_))
        ));
        assert!(matches!(
            record(r#"{"index":"x"}"#),
            Ok(JsonRecord::Declaration)
        ));
        let cases = [
            ("[1]", "first key"),
            (r#"{"name":"Ann"}"#, "need a mapping"),
            (r#"{"stratigraph_dump":1}"#, "`stratigraph load`"),
            (r#"{"node":1,"labels":[],"propertis":{}}"#, "unknown field"),
            (
                r#"{"node":1,"properties":{"a":1,"a":2}}"#,
                "\"a\" is there twice",
            ),
            (r#"{"node":1,"node":2}"#, "duplicate field"),
            (r#"{"node":1.5}"#, ""),
            (r#"{"node":1"#, "EOF"),
            (
                r#"{"node":1,"properties":{"a":99999999999999999999}}"#,
                "64 bits",
            ),
        ];
        for (text, said) in cases {
            let (_, why) = record(text).unwrap_err();
            assert!(why.contains(said), "{text}: {why}");
        }
    }
}
