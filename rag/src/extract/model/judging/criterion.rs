//! By what one answer is better than another: the criteria of the published evaluations, and whatever else somebody wants.

use super::super::super::{ExtractError, Language};

/// The longest name of a criterion: it becomes part of the names of measures.
const LONGEST_NAME: usize = 40;
/// The longest text that says what one means.
const LONGEST_MEANING: usize = 1000;

/// By what one answer is better than another.
///
/// ```
/// use stratigraph_rag::extract::model::Criterion;
///
/// assert_eq!(Criterion::of("diversity")?.name(), "diversity");
/// assert_eq!(Criterion::of("brevity=how short it is while it says all")?.name(), "brevity");
/// assert!(Criterion::of("charm").is_err());
/// # Ok::<(), stratigraph_rag::extract::ExtractError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    name: String,
    meaning: Meaning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    /// In the languages of prompts, in their order.
    Ours([&'static str; Language::ALL.len()]),
    Own(String),
}

/// TagRAG's four, then the three of the audit system.
const KNOWN: [(&str, [&str; Language::ALL.len()]); 7] = [
    (
        "comprehensiveness",
        [
            "how much detail the answer has, and whether it covers all sides of the question",
            "quanti dettagli ha la risposta, e se copre tutti gli aspetti della domanda",
            "回答有多详细，是否涵盖问题的各个方面",
        ],
    ),
    (
        "diversity",
        [
            "how varied and rich it is in perspectives and insights on the question",
            "quanto è varia e ricca di prospettive e di spunti sulla domanda",
            "对问题的视角和见解有多丰富多样",
        ],
    ),
    (
        "empowerment",
        [
            "how well it helps the reader to understand the matter and to judge it for himself",
            "quanto bene aiuta chi legge a capire l'argomento e a giudicarne da sé",
            "在多大程度上帮助读者理解该主题并自行作出判断",
        ],
    ),
    (
        "overall",
        [
            "all things taken together: comprehensiveness, diversity and empowerment",
            "tutto considerato: completezza, varietà e aiuto a chi legge",
            "综合考虑：全面性、多样性以及对读者的帮助",
        ],
    ),
    (
        "relevance",
        [
            "how closely it keeps to what was asked, without what was not",
            "quanto si attiene a ciò che è stato chiesto, senza altro",
            "在多大程度上紧扣所问，而不谈无关内容",
        ],
    ),
    (
        "completeness",
        [
            "whether it says everything that was asked for",
            "se dice tutto ciò che è stato chiesto",
            "是否说全了所问的内容",
        ],
    ),
    (
        "logic",
        [
            "whether it is in order, consistent, and each step follows from those before it",
            "se è ordinata, coerente, e ogni passo segue dai precedenti",
            "是否条理清楚、前后一致，每一步都由前面得出",
        ],
    ),
];

impl Criterion {
    /// The criteria of TagRAG, by which answers are compared if nothing else is said.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        let usual = KNOWN.iter().take(4);
        usual
            .map(|(name, meanings)| Self::ours(name, *meanings))
            .collect()
    }

    /// A known one by its name, or one of one's own: `NAME=WHAT IT MEANS`.
    ///
    /// # Errors
    /// [`ExtractError::Setting`].
    pub fn of(text: &str) -> Result<Self, ExtractError> {
        let wrong = |problem| ExtractError::Setting {
            setting: "criterion",
            problem,
        };
        let Some((name, meaning)) = text.split_once('=') else {
            let known = KNOWN.iter().find(|(name, _)| *name == text);
            let known = known.map(|(name, meanings)| Self::ours(name, *meanings));
            return known.ok_or_else(|| {
                wrong("has to be comprehensiveness, diversity, empowerment, overall, relevance, completeness or logic, or one of your own: NAME=WHAT IT MEANS")
            });
        };
        let is_plain =
            |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            return Err(wrong(
                "has to have a name of small letters, digits and `_`, at most 40",
            ));
        }
        let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
        if meaning.is_empty() || meaning.len() > LONGEST_MEANING {
            return Err(wrong("has to say what it means, in at most 1000 bytes"));
        }
        Ok(Self {
            name: name.to_owned(),
            meaning: Meaning::Own(meaning),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn ours(name: &str, meanings: [&'static str; Language::ALL.len()]) -> Self {
        Self {
            name: name.to_owned(),
            meaning: Meaning::Ours(meanings),
        }
    }

    /// As a model is told it.
    pub(super) fn line(&self, language: Language) -> String {
        let meaning = match &self.meaning {
            Meaning::Own(meaning) => meaning.as_str(),
            Meaning::Ours(meanings) => {
                let place = Language::ALL.iter().position(|one| *one == language);
                meanings[place.unwrap_or(0)]
            }
        };
        format!("{}: {meaning}", self.name)
    }
}
