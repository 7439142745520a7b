use super::*;
use crate::failure::Failure;
use prost::Message;
use std::collections::BTreeMap;
use stratigraph::{Database, Value};
use stratigraph_proto::v1::{self, value::Kind};

/// A row as its client reads it, which is what its messages would be.
fn sent(row: &[Value]) -> Vec<v1::Value> {
    let mut written = Vec::new();
    row_out(row, &mut written).unwrap();
    let mut batch = v1::RowBatch::decode(written.as_slice()).unwrap();
    assert_eq!(batch.rows.len(), 1);
    let values = batch.rows.remove(0).values;
    for (value, read) in row.iter().zip(&values) {
        let message: v1::Value = outgoing::kind(value, MAX_DEPTH).unwrap().into();
        // As text: a number that is none is not equal to itself.
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
    }
    values
}

/// What a query of constants gives, there and back again.
fn there_and_back(expression: &str) -> (Value, Value) {
    let db = Database::in_memory().unwrap();
    let row = db
        .query(&format!("RETURN {expression}"), ())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let value = row.into_values().pop().unwrap();
    let measured = entry_bytes("", &value).unwrap();
    let sent = sent(std::slice::from_ref(&value)).pop().unwrap();
    assert!(sent.encoded_len() <= measured, "{expression}: {measured}");
    let back = value_in(sent, "value").unwrap();
    (value, back)
}

#[test]
fn values_come_back_as_they_went() {
    for expression in [
        "null",
        "true",
        "-9223372036854775808",
        "1.5",
        "0.0 / 0.0",
        "''",
        "'Äpfel\\u0000'",
        "[1, 'a', null, [true]]",
        "{a: 1, b: {c: [2.5]}}",
        "date('-0044-03-15')",
        "time('12:31:14.645+01:00')",
        "localtime('00:00:00.000000001')",
        "datetime('1984-10-11T12:31:14+02:00')",
        "datetime({year: 2024, timezone: 'Europe/Rome'})",
        "localdatetime('1969-12-31T23:59:59.999')",
        "duration('P1Y2M-3DT4.5S')",
        // Lengths of two and more digits.
        "reduce(text = '', n IN range(1, 40000) | text + 'x')",
        "[n IN range(1, 300) | {n: n, list: [n, n], text: 'xxxxxxxxxxxxxxxx'}]",
        "vector([1.0, -2.5, 3.25])",
    ] {
        let (value, back) = there_and_back(expression);
        assert!(
            value.equivalent(&back),
            "{expression}: {value} is not {back}"
        );
        assert_eq!(value.to_string(), back.to_string());
    }
}

#[test]
fn nodes_relationships_and_paths_go_out_and_do_not_come_in() {
    let db = Database::in_memory().unwrap();
    let text =
        "CREATE p = (:A:B {x: 1})-[:R {y: 'z'}]->(:C) RETURN nodes(p)[0], relationships(p)[0], p";
    let row = db.query(text, ()).unwrap().next().unwrap().unwrap();
    let sent = sent(row.values());
    let encoded: usize = sent.iter().map(Message::encoded_len).sum();
    let measured = row
        .values()
        .iter()
        .map(|value| entry_bytes("", value).unwrap());
    let measured: usize = measured.sum();
    assert!((encoded..4 * encoded).contains(&measured), "{measured}");
    let [
        Some(Kind::NodeValue(node)),
        Some(Kind::RelationshipValue(relationship)),
        Some(Kind::PathValue(path)),
    ] = [0, 1, 2].map(|at: usize| sent[at].kind.clone())
    else {
        panic!("{sent:?}");
    };
    assert_eq!(
        (node.labels.as_slice(), node.properties["x"].kind.clone()),
        (
            ["A".to_owned(), "B".to_owned()].as_slice(),
            Some(Kind::IntValue(1))
        )
    );
    assert_eq!(
        (relationship.r#type.as_str(), relationship.source_id),
        ("R", node.id)
    );
    assert_eq!((path.nodes.len(), path.relationships.len()), (2, 1));
    for value in sent {
        assert!(matches!(
            value_in(value, "it"),
            Err(Failure::Request { .. })
        ));
    }
}

#[test]
fn what_is_no_value_is_refused_with_its_place() {
    let refused = |kind: Option<Kind>| {
        let sent: BTreeMap<String, v1::Value> = [("p".to_owned(), v1::Value { kind })].into();
        parameters(sent).unwrap_err().to_string()
    };
    assert!(refused(None).starts_with("parameters[p]: a value without a kind"));
    let vector = |components: Vec<f32>| refused(Some(Kind::VectorValue(v1::Vector { components })));
    assert!(vector(vec![]).contains("at least one number"));
    assert!(vector(vec![1.0, f32::NAN]).contains("not finite"));
    let date = v1::Date {
        epoch_days: i64::MAX,
    };
    assert!(refused(Some(Kind::DateValue(date))).starts_with("parameters[p]: "));
    let moment = v1::DateTime {
        offset_seconds: i32::MIN,
        ..v1::DateTime::default()
    };
    assert!(refused(Some(Kind::DateTimeValue(moment))).starts_with("parameters[p]: "));
}

/// A reader of protocol buffers ends at 100 nested messages. What is as deep as may be still fits around everything
/// that it travels in.
#[test]
fn what_is_as_deep_as_may_be_is_still_read() {
    use prost::Message as _;
    let nested = |depth: usize| {
        let mut value = v1::Value::from(Kind::IntValue(1));
        for _ in 0..depth {
            let entries = [("a".to_owned(), value)].into();
            value = Kind::MapValue(v1::MapValue { entries }).into();
        }
        value
    };
    let deepest = nested(MAX_DEPTH);
    let request = v1::QueryRequest {
        parameters: [("p".to_owned(), deepest.clone())].into(),
        ..v1::QueryRequest::default()
    };
    let read = v1::QueryRequest::decode(request.encode_to_vec().as_slice()).unwrap();
    let value = parameters(read.parameters)
        .unwrap()
        .get("p")
        .cloned()
        .unwrap();
    let mut encoded = Vec::new();
    row_out(&[value], &mut encoded).unwrap();
    let part = v1::query_response::Part::Rows(v1::RowBatch::of_encoded(encoded.into()));
    let response = v1::QueryResponse { part: Some(part) };
    v1::QueryResponse::decode(response.encode_to_vec().as_slice()).unwrap();
    let deeper = value_in(nested(MAX_DEPTH + 1), "p")
        .unwrap_err()
        .to_string();
    assert!(deeper.contains("nest at most"), "{deeper}");
}
