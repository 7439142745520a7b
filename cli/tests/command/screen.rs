//! What somebody sees at a terminal, of the bytes that came: enough of one to read a conversation.

/// A screen without an end: what has scrolled away is still there.
#[derive(Default)]
pub(crate) struct Screen {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// Bytes of a sign that is not whole yet.
    rest: Vec<u8>,
}

impl Screen {
    pub(crate) fn new() -> Self {
        Self {
            rows: vec![Vec::new()],
            ..Self::default()
        }
    }

    /// Takes what came.
    pub(crate) fn show(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8(self.rest.drain(..whole).collect()).unwrap();
        let mut characters = text.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\r' => self.column = 0,
                '\n' => self.down(),
                '\u{8}' => self.column = self.column.saturating_sub(1),
                '\u{7}' => {}
                '\u{1b}' => {
                    // `ESC [ numbers letter`; one that is cut waits for the rest.
                    let sign = text[at..]
                        .char_indices()
                        .skip(2)
                        .find(|(_, one)| one.is_ascii_alphabetic());
                    let Some((end, letter)) = sign else {
                        self.rest = text.as_bytes()[at..].to_vec();
                        return;
                    };
                    self.steer(&text[at + 2..at + end], letter);
                    for _ in 1..text[at..at + end + 1].chars().count() {
                        characters.next();
                    }
                }
                other => self.put(other),
            }
        }
    }

    fn down(&mut self) {
        self.row += 1;
        while self.rows.len() <= self.row {
            self.rows.push(Vec::new());
        }
    }

    fn put(&mut self, character: char) {
        let row = &mut self.rows[self.row];
        while row.len() <= self.column {
            row.push(' ');
        }
        row[self.column] = character;
        self.column += 1;
    }

    fn steer(&mut self, numbers: &str, letter: char) {
        let number = numbers.parse::<usize>().unwrap_or(1);
        match letter {
            'A' => self.row = self.row.saturating_sub(number),
            'B' => (0..number).for_each(|_| self.down()),
            'C' => self.column += number,
            'D' => self.column = self.column.saturating_sub(number),
            'G' => self.column = number.saturating_sub(1),
            'K' => self.rows[self.row].truncate(self.column),
            'J' => {
                self.rows[self.row].truncate(self.column);
                self.rows.truncate(self.row + 1);
            }
            // Colours, and what a terminal can switch.
            _ => {}
        }
    }

    /// The row of the cursor, and what stands in it.
    pub(crate) fn here(&self) -> (usize, String) {
        (self.row, self.rows[self.row].iter().collect())
    }

    /// All of it.
    pub(crate) fn text(&self) -> String {
        let rows = self.rows.iter().map(|row| row.iter().collect::<String>());
        rows.map(|row| row.trim_end().to_owned() + "\n").collect()
    }
}

#[test]
fn a_screen_shows_what_is_left_of_the_bytes() {
    let mut screen = Screen::new();
    screen.show(b"> abd\x08c\r\n> x\r\x1b[K> \x1b[1;34mRET\x1b[0mURN\xE5");
    screen.show(b"\x9C\xB0\x1b[");
    screen.show(b"2D!\r\n");
    assert_eq!(screen.text(), "> abc\n> RETUR!地\n\n");
}
