//! Which declared query a question is for, without a model: what it names decides arguments, and with what it says of
//! itself each query is compared.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value as Json};
use stratigraph::{Read, Value};
use stratigraph_models::{Embedder, Lexical};

use super::RouteError;
use super::arguments::{Checked, embedded};
use super::declared::{Declared, Kind, LONGEST_TEXT, Parameter, PropertyOf};
use super::facts::Facts;
use super::names::Named;
use super::plain::plain;
use super::store::Kept;
use crate::cosine::cosine;

/// What it is worth that a query takes something that the question names, beside how much of the question that is.
const TAKES_A_NAME: f32 = 0.25;

/// A query that a question may be for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// The label of what it finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How well it fits: the sum of the two below, and a quarter if it takes any name.
    pub score: f32,
    /// How similar the question is to what it says of itself or to one of its examples: a cosine, and 0 for less.
    pub similarity: f32,
    /// The share of the question's letters in the names that it takes.
    pub named: f32,
    /// What it would be called with.
    pub arguments: Map<String, Json>,
    /// Why it cannot be called for this question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
}

impl Candidate {
    /// Whether it can be called.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        self.lacks.is_none()
    }
}

/// The question, and what was found in it.
pub(crate) struct Understood<'a> {
    pub(crate) text: &'a str,
    pub(crate) named: &'a [Named],
    pub(crate) facts: &'a Facts,
}

/// All queries with their arguments, those that can be called and fit best first.
pub(crate) fn candidates<R: Read>(
    read: &R,
    embedder: &dyn Embedder,
    queries: &[Kept],
    asked: &Understood<'_>,
) -> Result<Vec<Candidate>, RouteError> {
    let similarity = Similarity::new(embedder, queries, asked.text)?;
    let letters = letters(asked.text).max(1);
    let mut all = Vec::with_capacity(queries.len());
    for (at, query) in queries.iter().enumerate() {
        let declared = &query.declared;
        let filled = fill(read, declared, asked)?;
        let taken: usize = filled
            .names
            .iter()
            .map(|span| self::letters(&asked.text[span.clone()]))
            .sum();
        let named = taken as f32 / letters as f32;
        let similarity = similarity.of(at, query);
        let bonus = if filled.names.is_empty() {
            0.0
        } else {
            TAKES_A_NAME
        };
        let lacks = filled.lacks.or_else(|| {
            // It is looked at as any arguments are: a name may be longer than a text may be.
            let checked = Checked::of(declared, &Json::Object(filled.arguments.clone()));
            checked.err().map(|error| error.to_string())
        });
        all.push(Candidate {
            name: declared.name.clone(),
            target: declared.target.clone(),
            score: similarity + named + bonus,
            similarity,
            named,
            arguments: filled.arguments,
            lacks,
        });
    }
    all.sort_by(|a, b| {
        let possible = b.is_possible().cmp(&a.is_possible());
        let score = || b.score.total_cmp(&a.score);
        // Of two that fit equally well the one that takes more of what there is says more.
        let takes = || b.arguments.len().cmp(&a.arguments.len());
        possible
            .then_with(score)
            .then_with(takes)
            .then_with(|| a.name.cmp(&b.name))
    });
    Ok(all)
}

/// How similar a question is to queries.
enum Similarity {
    /// By the vectors that are kept of them.
    Kept(Vec<f32>),
    /// Nothing was declared, and so nothing is kept: by letters.
    Letters(Vec<f32>),
}

impl Similarity {
    fn new(embedder: &dyn Embedder, queries: &[Kept], text: &str) -> Result<Self, RouteError> {
        if queries.iter().any(|query| !query.phrases.is_empty()) {
            return Ok(Self::Kept(embedded(embedder, text)?.as_slice().to_vec()));
        }
        let letters = Lexical::new();
        let descriptions = queries
            .iter()
            .map(|query| query.declared.description.as_str());
        let descriptions: Vec<&str> = descriptions.collect();
        let rows = letters.embed(&descriptions)?;
        let asked = letters.embed_questions(&[text])?;
        let asked = asked.row(0).unwrap_or_default();
        Ok(Self::Letters(
            rows.iter()
                .map(|row| cosine(row, asked).unwrap_or_default())
                .collect(),
        ))
    }

    fn of(&self, at: usize, query: &Kept) -> f32 {
        let similarity = match self {
            Self::Kept(asked) => {
                let phrases = query.phrases.iter();
                let cosines = phrases.filter_map(|phrase| cosine(phrase.as_slice(), asked));
                cosines.fold(0.0, f32::max)
            }
            Self::Letters(cosines) => cosines.get(at).copied().unwrap_or_default(),
        };
        similarity.clamp(0.0, 1.0)
    }
}

/// Letters and digits: what is between them says nothing.
fn letters(text: &str) -> usize {
    text.chars().filter(|sign| sign.is_alphanumeric()).count()
}

/// Arguments from what a question has.
#[derive(Default)]
struct Filled {
    arguments: Map<String, Json>,
    /// Which names they take.
    names: Vec<Range<usize>>,
    /// What else of the question they take.
    used: Vec<Range<usize>>,
    lacks: Option<String>,
}

impl Filled {
    fn is_free(&self, span: &Range<usize>) -> bool {
        let overlaps = |other: &Range<usize>| span.start < other.end && other.start < span.end;
        !self.names.iter().chain(&self.used).any(overlaps)
    }
}

/// Fills the parameters: what is surest first, and what takes the rest of the question last.
fn fill<R: Read>(
    read: &R,
    declared: &Declared,
    asked: &Understood<'_>,
) -> Result<Filled, RouteError> {
    let mut filled = Filled::default();
    let mut order: Vec<&Parameter> = declared.parameters.iter().collect();
    let rank = |one: &&Parameter| match (one.kind, &one.of, one.embedded) {
        (Kind::Text, Some(_), _) => 0,
        (Kind::Choice, ..) => 1,
        (Kind::Date, ..) => 2,
        (Kind::Integer | Kind::Number | Kind::Boolean, ..) => 3,
        (Kind::Text, None, false) => 4,
        (Kind::Text, None, true) => 5,
    };
    order.sort_by_key(rank);
    for parameter in order {
        let found = argument(read, declared, parameter, asked, &mut filled)?;
        match found {
            Some(value) => {
                filled.arguments.insert(parameter.name.clone(), value);
            }
            None if parameter.is_needed() => {
                let what = match &parameter.of {
                    Some(of) => format!("the {} of a {}", of.property, of.label),
                    None => "what it could be".to_owned(),
                };
                let lacks = format!("`{}`: the question does not name {what}", parameter.name);
                filled.lacks.get_or_insert(lacks);
            }
            None => {}
        }
    }
    Ok(filled)
}

fn argument<R: Read>(
    read: &R,
    declared: &Declared,
    parameter: &Parameter,
    asked: &Understood<'_>,
    filled: &mut Filled,
) -> Result<Option<Json>, RouteError> {
    let facts = asked.facts;
    Ok(match parameter.kind {
        Kind::Text => match &parameter.of {
            Some(of) => name(read, of, asked, filled)?,
            None => text(declared, parameter, asked, filled),
        },
        Kind::Choice => choice(&parameter.choices, asked, filled),
        Kind::Date => {
            let day = facts.days.iter().find(|(span, _)| filled.is_free(span));
            day.map(|(span, day)| {
                filled.used.push(span.clone());
                Json::from(day.as_str())
            })
        }
        // A count of rows is no number of a question: what has a default keeps it.
        Kind::Integer | Kind::Number if parameter.default.is_some() => None,
        Kind::Integer | Kind::Number => number(declared, parameter, asked, filled),
        // Nobody says true or false in a question.
        Kind::Boolean => None,
    })
}

/// The next number. What may be one or several, as `5 100`, is one, unless there are too few for what is needed.
fn number(
    declared: &Declared,
    parameter: &Parameter,
    asked: &Understood<'_>,
    filled: &mut Filled,
) -> Option<Json> {
    let fits = |number: f64| parameter.kind == Kind::Number || number.fract() == 0.0;
    let is_within =
        |one: &Range<usize>, other: &Range<usize>| other.start <= one.start && one.end <= other.end;
    let is_named = |span: &Range<usize>| asked.named.iter().any(|one| is_within(span, &one.span));
    let numbers = asked.facts.numbers.iter();
    let free: Vec<&(Range<usize>, f64)> = numbers
        .filter(|(span, number)| fits(*number) && filled.is_free(span) && !is_named(span))
        .collect();
    let is_part = |one: &Range<usize>, other: &Range<usize>| one != other && is_within(one, other);
    let is_together = |one: &Range<usize>| !free.iter().any(|(other, _)| is_part(one, other));
    let is_apart = |one: &Range<usize>| !free.iter().any(|(other, _)| is_part(other, one));
    let needed = declared.parameters.iter().filter(|one| {
        let is_number = matches!(one.kind, Kind::Integer | Kind::Number);
        is_number && one.is_needed() && !filled.arguments.contains_key(&one.name)
    });
    let together = free.iter().filter(|(span, _)| is_together(span)).count();
    let has_enough = together >= needed.count();
    let (span, number) = free.iter().find(|(span, _)| match has_enough {
        true => is_together(span),
        false => is_apart(span),
    })?;
    filled.used.push(span.clone());
    match parameter.kind {
        Kind::Integer => Some(Json::from(*number as i64)),
        _ => Number::from_f64(*number).map(Json::Number),
    }
}

/// What the question names of this property: as it stands, or by another name of the same node.
fn name<R: Read>(
    read: &R,
    of: &PropertyOf,
    asked: &Understood<'_>,
    filled: &mut Filled,
) -> Result<Option<Json>, RouteError> {
    let of_label = asked.named.iter().filter(|one| one.label == of.label);
    let free: Vec<&Named> = of_label.filter(|one| filled.is_free(&one.span)).collect();
    if let Some(one) = free.iter().find(|one| one.property == of.property) {
        filled.names.push(one.span.clone());
        return Ok(Some(one.text.as_str().into()));
    }
    for one in free {
        // What many have names none of them.
        let [node] = one.nodes.as_slice() else {
            continue;
        };
        let value = read.property(*node, &of.property)?;
        if let Value::String(_) = value {
            filled.names.push(one.span.clone());
            return Ok(Some(plain(&value)));
        }
    }
    Ok(None)
}

/// The longest choice that stands in the question, in whatever case.
fn choice(choices: &[String], asked: &Understood<'_>, filled: &mut Filled) -> Option<Json> {
    let text = asked.text.to_lowercase();
    let stands = |choice: &&String| {
        let wanted = choice.to_lowercase();
        let whole = |at: usize| {
            let end = at + wanted.len();
            // Scripts without blanks have no ends of words to look for.
            let joins = |one: Option<char>, other: Option<char>| {
                one.zip(other).is_some_and(|(one, other)| {
                    one.is_ascii_alphanumeric() && other.is_ascii_alphanumeric()
                })
            };
            !joins(text[..at].chars().next_back(), wanted.chars().next())
                && !joins(wanted.chars().next_back(), text[end..].chars().next())
        };
        text.match_indices(&wanted).any(|(at, _)| whole(at))
    };
    let found = choices.iter().filter(stands);
    let longest = found.max_by_key(|choice| (choice.len(), std::cmp::Reverse(*choice)))?;
    // It is a word of the question too: what is embedded may have it.
    if let Some(at) = asked.text.find(longest.as_str()) {
        filled.used.push(at..at + longest.len());
    }
    Some(longest.as_str().into())
}

/// What is in quotes, or, of what is embedded, the rest of the question.
fn text(
    declared: &Declared,
    parameter: &Parameter,
    asked: &Understood<'_>,
    filled: &mut Filled,
) -> Option<Json> {
    let quoted = &asked.facts.quoted;
    if let Some((span, text)) = quoted.iter().find(|(span, _)| filled.is_free(span)) {
        filled.used.push(span.clone());
        return Some(text.as_str().into());
    }
    if parameter.embedded {
        return Some(rest(asked.text, filled).into());
    }
    // A name of what it finds is what a text of it most likely is.
    let of_target = |one: &&Named| {
        declared.target.as_deref() == Some(one.label.as_str()) && filled.is_free(&one.span)
    };
    let one = asked.named.iter().find(of_target)?;
    filled.names.push(one.span.clone());
    Some(one.text.as_str().into())
}

/// The question without what other arguments have taken, or all of it if nothing else is left.
fn rest(text: &str, filled: &Filled) -> String {
    let mut taken: Vec<&Range<usize>> = filled.names.iter().chain(&filled.used).collect();
    taken.sort_by_key(|span| span.start);
    let mut rest = String::new();
    let mut at = 0;
    for span in taken {
        rest.push_str(text.get(at..span.start).unwrap_or_default());
        rest.push(' ');
        at = at.max(span.end);
    }
    rest.push_str(text.get(at..).unwrap_or_default());
    let rest = match letters(&rest) {
        0 => text.to_owned(),
        _ => rest.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    rest.chars().take(LONGEST_TEXT).collect()
}
