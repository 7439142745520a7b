//! PDFs as tests write them: object after object, with a table of where they are.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A PDF that is being written. Object 1 is the catalog, 2 the root of the pages.
pub(super) struct Written {
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    catalog: String,
    trailer: String,
}

/// What fonts there are on every page: `F1` Helvetica, `F2` bold, `F3` of two-byte codes with a table, `F4` with
/// letters under other numbers, `F5` that says nothing.
const FONTS: &str = "/F1 3 0 R /F2 4 0 R /F3 5 0 R /F4 8 0 R /F5 9 0 R";

impl Written {
    pub(super) fn new() -> Self {
        let mut written = Self {
            objects: vec![Vec::new(), Vec::new()],
            pages: Vec::new(),
            catalog: String::new(),
            trailer: String::new(),
        };
        let widths = ["500"; 224].join(" ");
        let widths = format!("/FirstChar 32 /LastChar 255 /Widths [{widths}]");
        for name in ["Helvetica", "Helvetica-Bold"] {
            written.object(&format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding {widths} >>"));
        }
        written.object("<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>");
        written
            .object("<< /Type /Font /Subtype /CIDFontType2 /DW 1000 /W [1 [500 500] 10 20 600] >>");
        let table = "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfrange <0001> <0002> <5ba1> <0010> <0011> [<8ba1> <6cd5>] endbfrange";
        written.stream("", table.as_bytes());
        written.object(&format!("<< /Type /Font /Subtype /Type1 /BaseFont /Odd /Encoding << /Differences [65 /eacute /f_i /uni20AC] >> {widths} >>"));
        written.object("<< /Type /Font /Subtype /Type0 /BaseFont /Mute /Encoding /Identity-H /DescendantFonts [6 0 R] >>");
        written
    }

    /// Adds an object; its number.
    pub(super) fn object(&mut self, body: &str) -> usize {
        self.objects.push(body.as_bytes().to_vec());
        self.objects.len()
    }

    /// Adds a stream; its number.
    pub(super) fn stream(&mut self, dictionary: &str, bytes: &[u8]) -> usize {
        let mut body = format!("<< {dictionary} /Length {} >>\nstream\n", bytes.len()).into_bytes();
        body.extend(bytes);
        body.extend(b"\nendstream");
        self.objects.push(body);
        self.objects.len()
    }

    /// Adds a stream that is packed; its number.
    pub(super) fn packed(&mut self, dictionary: &str, bytes: &[u8]) -> usize {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        packed.write_all(bytes).unwrap();
        let packed = packed.finish().unwrap();
        self.stream(&format!("/Filter /FlateDecode {dictionary}"), &packed)
    }

    /// Adds a page with this content; its number.
    pub(super) fn page(&mut self, content: &str) -> usize {
        let content = self.packed("", content.as_bytes());
        self.page_of(&format!("/Contents {content} 0 R"), "")
    }

    /// Adds a page; `more` is for its dictionary, `resources` beside the fonts.
    pub(super) fn page_of(&mut self, more: &str, resources: &str) -> usize {
        let page = self.object(&format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << {FONTS} >> {resources} >> {more} >>"
        ));
        self.pages.push(page);
        page
    }

    /// Adds to the catalog.
    pub(super) fn catalog(&mut self, more: &str) {
        self.catalog.push_str(more);
    }

    /// Adds to the trailer.
    pub(super) fn trailer(&mut self, more: &str) {
        self.trailer.push_str(more);
    }

    /// Replaces an object.
    pub(super) fn replace(&mut self, number: usize, body: &str) {
        self.objects[number - 1] = body.as_bytes().to_vec();
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.objects[0] =
            format!("<< /Type /Catalog /Pages 2 0 R {} >>", self.catalog).into_bytes();
        if self.objects[1].is_empty() {
            let kids: Vec<String> = self
                .pages
                .iter()
                .map(|page| format!("{page} 0 R"))
                .collect();
            let (kids, count) = (kids.join(" "), self.pages.len());
            self.objects[1] =
                format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>").into_bytes();
        }
        let mut bytes = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
        let mut places = Vec::new();
        for (at, object) in self.objects.iter().enumerate() {
            places.push(bytes.len());
            bytes.extend(format!("{} 0 obj\n", at + 1).into_bytes());
            bytes.extend(object);
            bytes.extend(b"\nendobj\n");
        }
        let table = bytes.len();
        let size = self.objects.len() + 1;
        bytes.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").into_bytes());
        for place in places {
            bytes.extend(format!("{place:010} 00000 n \n").into_bytes());
        }
        let trailer = format!(
            "trailer\n<< /Size {size} /Root 1 0 R {} >>\nstartxref\n{table}\n%%EOF\n",
            self.trailer
        );
        bytes.extend(trailer.into_bytes());
        bytes
    }
}

/// Lines of text on a page, each with its font, size, and height.
pub(super) fn lines(lines: &[(&str, f64, f64, &str)]) -> String {
    let lines = lines.iter().map(|(font, size, height, text)| {
        format!("BT /{font} {size} Tf 50 {height} Td ({text}) Tj ET\n")
    });
    lines.collect()
}
