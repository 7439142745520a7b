//! A library of a few documents, and how it is asked.

use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::answer::{Answer, Event};
use stratigraph_rag::door::{Ask, DoorError, Equipment, Incoming, Library, Open, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::retrieve::{Pipeline, Question};

/// Documents about different things, each in a few sentences.
pub(super) const DOCUMENTS: [(&str, &str); 12] = [
    (
        "basalt",
        "Basalt comes from Mount Etna in Sicily. The dark rock was liquid lava before it cooled. In 2021 quarries sold 1,500 tons of it.",
    ),
    (
        "granite",
        "Granite of Mount Blanc cooled slowly far below the ground. Masons polish its pink crystals for stairs and columns. Feldspar and quartz make it hard.",
    ),
    (
        "bees",
        "Honey bees dance to tell their sisters where nectar flows. A hive keeps thirty kilograms of honey for winter. Drones leave the colony before autumn frost.",
    ),
    (
        "bread",
        "Rye bread rises with sour dough and little yeast. Bakers turn the loaf after twenty minutes in the oven. Its crust keeps the crumb moist for days.",
    ),
    (
        "sailing",
        "A sloop has one mast, a jib and a mainsail. Sailors reef canvas when gales rise above thirty knots. The keel keeps the yacht from drifting sideways.",
    ),
    (
        "violins",
        "Violins from Cremona have spruce tops and maple backs. Horsehair bows need rosin to grip the strings. Luthiers carve the scroll with small gouges.",
    ),
    (
        "chess",
        "Castling moves the king and one rook together. Grandmasters prepare openings with computers before tournaments. A pawn that reaches the last rank becomes a queen.",
    ),
    (
        "tea",
        "Green tea leaves are steamed before oxidation begins. Farmers pluck two leaves and a bud from each shoot. Kettles below eighty degrees keep the brew from bitterness.",
    ),
    (
        "glaciers",
        "Glaciers carve valleys while snow turns into blue ice. Moraines mark how far the frozen river once reached. Crevasses open where the bed bends steeply.",
    ),
    (
        "printing",
        "Gutenberg cast movable letters from lead and tin. Compositors set lines in sticks and locked them into frames. Presses of oak squeezed ink onto damp sheets.",
    ),
    (
        "owls",
        "Barn owls hunt mice by hearing in complete darkness. Soft feathers silence their wings during flight. Pellets under the roost hold bones of voles.",
    ),
    (
        "clocks",
        "Pendulum clocks lose seconds when summer heat lengthens the rod. An escapement lets the wheel advance one tooth each swing. Watchmakers oil ruby bearings every five years.",
    ),
];

/// A library of these documents.
pub(super) fn built(equipment: Equipment, documents: &[(&str, &str)]) -> (Database, Library) {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, equipment);
    let wanted = Wanted {
        filters: vec!["year".to_owned()],
        ..Wanted::new(System::Structure)
    };
    let open = library
        .create(&wanted.language("english").unwrap())
        .unwrap();
    for (name, text) in documents {
        let document = Incoming {
            id: format!("{name}.md"),
            bytes: format!("# About {name}\n\n{text}\n").into_bytes(),
            format: None,
            metadata: [("year".to_owned(), 2021.into())].into(),
        };
        let report = open.upsert(document, &CancelToken::new(), &|_| ()).unwrap();
        assert_eq!(report.documents, 1);
    }
    (db, library)
}

pub(super) const QUESTION: &str = "Where does basalt come from?";

pub(super) fn asked(
    open: &Open,
    question: &str,
    cancel: &CancelToken,
) -> (Result<Answer, DoorError>, Heard) {
    asked_by(open, "vector", question, cancel)
}

/// What was told on the way, in its order.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) kinds: Vec<&'static str>,
    pub(super) text: String,
    pub(super) attempts: usize,
}

pub(super) fn asked_by(
    open: &Open,
    preset: &str,
    question: &str,
    cancel: &CancelToken,
) -> (Result<Answer, DoorError>, Heard) {
    let pipeline = Pipeline::of(preset).unwrap();
    let question = Question::new(question).unwrap();
    let mut heard = Heard::default();
    let answer = open.ask(&Ask::new(&pipeline, &question), cancel, &mut |event| {
        let kind = match event {
            Event::Stage(_) => "stage",
            Event::Retrieved(retrieved) => {
                // One preset searches nothing.
                assert_eq!(retrieved.has_searched(), preset != "direct");
                "retrieved"
            }
            Event::Text { attempt, text } => {
                if attempt != heard.attempts {
                    heard.text.clear();
                    heard.attempts = attempt;
                }
                heard.text.push_str(text);
                "text"
            }
            Event::Sentence(_) => "sentence",
            _ => "other",
        };
        if heard.kinds.last() != Some(&kind) {
            heard.kinds.push(kind);
        }
    });
    (answer, heard)
}
