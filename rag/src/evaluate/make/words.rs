//! Questions in words, without a model: names and relations of the graph in sentences of ours.

use super::pattern::{Graph, Stated};
use crate::build::canonical;
use crate::extract::Language;

/// What no collection of facts about its own subject answers; which of it does is looked up.
const OUT_OF_DOMAIN: [[&str; 10]; 3] = [
    [
        "How long does an egg have to boil until it is soft?",
        "Which piece may jump over others in chess?",
        "Who wrote the novel about a white whale?",
        "How is a bicycle tyre patched?",
        "Why do leaves turn red in autumn?",
        "How many strings does a violin have?",
        "What is the offside rule in football?",
        "Which planet has the widest rings?",
        "How is sourdough kept alive?",
        "Why does a cat purr?",
    ],
    [
        "Qual è la ricetta della pasta alla carbonara?",
        "Come si muove il cavallo negli scacchi?",
        "Chi ha dipinto la Gioconda?",
        "Come si ripara la camera d'aria di una bicicletta?",
        "Perché le foglie diventano rosse in autunno?",
        "Quante corde ha un violino?",
        "Quale pianeta ha gli anelli più larghi?",
        "Come si conserva il lievito madre?",
        "Perché il gatto fa le fusa?",
        "Quanto dura una partita di pallavolo?",
    ],
    [
        "鸡蛋要煮多久才能保持溏心？",
        "国际象棋里马怎么走？",
        "小提琴有几根弦？",
        "自行车轮胎怎么补？",
        "秋天的树叶为什么会变红？",
        "哪颗行星的光环最宽？",
        "猫为什么会打呼噜？",
        "足球的越位规则是什么？",
        "酸面团怎样养？",
        "谁画了蒙娜丽莎？",
    ],
];
/// A name of so many words is looked for in a question.
const MOST_WORDS: usize = 4;

/// The language of a graph's facts, and sentences in it.
pub(super) struct Words {
    language: Language,
}

impl Words {
    /// In the language of the facts.
    pub(super) fn of(graph: &Graph) -> Self {
        let mut text = String::new();
        for fact in graph.facts.iter().take(200) {
            let parts = [&fact.subject, &fact.predicate, &fact.object, &fact.source];
            for part in parts {
                text.push_str(&spoken(part));
                text.push(' ');
            }
        }
        Self {
            language: Language::of(&text),
        }
    }

    /// What a fact says of its subject.
    pub(super) fn single(&self, fact: &Stated, random: &mut fastrand::Rng) -> String {
        let (subject, predicate) = (&fact.subject, spoken(&fact.predicate));
        let forms = match self.language {
            Language::Italian => [
                format!("Che cosa è in relazione con “{subject}” secondo «{predicate}»?"),
                format!("“{subject}” {predicate} che cosa?"),
            ],
            Language::Chinese => [
                format!("“{subject}”{predicate}什么？"),
                format!("与“{subject}”有“{predicate}”关系的是什么？"),
            ],
            Language::English => [
                format!("What is it that “{subject}” {predicate}?"),
                format!("“{subject}” {predicate} what?"),
            ],
        };
        one_of(forms, random)
    }

    /// What a fact says of the object of another.
    pub(super) fn two(
        &self,
        first: &Stated,
        second: &Stated,
        random: &mut fastrand::Rng,
    ) -> String {
        let (subject, predicate, next) = (
            &first.subject,
            spoken(&first.predicate),
            spoken(&second.predicate),
        );
        let forms = match self.language {
            Language::Italian => [
                format!(
                    "“{subject}” {predicate} qualcosa: e questo, a sua volta, {next} che cosa?"
                ),
                format!("Ciò che “{subject}” {predicate}: {next} che cosa?"),
            ],
            Language::Chinese => [
                format!("“{subject}”{predicate}的东西，又{next}什么？"),
                format!("“{subject}”{predicate}某物，此物{next}什么？"),
            ],
            Language::English => [
                format!("“{subject}” {predicate} something. What is it that this in turn {next}?"),
                format!("That which “{subject}” {predicate}: what is it that it {next}?"),
            ],
        };
        one_of(forms, random)
    }

    /// The two questions about all that is said of a thing.
    pub(super) fn hub(&self, name: &str) -> [String; 2] {
        match self.language {
            Language::Italian => [
                format!("Che cosa si sa di “{name}”, e con che cosa è in relazione?"),
                format!("Quali fatti riguardano “{name}”?"),
            ],
            Language::Chinese => [
                format!("关于“{name}”有哪些事实，它与什么有关？"),
                format!("“{name}”涉及哪些内容？"),
            ],
            Language::English => [
                format!("What is known of “{name}”, and what is it connected with?"),
                format!("Which facts are about “{name}”?"),
            ],
        }
    }

    /// Questions that name nothing that the graph knows.
    pub(super) fn out_of_domain(&self, graph: &Graph) -> Vec<&'static str> {
        let place = Language::ALL.iter().position(|one| *one == self.language);
        let all = OUT_OF_DOMAIN[place.unwrap_or(0)];
        let is_foreign = |question: &&str| !names_of(question).any(|name| graph.names(&name));
        all.into_iter().filter(is_foreign).collect()
    }
}

/// A relation as it is read out: `stabilito_da` is two words.
fn spoken(name: &str) -> String {
    name.replace('_', " ")
}

fn one_of(forms: [String; 2], random: &mut fastrand::Rng) -> String {
    let [one, other] = forms;
    if random.bool() { one } else { other }
}

/// All that a question may name, as the graph would call it. Short words are names by chance; a sign of Chinese is not
/// short.
fn names_of(question: &str) -> impl Iterator<Item = String> {
    let words: Vec<&str> = question
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let runs = (1..=MOST_WORDS).flat_map(move |length| {
        let runs: Vec<String> = words
            .windows(length)
            .map(|run| canonical(&run.join(" ")))
            .collect();
        runs
    });
    runs.filter(|name| name.len() > 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_may_name_is_looked_up_as_the_graph_calls_it() {
        let names: Vec<String> = names_of("Who wrote the White  Whale?").collect();
        for name in ["whale", "white whale", "the white whale"] {
            assert!(names.iter().any(|known| known == name), "{names:?}");
        }
        assert!(!names.iter().any(|known| known == "who"));
    }
}
