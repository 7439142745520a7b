//! Names that are put into the text of a statement: what is read of it is what was written, and nothing else came in.

use super::trees::run;
use crate::ast::{Body, Clause, Element, ExpressionKind, LabelExpressionKind};
use crate::{parse, quoted_name, written_name};
use proptest::prelude::*;
use std::sync::Arc;

/// The label, the key and the column of a statement that has one of each and nothing more.
fn read(text: &str) -> Option<[Arc<str>; 3]> {
    let Body::Query(query) = parse(text).ok()?.body else {
        return None;
    };
    let [part] = query.parts.as_slice() else {
        return None;
    };
    let [Clause::Match(found), Clause::Return(given)] = part.clauses.as_slice() else {
        return None;
    };
    let [path] = found.pattern.paths.as_slice() else {
        return None;
    };
    let [Element::Node(node)] = path.elements.as_slice() else {
        return None;
    };
    let LabelExpressionKind::Name(label) = &node.labels.as_ref()?.kind else {
        return None;
    };
    let ExpressionKind::Map(entries) = &node.properties.as_ref()?.kind else {
        return None;
    };
    let ([(key, _)], [item]) = (entries.as_slice(), given.items.as_slice()) else {
        return None;
    };
    let column = item.alias.as_ref()?;
    Some([&label.name, &key.name, &column.name].map(Arc::clone))
}

fn assert_comes_back(name: &str) {
    for written in [quoted_name(name), written_name(name).into_owned()] {
        let text = format!("MATCH (:{written} {{{written}: 1}}) RETURN 1 AS {written}");
        let found = read(&text).unwrap_or_else(|| panic!("{name:?} became {text}"));
        assert!(
            found.iter().all(|one| **one == *name),
            "{name:?}: {found:?}"
        );
    }
}

#[test]
fn awkward_names_come_back() {
    for name in [
        r"a\b",
        r"a\",
        r"\",
        r"\\",
        "`",
        "``",
        r"\`",
        r"`\",
        r"\u0041",
        r"x\`) DETACH DELETE n //",
        "x\\`) \n/*",
        "two\nlines\r\n",
        "a\tb",
        "it's \"so\"",
        "名字",
        "😀",
        "e\u{301}",
        "x²",
        "1",
        " ",
        "\u{1}",
        "\u{feff}",
        "match",
        "null",
    ] {
        assert_comes_back(name);
    }
}

#[test]
fn only_what_needs_quotes_has_them() {
    for (name, written, quoted) in [
        ("Person", "Person", "`Person`"),
        ("_1", "_1", "`_1`"),
        ("名字", "名字", "`名字`"),
        ("match", "match", "`match`"),
        ("1", "`1`", "`1`"),
        ("a b", "`a b`", "`a b`"),
        ("a.b", "`a.b`", "`a.b`"),
        ("x`y", "`x``y`", "`x``y`"),
        (r"a\b", r"`a\\b`", r"`a\\b`"),
        ("a\nb", "`a\nb`", "`a\nb`"),
        ("", "``", "``"),
    ] {
        assert_eq!(written_name(name), written);
        assert_eq!(quoted_name(name), quoted);
    }
}

fn names() -> impl Strategy<Value = Arc<str>> {
    prop_oneof!["[ab1_ .`'\"\\\\\n\r\t;/*(){}:é名😀\u{1}]{1,8}", "\\PC{1,8}",].prop_map(Arc::from)
}

fn check(name: &Arc<str>) -> Result<(), TestCaseError> {
    assert_comes_back(name);
    Ok(())
}

#[test]
fn any_name_comes_back() {
    run(2_000, names, check);
}
