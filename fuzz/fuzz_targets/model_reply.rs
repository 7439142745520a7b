//! Takes any bytes for what a model wrote: what passes its schema is what the schema says, by a second reader of
//! it, and what is made of a reply names nothing that the text does not.
//!
//! Input: `[way, schema: 1] [text] 0 [reply] 0 [another reply]`. Next: `models/src/generate/schema.rs`,
//! `structured.rs`; `rag/src/extract/reply.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

use serde_json::{Value, json};
use stratigraph_fuzz::schema;
use stratigraph_models::{Recorded, Request, Schema, Structured};
use stratigraph_rag::chunk::{Chunker, Chunking, Words};
use stratigraph_rag::extract::model::{Bag, Tags, Triples, Typed};
use stratigraph_rag::extract::{Calls, Domain, Extractor, MemoryCache, OpenDocument, Reading};
use stratigraph_rag::read::{Format, Source};

fn schemas() -> [Value; 4] {
    [
        json!({"type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "integer", "minimum": -2, "maximum": 7}, "b": {"enum": ["x", null, 1]}}}),
        json!({"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "minLength": 1, "maxLength": 4}}),
        json!({"properties": {"a": {"items": {"type": "number"}}, "c": {"type": "boolean"}}}),
        json!({"type": "object", "required": ["x", "y"], "properties": {"x": {"type": "null"}, "y": {"type": "object",
            "additionalProperties": false, "properties": {"z": {"type": "array", "items": {"minimum": 0}}}}}}),
    ]
}

/// What comes of a schema that somebody else wrote, and of replies to it.
fn held_to(schema: &Value, replies: [&str; 2]) {
    let Ok(known) = Schema::new("fuzzed", schema.clone()) else {
        return;
    };
    let model = Recorded::in_order(replies);
    let request = Request::new("", "").schema(known.clone());
    let asked = Structured {
        tries: 2,
        max_bytes: 1 << 16,
    }
    .ask(&model, &request);
    if let Ok(answered) = asked {
        assert!(
            schema::holds(schema, &answered.value),
            "{schema} lets {} pass",
            answered.value
        );
    }
    for reply in replies {
        if let Ok(value) = serde_json::from_str::<Value>(reply) {
            assert_eq!(
                known.check(&value).is_ok(),
                schema::holds(schema, &value),
                "{schema}: {value}"
            );
        }
    }
}

fn extracted(way: u8, text: &str, replies: [&str; 2]) {
    let Ok(document) = Source::new("fuzzed.md", text.as_bytes()).read(Format::Markdown) else {
        return;
    };
    let pieces = Chunker::new(Chunking::Structure { limit: 200 }, &Words).pieces(&document);
    let Some(piece) = pieces.first() else {
        return;
    };
    let model = Recorded::in_order(replies);
    let calls = Calls::new(Arc::new(model), Arc::new(MemoryCache::default()));
    let calls = calls.structured(Structured {
        tries: 1,
        max_bytes: 1 << 16,
    });
    let root = Domain {
        name: "All".to_owned(),
        description: String::new(),
    };
    let extractor: Box<dyn Extractor> = match way % 4 {
        0 => Box::new(Bag::new(calls)),
        1 => Box::new(Tags::new(calls, root)),
        2 => Box::new(Triples::new(calls)),
        _ => Box::new(Typed::new(calls)),
    };
    let open = OpenDocument::new(&document);
    let Ok(outcome) = extractor.extract(&Reading::new(&open, piece)) else {
        return;
    };
    let extracted = outcome.extracted;
    let named = |name: &String| extracted.entities.iter().any(|entity| entity.name == *name);
    let shown = |text: &str| text.chars().count() <= 1000 && !text.contains(char::is_control);
    for entity in &extracted.entities {
        assert!(shown(&entity.name) && shown(&entity.description) && !entity.name.is_empty());
        for span in &entity.sentences {
            assert!(!document.text()[span.clone()].is_empty());
        }
        if way % 4 == 3 {
            let kind = entity.kind.as_deref();
            assert!(
                kind.is_none_or(|kind| Typed::KINDS.contains(&kind)),
                "{kind:?}"
            );
        }
    }
    for triple in &extracted.triples {
        assert!(named(&triple.subject) && named(&triple.object) && triple.subject != triple.object);
        assert!(shown(&triple.predicate) && shown(&triple.description) && shown(&triple.source));
        assert!(way % 4 != 3 || Typed::VERBS.contains(&triple.predicate.as_str()));
    }
    for chain in &extracted.chains {
        assert!(named(&chain.object) && chain.domains[0].name == "All");
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&way, rest)) = data.split_first() else {
        return;
    };
    let rest = String::from_utf8_lossy(rest);
    let mut parts = rest.splitn(3, '\0');
    let mut part = || parts.next().unwrap_or_default();
    let (text, replies) = (part(), [part(), part()]);
    match way {
        0..64 => held_to(&schemas()[usize::from(way % 4)], replies),
        // The text is the schema.
        64..128 => {
            if let Ok(schema) = serde_json::from_str(text) {
                held_to(&schema, replies);
            }
        }
        _ => extracted(way, text, replies),
    }
});
