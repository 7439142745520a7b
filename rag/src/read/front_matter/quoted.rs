//! Quotations of YAML: `'it''s'`, and `"a \"b\""` with the escapes that people write. Others are refused by name.

/// What is wrong, and what to do about it.
type Wrong = (String, &'static str);

/// What is quoted at the beginning of a text, and what stands behind it; nothing if it does not begin with a quote.
pub(super) fn quoted(text: &str) -> Result<Option<(String, &str)>, Wrong> {
    let Some(quote) = text.chars().next().filter(|one| matches!(one, '"' | '\'')) else {
        return Ok(None);
    };
    let mut inner = String::new();
    let mut signs = text.char_indices().skip(1).peekable();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\'' if quote == '\'' && signs.next_if(|(_, next)| *next == '\'').is_some() => {
                inner.push('\'');
            }
            _ if sign == quote => return Ok(Some((inner, &text[at + 1..]))),
            '\\' if quote == '"' => {
                let (_, letter) = signs.next().ok_or_else(open)?;
                let digits = match letter {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => {
                        inner.push(escape(letter)?);
                        continue;
                    }
                };
                let digits: String = signs.by_ref().take(digits).map(|(_, one)| one).collect();
                let code = u32::from_str_radix(&digits, 16).ok();
                let sign = code.and_then(char::from_u32);
                inner.push(sign.ok_or_else(|| unknown(&format!("{letter}{digits}")))?);
            }
            sign => inner.push(sign),
        }
    }
    Err(open())
}

/// The sign that a letter stands for.
fn escape(letter: char) -> Result<char, Wrong> {
    Ok(match letter {
        '"' | '\\' | '/' | ' ' => letter,
        '0' => '\0',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        other => return Err(unknown(other.encode_utf8(&mut [0; 4]))),
    })
}

fn open() -> Wrong {
    ("a quotation that does not end".to_owned(), "close it")
}

fn unknown(escape: &str) -> Wrong {
    let hint = "write the sign itself, or two backslashes for one";
    (format!("`\\{escape}` is an escape that is not read"), hint)
}
