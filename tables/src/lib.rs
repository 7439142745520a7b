//! Records of files that other programs write: CSV and JSON lines, field by field, with types and places. And the way
//! back: a graph as such files.
//!
//! What records mean is the business of whoever reads them: an import makes a graph of them as it is, a reader of
//! documents what a mapping says. Nothing here trusts a file or holds more of it than a record.
//!
//! ```
//! use stratigraph_tables::{CsvReader, Kind, Next, Signs};
//!
//! let file = "name,born\n\"O'Neill, Bob\",1984\n".as_bytes();
//! let mut records = CsvReader::new(file, "people.csv".into(), Signs::default(), 1 << 20);
//! assert!(matches!(records.read()?, Next::Record)); // the header
//! assert!(matches!(records.read()?, Next::Record));
//! let born = records.field(1).unwrap();
//! assert_eq!((born.text, born.line, born.column), ("1984", 2, 16));
//! let kind = Kind::named("int").unwrap();
//! assert_eq!(kind.read(born.text, ';').unwrap().as_int(), Some(1984));
//! # Ok::<(), stratigraph_tables::TableError>(())
//! ```
//!
//! | what | where |
//! |---|---|
//! | records of CSV, and fields as they are written | [`csv_reader`], [`csv_field`] |
//! | lines of JSON | [`json_lines`] |
//! | the types of fields, and JSON as one of them | [`kind`], [`json_value`] |
//! | what mappings have in common | [`mapping`] |
//! | what is wrong, and where | [`place`] |
//! | a graph as JSON lines, CSV, or statements | [`export`] |

pub mod csv_field;
pub mod csv_reader;
pub mod export;
pub mod json_lines;
pub mod json_value;
pub mod kind;
pub mod mapping;
pub mod place;

pub use csv_reader::{CsvReader, Field, Next, Signs};
pub use json_lines::{BadLine, Entries, Lines, object};
pub use kind::{Kind, Simple};
pub use place::{BadRecord, Place, Problem, TableError, excerpt};
