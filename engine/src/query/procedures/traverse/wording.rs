//! From settings to the clause.
//!
//! Next: `../../bind/traverse.rs`, which reads it.

use crate::query::error::{Detail, Fault, raise};
use crate::query::functions::operators::with_article;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use stratigraph_query_lang::ast::{
    Body, Clause, Element, Identifier, NodePattern, Roots, Statement, Traverse,
};
use stratigraph_query_lang::nearest;
use stratigraph_query_lang::{Span, parse};

type Map = BTreeMap<Arc<str>, Value>;

/// A clause as text, and the values of its parameters.
pub(super) struct Wording {
    pub(super) text: String,
    parameters: Vec<(&'static str, Value)>,
}

impl Wording {
    /// The clause that the settings mean.
    pub(super) fn of(roots: &Value, settings: &Map) -> Result<Self, Fault> {
        let known = [
            "step",
            "levels",
            "score",
            "keep",
            "recover",
            "unfiltered",
            "emit",
            "budget",
        ];
        check_keys("rag.traverse", settings, &known)?;
        let mut wording = Self {
            text: "TRAVERSE FROM $roots".to_owned(),
            parameters: vec![("roots", roots.clone())],
        };
        if boolean(settings, "unfiltered")? {
            wording.add(" UNFILTERED");
        }
        let step = text(settings, "step")?;
        let step = step.ok_or_else(|| refused("rag.traverse needs a setting `step`"))?;
        let (step, candidate) = printed_step(step)?;
        wording.add(&format!(" STEP {step}"));
        wording.levels(settings)?;
        wording.score(map(settings, "score")?, &candidate, "query")?;
        if let Some(keep) = map(settings, "keep")? {
            check_keys("keep", keep, &["top", "per_parent", "above", "at_least"])?;
            wording.keep(keep, ["top", "bound"])?;
        }
        if let Some(recover) = map(settings, "recover")? {
            wording.recover(recover)?;
        }
        match text(settings, "emit")? {
            None | Some("kept") => {}
            Some("candidates") => wording.add(" EMIT CANDIDATES"),
            Some(_) => return Err(refused("`emit` is 'kept' or 'candidates'")),
        }
        wording.budget(map(settings, "budget")?)?;
        wording.add(
            " YIELD node, level, score, status, parent, edge, path, roots, rank \
             RETURN node, level, score, status, parent, edge, path, roots, rank",
        );
        Ok(wording)
    }

    /// The value of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Result<Value, Fault> {
        let mut parameters = self.parameters.iter();
        let found = parameters.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone()).ok_or_else(|| {
            let message = format!("a pattern in the settings cannot use the parameter `${name}`");
            raise(Detail::MissingParameter, message)
                .hint("write the value into the text of the pattern, or use the clause TRAVERSE")
        })
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A value, as a parameter of that name.
    fn value(&mut self, name: &'static str, value: &Value) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "${name}");
        self.parameters.push((name, value.clone()));
    }

    fn levels(&mut self, settings: &Map) -> Result<(), Fault> {
        let levels = match settings.get("levels") {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::List(levels)) if levels.len() == 2 => levels,
            Some(_) => {
                return Err(refused(
                    "`levels` is a list of the first and the last level, which may be null",
                ));
            }
        };
        self.add(" LEVELS ");
        for (at, name) in ["first", "last"].into_iter().enumerate() {
            if let Some(level) = levels.get(at).filter(|level| !level.is_null()) {
                self.value(name, level);
            }
            if at == 0 {
                self.add("..");
            }
        }
        Ok(())
    }

    /// `SCORE function(candidate.property, $query)`.
    fn score(
        &mut self,
        score: Option<&Map>,
        candidate: &str,
        query: &'static str,
    ) -> Result<(), Fault> {
        let Some(score) = score else { return Ok(()) };
        check_keys("score", score, &["property", "query", "function"])?;
        let property = text(score, "property")?;
        let property = property.ok_or_else(|| refused("`score` needs a setting `property`"))?;
        let function = text(score, "function")?.unwrap_or("vector.cosine");
        let is_name = |part: &str| {
            !part.is_empty() && part.chars().all(|one| one.is_alphanumeric() || one == '_')
        };
        if !function.split('.').all(is_name) {
            return Err(refused("`function` is the name of a function"));
        }
        let property = property.replace('`', "``");
        self.add(&format!(" SCORE {function}({candidate}.`{property}`, "));
        self.value(query, score.get("query").unwrap_or(&Value::Null));
        self.add(")");
        Ok(())
    }

    /// `KEEP`, with the names that its parameters get.
    fn keep(&mut self, keep: &Map, [top, bound]: [&'static str; 2]) -> Result<(), Fault> {
        let given = |key: &str| keep.get(key).filter(|value| !value.is_null());
        self.add(" KEEP");
        if let Some(count) = given("top") {
            self.add(" TOP ");
            self.value(top, count);
        }
        if boolean(keep, "per_parent")? {
            self.add(" PER PARENT");
        }
        // A threshold that is null lets nothing pass, as in the clause.
        match (keep.get("above"), keep.get("at_least")) {
            (None, None) => {}
            (Some(above), None) => {
                self.add(" WHERE score > ");
                self.value(bound, above);
            }
            (None, Some(least)) => {
                self.add(" WHERE score >= ");
                self.value(bound, least);
            }
            (Some(_), Some(_)) => {
                return Err(refused("`above` and `at_least` exclude each other"));
            }
        }
        Ok(())
    }

    fn recover(&mut self, recover: &Map) -> Result<(), Fault> {
        let known = ["match", "score", "top", "above", "at_least"];
        check_keys("recover", recover, &known)?;
        let pattern = text(recover, "match")?;
        let pattern = pattern.ok_or_else(|| refused("`recover` needs a setting `match`"))?;
        let (pattern, member) = printed_node(pattern)?;
        self.add(&format!(" RECOVER {pattern}"));
        self.score(map(recover, "score")?, &member, "recover_query")?;
        self.keep(recover, ["recover_top", "recover_bound"])
    }

    fn budget(&mut self, budget: Option<&Map>) -> Result<(), Fault> {
        let Some(budget) = budget else { return Ok(()) };
        let units = ["nodes", "edges", "milliseconds"];
        check_keys(
            "budget",
            budget,
            &["nodes", "edges", "milliseconds", "on_exceed"],
        )?;
        let mut given = units.iter().filter(|unit| budget.contains_key(**unit));
        let (Some(unit), None) = (given.next(), given.next()) else {
            return Err(refused(
                "`budget` has one of `nodes`, `edges`, `milliseconds`",
            ));
        };
        self.add(" BUDGET ");
        self.value("budget", budget.get(*unit).unwrap_or(&Value::Null));
        self.add(&format!(" {}", unit.to_uppercase()));
        match text(budget, "on_exceed")? {
            None | Some("error") => {}
            Some("stop") => self.add(" ON EXCEED STOP"),
            Some(_) => return Err(refused("`on_exceed` is 'error' or 'stop'")),
        }
        Ok(())
    }
}

/// A step as it is printed, and the name of its last node, which is given one if it has none.
fn printed_step(text: &str) -> Result<(String, String), Fault> {
    let wrong = |why: String| refused(&format!("`step` is a pattern like `(a)-[:T]->(b)`: {why}"));
    let mut traverse = only_traverse(&format!(
        "TRAVERSE FROM $roots STEP {text}\nYIELD node RETURN node"
    ))
    .map_err(wrong)?;
    let Some(Element::Node(last)) = traverse.step.elements.last_mut() else {
        return Err(wrong("it ends with a node".to_owned()));
    };
    let name = named(last, "candidate");
    Ok((traverse.step.to_string(), name))
}

/// A node pattern as it is printed, and its name.
fn printed_node(text: &str) -> Result<(String, String), Fault> {
    let wrong = |why: String| refused(&format!("`match` is a pattern like `(m:Label)`: {why}"));
    let mut traverse = only_traverse(&format!(
        "TRAVERSE FROM {text}\nSTEP ()-->() YIELD node RETURN node"
    ))
    .map_err(wrong)?;
    let Roots::Pattern(node) = &mut traverse.roots else {
        return Err(wrong("this is none".to_owned()));
    };
    let name = named(node, "member");
    let mut path = traverse.step;
    path.elements = vec![Element::Node(node.clone())];
    Ok((path.to_string(), name))
}

/// The clause of a text, if there is nothing else in it and the clause has no options.
fn only_traverse(text: &str) -> Result<Traverse, String> {
    let statement = parse(text).map_err(|error| error.message)?;
    let more = || "there is more in it".to_owned();
    let Statement {
        body: Body::Query(query),
        ..
    } = statement
    else {
        return Err(more());
    };
    let [part] = query.parts.as_slice() else {
        return Err(more());
    };
    let [Clause::Traverse(traverse), Clause::Return(_)] = part.clauses.as_slice() else {
        return Err(more());
    };
    let bare = traverse.unfiltered.is_none()
        && traverse.levels.is_none()
        && traverse.score.is_none()
        && traverse.keep.is_none()
        && traverse.recover.is_none()
        && traverse.emit.is_none()
        && traverse.budget.is_none()
        && traverse.filter.is_none()
        && traverse.yields.len() == 1;
    match bare {
        true => Ok((**traverse).clone()),
        false => Err(more()),
    }
}

/// The name of a node as it is printed; it gets one if it has none.
fn named(node: &mut NodePattern, usual: &str) -> String {
    let variable = node.variable.get_or_insert_with(|| Identifier {
        // No name that people choose.
        name: format!("the {usual}").into(),
        span: Span::default(),
    });
    format!("`{}`", variable.name.replace('`', "``"))
}

fn check_keys(of: &str, given: &Map, known: &[&str]) -> Result<(), Fault> {
    let Some(unknown) = given.keys().find(|key| !known.contains(&&***key)) else {
        return Ok(());
    };
    let fault = refused(&format!("`{of}` has no setting `{unknown}`"));
    Err(match nearest(unknown, known.iter().copied()) {
        Some(other) => fault.hint(format!("did you mean `{other}`?")),
        None => fault.hint(format!("it has {}", known.join(", "))),
    })
}

fn refused(message: &str) -> Fault {
    raise(Detail::InvalidArgumentValue, message)
}

fn kind_of(key: &str, wanted: &str, value: &Value) -> Fault {
    let kind = with_article(value.kind());
    let message = format!("`{key}` is {wanted}, and this is {kind}");
    raise(Detail::InvalidArgumentType, message)
}

fn text<'m>(map: &'m Map, key: &str) -> Result<Option<&'m str>, Fault> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(kind_of(key, "a text", other)),
    }
}

fn map<'m>(map: &'m Map, key: &str) -> Result<Option<&'m Map>, Fault> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Map(map)) => Ok(Some(map)),
        Some(other) => Err(kind_of(key, "a map", other)),
    }
}

fn boolean(map: &Map, key: &str) -> Result<bool, Fault> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(boolean)) => Ok(*boolean),
        Some(other) => Err(kind_of(key, "true or false", other)),
    }
}
