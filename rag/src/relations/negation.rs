//! Which names negate: by the words of English, Italian, German, French, Spanish and Chinese that do.
//!
//! Two negations in one name are none. Chinese words that only look like one are passed over.

/// Words that negate, each by itself. Of French it is what comes behind the verb, as "ne" is often left out.
const WORDS: [&str; 16] = [
    "cannot", "lacks", "never", "nicht", "nie", "niemals", "no", "non", "none", "not", "ohne",
    "pas", "sans", "senza", "sin", "without",
];
/// What words begin with that negate by themselves: "kein" in all its cases.
const KEIN: &str = "kein";
/// Words that negate together with one of those, or alone: "non ha mai" and "neither a nor b" negate once.
const ALONG: [&str; 18] = [
    "aucun", "aucune", "jamais", "jamás", "mai", "neither", "neppure", "nessun", "nessuna",
    "nessuno", "ninguna", "ninguno", "ningún", "nor", "nunca", "né", "tampoco", "weder",
];

/// What negates in Chinese, and words that have such a sign and do not.
const SIGNS: [&str; 8] = ["没有", "不", "未", "无", "非", "没", "勿", "莫"];
const NO_NEGATIONS: [&str; 14] = [
    "不动产",
    "不仅",
    "不断",
    "不但",
    "不过",
    "不久",
    "未来",
    "非常",
    "非洲",
    "无线",
    "无论",
    "除非",
    "莫非",
    "不管",
];

/// Whether the name of a relation says that something is not so.
#[must_use]
pub fn negates(name: &str) -> bool {
    let words = as_words(name);
    let (mut count, mut along) = (0, false);
    for word in words.split(' ') {
        let short = word.contains("n't") || word.contains("n’t");
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        count += usize::from(short || WORDS.contains(&word) || word.starts_with(KEIN));
        along |= ALONG.contains(&word);
    }
    count += usize::from(count == 0 && along);
    let mut rest = words.as_str();
    while let Some(sign) = rest.chars().next() {
        if let Some(word) = NO_NEGATIONS.iter().find(|word| rest.starts_with(**word)) {
            rest = &rest[word.len()..];
        } else if let Some(found) = SIGNS.iter().find(|found| rest.starts_with(**found)) {
            count += 1;
            rest = &rest[found.len()..];
        } else {
            rest = &rest[sign.len_utf8()..];
        }
    }
    count % 2 == 1
}

/// A name as words in lower case: `non_si_applica`, `doesNotApply` and `does-not-apply` are three each.
pub(super) fn as_words(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for sign in name.chars() {
        let hump = sign.is_uppercase() && before.is_lowercase();
        let blank = sign.is_whitespace() || matches!(sign, '_' | '-');
        if (hump || blank) && !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
        if !blank {
            words.extend(sign.to_lowercase());
        }
        before = sign;
    }
    words.truncate(words.trim_end().len());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_negate_in_six_languages() {
        for name in [
            "is not",
            "does not apply to",
            "doesn't apply",
            "isNotPartOf",
            "IS_NOT",
            "cannot be",
            "without",
            "is neither nor",
            "non è",
            "non_si_applica_a",
            "è_senza",
            "non ha mai",
            "nessuno può",
            "nicht erlaubt",
            "hat_keine",
            "ist keiner von",
            "gilt nie für",
            "ohne",
            "istWederNoch",
            "n'est pas",
            "ne s'applique jamais à",
            "payé sans",
            "no es",
            "no se aplica nunca a",
            "jamás pagado por",
            "sin",
            "不是",
            "不适用于",
            "未批准",
            "没有",
            "非",
        ] {
            assert!(negates(name), "{name}");
        }
        for name in [
            "is",
            "applies to",
            "notes",
            "è",
            "si_applica_a",
            "annota",
            "nonno di",
            "是",
            "适用于",
            "拥有不动产",
            "非常重视",
            "non può non",
            "",
            "nota",
            "none the less is not",
            "nicht ohne",
            "keimt in",
            "passe à",
            "sindaco di",
        ] {
            assert!(!negates(name), "{name}");
        }
    }

    #[test]
    fn names_are_words() {
        assert_eq!(as_words("doesNotApply_to"), "does not apply to");
        assert_eq!(as_words("  È_tipo-DI "), "è tipo di");
    }
}
