//! From settings to the clause.
//!
//! Next: `../../bind/traverse.rs`, which reads it.

use crate::query::error::{Detail, Fault, raise};
use crate::query::procedures::settings::Settings;
use crate::value::Value;
use std::fmt::Write as _;
use stratigraph_query_lang::ast::{
    Body, Clause, Element, Identifier, NodePattern, Roots, Statement, Traverse,
};
use stratigraph_query_lang::{Span, parse, quoted_name};

/// A clause as text, and the values of its parameters.
pub(super) struct Wording {
    pub(super) text: String,
    parameters: Vec<(String, Value)>,
    /// The patterns of the settings as they are printed: whatever they name is not the name of a parameter.
    patterns: [String; 2],
}

impl Wording {
    /// The clause that the settings mean.
    pub(super) fn of(roots: &Value, settings: &Value) -> Result<Self, Fault> {
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
        let settings = &Settings::of("rag.traverse", settings, &known)?;
        let step = settings.text("step")?;
        let step = step.ok_or_else(|| settings.missing("step"))?;
        let (step, candidate) = printed_step(step)?;
        let recover = settings.value("recover").map(Recovering::of).transpose()?;
        let member = recover.as_ref().map(|recover| recover.pattern.clone());
        let mut wording = Self {
            text: "TRAVERSE FROM ".to_owned(),
            parameters: Vec::new(),
            patterns: [step.clone(), member.unwrap_or_default()],
        };
        wording.value("roots", roots);
        if settings.flag("unfiltered")? {
            wording.add(" UNFILTERED");
        }
        wording.add(&format!(" STEP {step}"));
        wording.levels(settings)?;
        wording.score(settings.value("score"), &candidate, "query")?;
        if let Some(keep) = settings.value("keep") {
            let known = ["top", "per_parent", "above", "at_least"];
            wording.keep(&Settings::of("`keep`", keep, &known)?, ["top", "bound"])?;
        }
        if let Some(recover) = &recover {
            wording.recover(recover)?;
        }
        if settings.word("emit", &["kept", "candidates"])? == Some(1) {
            wording.add(" EMIT CANDIDATES");
        }
        wording.budget(settings.value("budget"))?;
        wording.add(
            " YIELD node, level, score, status, parent, edge, path, roots, rank \
             RETURN node, level, score, status, parent, edge, path, roots, rank",
        );
        Ok(wording)
    }

    /// The value of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Result<Value, Fault> {
        let mut parameters = self.parameters.iter();
        let found = parameters.find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).ok_or_else(|| {
            let message = format!("a pattern in the settings cannot use the parameter `${name}`");
            raise(Detail::MissingParameter, message)
                .hint("write the value into the text of the pattern, or use the clause TRAVERSE")
        })
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A value, as a parameter of that name, or of one like it that no pattern has.
    fn value(&mut self, name: &str, value: &Value) {
        let mut name = name.to_owned();
        while self.patterns.iter().any(|pattern| pattern.contains(&name)) {
            name.push('_');
        }
        // Writing to a string cannot fail.
        let _ = write!(self.text, "${name}");
        self.parameters.push((name, value.clone()));
    }

    fn levels(&mut self, settings: &Settings<'_>) -> Result<(), Fault> {
        let levels = match settings.value("levels") {
            None => return Ok(()),
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
        score: Option<&Value>,
        candidate: &str,
        query: &'static str,
    ) -> Result<(), Fault> {
        let Some(score) = score else { return Ok(()) };
        let score = Settings::of("`score`", score, &["property", "query", "function"])?;
        let property = score.text("property")?;
        let property = property.ok_or_else(|| score.missing("property"))?;
        let function = score.text("function")?.unwrap_or("vector.cosine");
        let is_name = |part: &str| {
            !part.is_empty() && part.chars().all(|one| one.is_alphanumeric() || one == '_')
        };
        if !function.split('.').all(is_name) {
            return Err(refused("`function` is the name of a function"));
        }
        let property = quoted_name(property);
        self.add(&format!(" SCORE {function}({candidate}.{property}, "));
        self.value(query, score.value("query").unwrap_or(&Value::Null));
        self.add(")");
        Ok(())
    }

    /// `KEEP`, with the names that its parameters get.
    fn keep(&mut self, keep: &Settings<'_>, [top, bound]: [&'static str; 2]) -> Result<(), Fault> {
        if !(keep.has("top") || keep.is_named("above") || keep.is_named("at_least")) {
            return Err(keep
                .missing("top")
                .hint("`top` says how many stay; or give `above` or `at_least`, a threshold"));
        }
        self.add(" KEEP");
        if let Some(count) = keep.value("top") {
            self.add(" TOP ");
            self.value(top, count);
        }
        if keep.flag("per_parent")? {
            self.add(" PER PARENT");
        }
        // A threshold that is null lets nothing pass, as in the clause.
        let (key, sign) = match (keep.is_named("above"), keep.is_named("at_least")) {
            (false, false) => return Ok(()),
            (true, false) => ("above", ">"),
            (false, true) => ("at_least", ">="),
            (true, true) => {
                return Err(refused("`above` and `at_least` exclude each other"));
            }
        };
        self.add(&format!(" WHERE score {sign} "));
        self.value(bound, keep.value(key).unwrap_or(&Value::Null));
        Ok(())
    }

    fn recover(&mut self, recover: &Recovering<'_>) -> Result<(), Fault> {
        let settings = &recover.settings;
        self.add(&format!(" RECOVER {}", recover.pattern));
        self.score(settings.value("score"), &recover.member, "recover_query")?;
        self.keep(settings, ["recover_top", "recover_bound"])
    }

    fn budget(&mut self, budget: Option<&Value>) -> Result<(), Fault> {
        let Some(budget) = budget else { return Ok(()) };
        let units = ["nodes", "edges", "milliseconds"];
        let known = ["nodes", "edges", "milliseconds", "on_exceed"];
        let budget = Settings::of("`budget`", budget, &known)?;
        let mut given = units.iter().filter(|unit| budget.is_named(unit));
        let (Some(unit), None) = (given.next(), given.next()) else {
            return Err(refused(
                "`budget` has one of `nodes`, `edges`, `milliseconds`",
            ));
        };
        self.add(" BUDGET ");
        self.value("budget", budget.value(unit).unwrap_or(&Value::Null));
        self.add(&format!(" {}", unit.to_uppercase()));
        if budget.word("on_exceed", &["error", "stop"])? == Some(1) {
            self.add(" ON EXCEED STOP");
        }
        Ok(())
    }
}

/// The settings of `recover`.
struct Recovering<'s> {
    settings: Settings<'s>,
    /// What is looked at, as it is printed, and its name.
    pattern: String,
    member: String,
}

impl<'s> Recovering<'s> {
    fn of(recover: &'s Value) -> Result<Self, Fault> {
        let known = ["match", "score", "top", "above", "at_least"];
        let settings = Settings::of("`recover`", recover, &known)?;
        let pattern = settings.text("match")?;
        let pattern = pattern.ok_or_else(|| settings.missing("match"))?;
        let (pattern, member) = printed_node(pattern)?;
        Ok(Self {
            settings,
            pattern,
            member,
        })
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
    quoted_name(&variable.name)
}

fn refused(message: &str) -> Fault {
    raise(Detail::InvalidArgumentValue, message)
}
