//! `--under`: what stands before the names of documents, so that two folders can have the same names below them.

use std::str::FromStr;

/// A name with a slash behind it; nothing if none is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Under(String);

impl FromStr for Under {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.trim_matches('/');
        let is_plain = |part: &str| !matches!(part.trim(), "" | "." | "..");
        let is_odd = |letter: char| letter == '\\' || letter.is_control();
        match name.split('/').all(is_plain) && !name.contains(is_odd) {
            true => Ok(Self(format!("{name}/"))),
            false => Err(
                "name what documents are to lie under, such as --under reports or --under reports/2021: no part of it is empty, `.` or `..`, and no backslash or control character is in it"
                    .to_owned(),
            ),
        }
    }
}

impl Under {
    /// The name of a document of this path.
    pub(super) fn name(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// The path of a document of this name.
    pub(super) fn path<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(&self.0).unwrap_or(name)
    }

    /// Whether a document of this name lies under it.
    pub(super) fn has(&self, name: &str) -> bool {
        name.starts_with(&self.0)
    }

    /// Whether everything lies under it, as no name is given.
    pub(super) fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// All that lies under it, in words.
    pub(super) fn all(&self) -> String {
        match self.0.strip_suffix('/') {
            Some(name) => format!("everything under {name}"),
            None => "everything".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lie_under_what_is_said_and_no_others_do() {
        let under: Under = "/a/b/".parse().unwrap();
        assert_eq!(under.name("2021/x.md"), "a/b/2021/x.md");
        assert_eq!(under.path("a/b/2021/x.md"), "2021/x.md");
        assert!(under.has("a/b/x.md") && !under.has("a/bc/x.md") && !under.has("a/b"));
        assert!(under.all() == "everything under a/b" && !under.is_all());
        let none = Under::default();
        assert_eq!(
            (none.name("x.md"), none.path("x.md")),
            ("x.md".to_owned(), "x.md")
        );
        assert!(none.has("x.md") && none.all() == "everything" && none.is_all());
    }

    #[test]
    fn a_name_has_parts_that_say_something_and_lead_nowhere_else() {
        for odd in [
            "", "/", "//", " ", "a//b", "a/ /b", ".", "./a", "a/.", "..", "../a", "a/../b", "a\\b",
            "a\nb", "a\u{7f}",
        ] {
            assert!(odd.parse::<Under>().is_err(), "{odd:?}");
        }
        for name in ["a", "a/b", "a b", ".a", "a..b", "报告/2021"] {
            assert_eq!(
                name.parse::<Under>().unwrap().name("x"),
                format!("{name}/x")
            );
        }
    }
}
