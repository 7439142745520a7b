//! Addresses in what a model writes: what a reader may click on, and a program that shows Markdown or HTML may fetch.
//!
//! A document may tell a model to write an address that carries off what other documents say, and that needs no scheme:
//! `//host/p.png?q=secret` in a picture will do. So whatever can be read as an address is held against the text; prose such as
//! `and/or`, `km/h` and `notes.md` is none.

use super::super::language::is_han;
use super::Ground;

/// What an address begins with, or has behind its scheme.
const SIGNS: [&str; 5] = ["://", "www.", "javascript:", "mailto:", "data:"];

/// Between the text of a link or picture of Markdown and its target.
const LINK: &str = "](";

/// What names of files end with, and no host does: `Node.js/Express` is none.
const FILES: [&str; 21] = [
    "cpp", "csv", "doc", "docx", "exe", "htm", "html", "java", "jpg", "js", "json", "pdf", "png",
    "sql", "svg", "toml", "ts", "txt", "xlsx", "xml", "yaml",
];

/// Whether a word, or a name of several, has an address.
pub(super) fn is_address(word: &str) -> bool {
    // Few words have one of these, and each of the parts below has.
    if !word.contains([':', '.', '/', '\\', '(']) {
        return false;
    }
    let word = word.to_lowercase();
    SIGNS.iter().any(|sign| word.contains(sign))
        || word.contains(LINK)
        || begins_at_a_host(&word)
        || has_bare_host(&word)
}

/// Whether a word has an address that the ground has not. Of a link the target counts, whatever it is.
pub(super) fn is_foreign(word: &str, ground: &Ground) -> bool {
    if !is_address(word) {
        return false;
    }
    let is_unknown = |part: &str| {
        let bare = part.trim_matches(|sign: char| !sign.is_alphanumeric());
        !bare.is_empty() && !ground.has(bare)
    };
    let mut parts = word.split(LINK);
    let text = parts.next().unwrap_or_default();
    (is_address(text) && is_unknown(text)) || parts.any(is_unknown)
}

/// Whether an address without its scheme stands here: `//host`. Browsers read a backslash as a slash.
fn begins_at_a_host(word: &str) -> bool {
    let slashed = word.replace('\\', "/");
    slashed.match_indices("//").any(|(at, _)| {
        // "and//or" is none; signs of Chinese have no blank before what comes next.
        let before = slashed[..at].chars().next_back();
        let is_within = before.is_some_and(|sign| sign.is_alphanumeric() && !is_han(sign));
        let rest = slashed[at..].trim_start_matches('/');
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // With backslashes, what has no dot is an escape in a program or a formula.
        let is_host = match word[at..].starts_with("//") {
            true => rest.contains(char::is_alphanumeric),
            false => host.contains('.'),
        };
        !is_within && is_host
    })
}

/// Whether a host stands here with something of it: `host.tld/`, `host.tld?q=1`.
fn has_bare_host(word: &str) -> bool {
    word.match_indices(['/', '?']).any(|(at, sign)| {
        let before = &word[..at];
        let mut host = run_before(before);
        let mut rest = &before[..before.len() - host.len()];
        let is_port = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(named) = rest.strip_suffix(':').filter(|_| is_port) {
            host = run_before(named);
            rest = &named[..named.len() - host.len()];
        }
        // "notes.md?" ends a question.
        let says = sign == "/" || word[at + 1..].contains(char::is_alphanumeric);
        // What stands behind a slash is a part of a path.
        says && !rest.ends_with('/') && is_host(host)
    })
}

/// The signs at the end of a text that a host may have.
fn run_before(text: &str) -> &str {
    let is_of_host = |sign: char| sign.is_alphanumeric() || matches!(sign, '.' | '-');
    text.rsplit(|sign: char| !is_of_host(sign))
        .next()
        .unwrap_or_default()
}

/// Whether this is the name of a host: parts between dots, the last of which is a word. "e.g.", "3.5" and "d.c" are none.
fn is_host(name: &str) -> bool {
    let name = name.trim_start_matches(['.', '-']);
    let Some((before, last)) = name.rsplit_once('.') else {
        return false;
    };
    let is_letter = |sign: char| sign.is_alphabetic() && !is_han(sign);
    let is_word = last.chars().count() > 1 && last.chars().all(is_letter);
    (is_word || last.starts_with("xn--"))
        && !FILES.contains(&last)
        && before.split('.').all(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_can_be_read_as_an_address_is_one() {
        for word in [
            "https://evil.example/?q=1",
            "www.evil.example",
            "JavaScript:alert(1)",
            "![more](//evil.example/p.png?q=secret)",
            "[open](//evil.example/b)",
            "[open](evil)",
            "door](https:evil.example)",
            "//evil.example",
            "(//evil.example/b).",
            "///evil.example",
            "//@evil.example/",
            "src=//evil",
            "\\\\evil.example\\b",
            "src=/\\evil.example",
            "见//evil.example/b",
            "evil.example/c?q=1",
            "EVIL.example/",
            "evil.example?q",
            "evil.example?%71",
            "evil.example:8080/x",
            "user@evil.example/x",
            "…evil.example/c",
            "...evil.example/c",
            "(see:evil.co.uk/x)",
            "evil.рф/x",
            "evil.xn--p1ai/x",
        ] {
            assert!(is_address(word), "{word}");
        }
    }

    #[test]
    fn prose_is_none() {
        for word in [
            "and/or",
            "and//or",
            "km/h",
            "3.5/4",
            "10.0.0.0/8",
            "e.g./i.e.",
            "e.g/i.e",
            "p.m./a.m.",
            "U.S./U.K.",
            "etc./and",
            "S.p.A./S.r.l.",
            "50/2016",
            "D.Lgs.",
            "art.68/2016",
            "notes.md",
            "notes.md?",
            "docs/notes.md/x",
            "Node.js/Express",
            "v1.2.3",
            "1.2/1.3",
            "(a)/(b)",
            "f(x)/g(x)",
            "//",
            "\\\\",
            "\\\\alpha",
            "1.公司/个人",
            "Was?",
            "Yes.No?",
            "[1]",
            "at:",
        ] {
            assert!(!is_address(word), "{word}");
        }
    }

    #[test]
    fn what_the_text_has_may_be_written() {
        let ground = Ground::of([
            "See https://bank.example/rates, bank.example/open?now or the D.Lgs/Codice.",
        ]);
        for word in [
            "https://bank.example/rates.",
            "(//bank.example/rates)",
            "[rates](https://bank.example/rates)",
            "bank.example/open?now",
            "D.Lgs/Codice",
            // Nothing is behind it yet.
            "[rates](",
        ] {
            assert!(!is_foreign(word, &ground), "{word}");
        }
        for word in [
            "https://bank.example/rates?q=1",
            "[rates](//evil.example/b)",
            "[rates](javascript:alert)",
            "[https://evil.example/](https://bank.example/rates)",
            "[![a](//evil.example)](https://bank.example/rates)",
            "bank.example/open?then",
        ] {
            assert!(is_foreign(word, &ground), "{word}");
        }
    }
}
