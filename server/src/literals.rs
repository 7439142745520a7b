//! Texts of statements without what somebody wrote into them: a literal may be a secret, and logs and lists are read by
//! others than those who may read the data. Parameters are never in them.

/// What stands in the place of a literal.
const LEFT_OUT: &str = "'…'";

/// A text, or a plan, with `'…'` for each string in it, and without comments. One that does not end takes the rest.
pub(crate) fn without_literals(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`', '/']) {
        let (before, from) = rest.split_at(at);
        told.push_str(before);
        let first = from.chars().next().unwrap_or_default();
        let length = match first {
            '/' if from.starts_with("//") => {
                told.push_str("//");
                from.find('\n').unwrap_or(from.len())
            }
            '/' if from.starts_with("/*") => {
                told.push_str("/* */");
                let end = from.get(2..).and_then(|inside| inside.find("*/"));
                end.map_or(from.len(), |end| end + 4)
            }
            '/' => {
                told.push('/');
                1
            }
            // A name, which may have quotes in it.
            '`' => {
                let end = quoted(from, '`');
                told.push_str(from.get(..end).unwrap_or_default());
                end
            }
            quote => {
                told.push_str(LEFT_OUT);
                quoted(from, quote)
            }
        };
        rest = from.get(length..).unwrap_or_default();
    }
    told + rest
}

/// How long it is to the end of what is quoted.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = true; // The first one opens.
    for (at, one) in text.char_indices() {
        match one {
            _ if escaped => escaped = false,
            // In names as in strings.
            '\\' => escaped = true,
            _ if one == quote => return at + one.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::without_literals;

    #[test]
    fn strings_and_comments_are_left_out_and_the_rest_stays() {
        for (text, told) in [
            ("MATCH (n) RETURN n.x / 2", "MATCH (n) RETURN n.x / 2"),
            ("RETURN 'a', \"b\" AS x", "RETURN '…', '…' AS x"),
            (r"RETURN 'a\'b' + 'c\\' AS x", "RETURN '…' + '…' AS x"),
            ("RETURN 'it''s'", "RETURN '…''…'"),
            ("MATCH (n:`it's`) RETURN 'x'", "MATCH (n:`it's`) RETURN '…'"),
            (
                r"MATCH (n:`a\`'`) RETURN 'x'",
                r"MATCH (n:`a\`'`) RETURN '…'",
            ),
            (r"MATCH (n:`a\\`) RETURN 'x'", r"MATCH (n:`a\\`) RETURN '…'"),
            ("RETURN 1 // 'secret'\n+ 2", "RETURN 1 //\n+ 2"),
            ("RETURN /* secret */ 1", "RETURN /* */ 1"),
            ("RETURN /*/ 'secret' */ 1", "RETURN /* */ 1"),
            ("RETURN 'secret", "RETURN '…'"),
            ("RETURN /* secret", "RETURN /* */"),
            ("RETURN \"ä'ö\" + `", "RETURN '…' + `"),
            ("", ""),
        ] {
            assert_eq!(without_literals(text), told, "{text}");
        }
    }
}
