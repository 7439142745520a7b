//! What somebody declares: a statement under a name, with typed parameters and words that say what it is for.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use stratigraph_models::{Schema, Tool};

use super::RouteError;

/// The longest name of a query or parameter: endpoints of models take no longer ones.
const LONGEST_NAME: usize = 64;
/// The longest description, in bytes, and the longest example.
const LONGEST_WORDS: usize = 2 << 10;
/// The longest statement, in bytes.
const LONGEST_STATEMENT: usize = 64 << 10;
/// The most parameters of a query, examples of it, and choices of a parameter.
const MOST_PARAMETERS: usize = 32;
const MOST_EXAMPLES: usize = 32;
const MOST_CHOICES: usize = 256;
/// The most characters of a text that is an argument.
pub(crate) const LONGEST_TEXT: usize = 4096;

/// A query that is declared: what a model may call, and a question may be routed to.
///
/// ```
/// use stratigraph_rag::routes::Declared;
///
/// let declared = Declared::parse(
///     r#"
///     name = "clauses_of"
///     description = "The clauses of a document."
///     statement = "MATCH (c:Clause)-[:BELONGS_TO]->(d:Basis {name: $document}) RETURN c"
///     target = "Clause"
///     examples = ["What does the travel directive require?"]
///     [[parameters]]
///     name = "document"
///     type = "text"
///     description = "The name of the document"
///     of = { label = "Basis", property = "name" }
///     "#,
/// )?;
/// assert_eq!(declared[0].schema()["required"][0], "document");
/// assert_eq!(declared[0].tool()["function"]["name"], "clauses_of");
/// # Ok::<(), stratigraph_rag::routes::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// What it is called: letters, digits, `_` and `-` of ASCII, as endpoints of models want it.
    pub name: String,
    /// What it finds, for people, for models, and for whoever compares questions with it.
    pub description: String,
    /// It, in `StratQL`; its arguments are its `$parameters`.
    pub statement: String,
    /// What it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// The label of what it finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Questions that are for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// What a declared query takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// What it is called here and, after a `$`, in the statement.
    pub name: String,
    /// What it has to be.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What it means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether it has to be given; it has to unless something else is said, or it has a default.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub required: bool,
    /// Whether the statement gets the vector of the text. The text itself is `$NAME_text` then, if the statement wants it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub embedded: bool,
    /// What it is if it is not given; null if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
    /// What it may be, of a choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Whose property it names: what a question says of it is looked up there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<PropertyOf>,
}

fn yes() -> bool {
    true
}

/// What an argument has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A text of at most 4,096 characters.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A day, as `1984-10-11`.
    Date,
    /// One of a list of texts.
    Choice,
}

/// A property of nodes with a label.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyOf {
    /// The label.
    pub label: String,
    /// The property.
    pub property: String,
}

/// A file of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    query: Vec<Declared>,
}

impl Declared {
    /// Reads declarations from TOML (one, or several as `[[query]]`) or, where the text begins with a brace or a
    /// bracket, from JSON (one, or a list).
    ///
    /// # Errors
    /// [`RouteError::Declaration`] with the place of what is wrong.
    pub fn parse(text: &str) -> Result<Vec<Self>, RouteError> {
        let wrong = |problem: String| RouteError::declaration("", "", problem);
        let json = |error: serde_json::Error| wrong(error.to_string());
        let all = match text.trim_start().chars().next() {
            Some('{') => vec![serde_json::from_str(text).map_err(json)?],
            Some('[') if serde_json::from_str::<Json>(text).is_ok() => {
                serde_json::from_str(text).map_err(json)?
            }
            _ => {
                let table: toml::Table = toml::from_str(text)
                    .map_err(|error: toml::de::Error| wrong(error.to_string()))?;
                // Which of the two it is decides what is said of what is wrong with it.
                match table.contains_key("query") {
                    true => {
                        let file: Result<File, _> = toml::from_str(text);
                        file.map_err(|error| wrong(error.to_string()))?.query
                    }
                    false => {
                        vec![toml::from_str(text).map_err(|error| wrong(error.to_string()))?]
                    }
                }
            }
        };
        for declared in &all {
            declared.check()?;
        }
        Ok(all)
    }

    /// Whether it can be declared, as far as that can be said without a database.
    ///
    /// # Errors
    /// [`RouteError::Declaration`].
    pub fn check(&self) -> Result<(), RouteError> {
        let wrong =
            |place: &str, problem: String| Err(RouteError::declaration(&self.name, place, problem));
        if let Err(problem) = checked_name(&self.name, true) {
            return wrong("name", problem);
        }
        if let Err(problem) = words(&self.description) {
            return wrong("description", problem);
        }
        if self.statement.trim().is_empty() || self.statement.len() > LONGEST_STATEMENT {
            return wrong(
                "statement",
                format!("may have 1 to {LONGEST_STATEMENT} bytes"),
            );
        }
        if self.parameters.len() > MOST_PARAMETERS {
            return wrong("parameters", format!("are more than {MOST_PARAMETERS}"));
        }
        if self.examples.len() > MOST_EXAMPLES {
            return wrong("examples", format!("are more than {MOST_EXAMPLES}"));
        }
        for (at, example) in self.examples.iter().enumerate() {
            if let Err(problem) = words(example) {
                return wrong(&format!("examples[{at}]"), problem);
            }
        }
        let mut known = BTreeSet::new();
        for (at, parameter) in self.parameters.iter().enumerate() {
            let place = |part: &str| format!("parameters[{at}].{part}");
            if let Err(problem) = checked_name(&parameter.name, false) {
                return wrong(&place("name"), problem);
            }
            if parameter.embedded && parameter.kind != Kind::Text {
                return wrong(&place("embedded"), "is for texts".to_owned());
            }
            let text = parameter.embedded.then(|| parameter.text_name());
            for name in std::iter::once(parameter.name.clone()).chain(text) {
                if !known.insert(name.clone()) {
                    return wrong(&place("name"), format!("is `{name}` a second time"));
                }
            }
            parameter
                .check()
                .or_else(|(part, problem)| wrong(&place(part), problem))?;
        }
        Ok(())
    }

    /// The JSON Schema of its arguments.
    #[must_use]
    pub fn schema(&self) -> Json {
        let properties = self.parameters.iter();
        let properties = properties.map(|one| (one.name.clone(), one.schema()));
        let required = self.parameters.iter().filter(|one| one.is_needed());
        let required: Vec<&str> = required.map(|one| one.name.as_str()).collect();
        json!({
            "type": "object",
            "properties": properties.collect::<Map<_, _>>(),
            "required": required,
            "additionalProperties": false,
        })
    }

    /// It as a definition for function calling, in the form that most endpoints take.
    #[must_use]
    pub fn tool(&self) -> Json {
        json!({
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.schema(),
            },
        })
    }

    /// The same for a model of this house.
    pub(crate) fn as_tool(&self) -> Result<Tool, RouteError> {
        let schema = Schema::new(&self.name, self.schema());
        let wrong = |violation: stratigraph_models::Violation| {
            RouteError::declaration(&self.name, &violation.path, violation.problem)
        };
        Ok(Tool {
            name: self.name.clone(),
            description: self.description.clone(),
            arguments: schema.map_err(wrong)?,
        })
    }

    /// What it is compared with when somebody asks something: what it says of itself, and its examples.
    pub(crate) fn phrases(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.description.as_str()).chain(self.examples.iter().map(String::as_str))
    }
}

impl Parameter {
    /// Whether a call without it is refused.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.required && self.default.is_none()
    }

    /// The name of the text of which the statement gets the vector.
    pub(crate) fn text_name(&self) -> String {
        format!("{}_text", self.name)
    }

    fn check(&self) -> Result<(), (&'static str, String)> {
        if !self.description.is_empty() {
            words(&self.description).map_err(|problem| ("description", problem))?;
        }
        match (self.kind, self.choices.len()) {
            (Kind::Choice, 1..=MOST_CHOICES) => {}
            (Kind::Choice, _) => {
                return Err(("choices", format!("may be 1 to {MOST_CHOICES}")));
            }
            (_, 0) => {}
            _ => return Err(("choices", "are for a `choice`".to_owned())),
        }
        let long = |choice: &&String| choice.is_empty() || choice.len() > LONGEST_WORDS;
        if self.choices.iter().any(|choice| long(&choice)) {
            let problem = format!("may have 1 to {LONGEST_WORDS} bytes each");
            return Err(("choices", problem));
        }
        if self.of.is_some() && !matches!(self.kind, Kind::Text) {
            return Err((
                "of",
                "is for texts: it is what things are called".to_owned(),
            ));
        }
        match &self.default {
            Some(default) => super::arguments::fits(self, default)
                .map_err(|problem| ("default", format!("does not fit: {problem}"))),
            None => Ok(()),
        }
    }

    fn schema(&self) -> Json {
        let kind = match self.kind {
            Kind::Text | Kind::Date | Kind::Choice => "string",
            Kind::Integer => "integer",
            Kind::Number => "number",
            Kind::Boolean => "boolean",
        };
        let mut schema = Map::from_iter([("type".to_owned(), kind.into())]);
        let described = match self.kind {
            Kind::Date => format!("{} (a day, as 1984-10-11)", self.description),
            _ => self.description.clone(),
        };
        if !described.trim().is_empty() {
            schema.insert("description".to_owned(), described.trim().into());
        }
        match self.kind {
            Kind::Text => {
                schema.insert("minLength".to_owned(), 1.into());
                schema.insert("maxLength".to_owned(), LONGEST_TEXT.into());
            }
            Kind::Choice => {
                schema.insert("enum".to_owned(), self.choices.clone().into());
            }
            _ => {}
        }
        if let Some(default) = &self.default {
            schema.insert("default".to_owned(), default.clone());
        }
        Json::Object(schema)
    }
}

/// A name of letters, digits and signs that stand in names everywhere.
fn checked_name(name: &str, may_have_hyphens: bool) -> Result<(), String> {
    let starts = name.starts_with(|sign: char| sign.is_ascii_alphabetic());
    let fits = |sign: char| {
        sign.is_ascii_alphanumeric() || sign == '_' || (sign == '-' && may_have_hyphens)
    };
    match starts && name.len() <= LONGEST_NAME && name.chars().all(fits) {
        true => Ok(()),
        false => Err(format!(
            "begins with a letter, has letters, digits and `_` of ASCII{}, and at most {LONGEST_NAME} of them: endpoints of models take no other",
            if may_have_hyphens { ", `-` too" } else { "" }
        )),
    }
}

fn words(text: &str) -> Result<(), String> {
    match !text.trim().is_empty() && text.len() <= LONGEST_WORDS {
        true => Ok(()),
        false => Err(format!(
            "may have 1 to {LONGEST_WORDS} bytes, and not blanks alone"
        )),
    }
}
