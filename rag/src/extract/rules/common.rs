//! Words that say little by themselves, in English, Italian and Chinese.

/// The commonest words of English and Italian, sorted: articles, pronouns, prepositions, auxiliaries.
const COMMON: &[&str] = &[
    "a", "about", "above", "ad", "after", "again", "against", "agli", "ai", "al", "all", "alla",
    "alle", "allo", "also", "altra", "altre", "altri", "altro", "am", "an", "anche", "ancora",
    "and", "any", "are", "as", "at", "be", "because", "been", "before", "being", "below",
    "between", "both", "but", "by", "can", "cannot", "che", "chi", "ci", "ciascun", "ciascuna",
    "ciò", "col", "come", "con", "così", "could", "cui", "da", "dagli", "dai", "dal", "dall",
    "dalla", "dalle", "dallo", "degli", "dei", "del", "dell", "della", "delle", "dello", "deve",
    "devono", "di", "did", "do", "does", "doing", "done", "dopo", "dove", "down", "due", "during",
    "each", "ed", "either", "else", "era", "erano", "esse", "essere", "essi", "etc", "even",
    "ever", "every", "few", "first", "for", "fra", "from", "further", "gli", "ha", "had", "hanno",
    "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how", "however", "i",
    "if", "il", "in", "into", "is", "it", "its", "just", "la", "le", "less", "lo", "loro", "ma",
    "made", "make", "many", "may", "me", "might", "more", "most", "much", "must", "my", "ne",
    "negli", "nei", "neither", "nel", "nell", "nella", "nelle", "nello", "new", "no", "noi", "non",
    "nor", "not", "o", "od", "of", "off", "often", "ogni", "on", "once", "one", "only", "or",
    "other", "others", "our", "out", "over", "own", "per", "perché", "più", "poi", "possono",
    "può", "qual", "quale", "quali", "quando", "quanto", "quella", "quelle", "quelli", "quello",
    "questa", "queste", "questi", "questo", "rather", "same", "se", "second", "sei", "senza",
    "shall", "she", "should", "si", "sia", "siano", "since", "so", "some", "sono", "sotto", "sta",
    "stata", "state", "stati", "stato", "still", "su", "such", "sugli", "sui", "sul", "sull",
    "sulla", "sulle", "sullo", "tale", "tali", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "third", "this", "those", "through", "thus", "to", "too", "tra",
    "tutte", "tutti", "tutto", "two", "un", "una", "under", "une", "uno", "until", "up", "upon",
    "us", "use", "used", "using", "vengono", "very", "viene", "was", "we", "well", "were", "what",
    "when", "where", "which", "while", "who", "whom", "why", "will", "with", "within", "without",
    "would", "yet", "you", "your", "è",
];

/// What stands between the words of a name.
const CONNECTORS: [&str; 20] = [
    "da", "dal", "dalla", "de", "degli", "dei", "del", "dell", "della", "delle", "dello", "di",
    "for", "la", "nel", "nella", "of", "per", "the", "von",
];

/// Names of days and months, which are capitals in English and no things.
const DATES: [&str; 19] = [
    "april",
    "august",
    "december",
    "february",
    "friday",
    "january",
    "july",
    "june",
    "march",
    "may",
    "monday",
    "november",
    "october",
    "saturday",
    "september",
    "sunday",
    "thursday",
    "tuesday",
    "wednesday",
];

/// Chinese signs that bind words and are seldom part of a name.
const BINDING: &str = "的了是在与及和等为于之其由对将应当可不未也且或者并而以从向到被把让使得着过个这那此该各每又都还就才很";

/// Whether a lower-case word says little by itself.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

pub(super) fn is_connector(word: &str) -> bool {
    CONNECTORS.contains(&word)
}

pub(super) fn is_date(word: &str) -> bool {
    DATES.contains(&word)
}

pub(super) fn is_binding(sign: char) -> bool {
    BINDING.contains(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_as_it_is_searched() {
        assert!(COMMON.is_sorted());
        assert!(is_common("the") && is_common("è") && !is_common("basalt"));
    }
}
