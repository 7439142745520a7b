//! Where an export goes: one text, or the files of a folder.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use stratigraph::Error;
use stratigraph_tables::export::Outlet;

/// How many bytes are written at once.
const BUFFER_BYTES: usize = 1 << 18;

/// One text.
pub(crate) struct Text<'a>(BufWriter<&'a mut dyn Write>);

/// Files of a folder, each of them new.
pub(crate) struct Folder<'a> {
    folder: &'a Path,
    open: Option<(PathBuf, BufWriter<File>)>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self(BufWriter::with_capacity(BUFFER_BYTES, out))
    }
}

impl<'a> Folder<'a> {
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, open: None }
    }

    /// Sees to it that the file that is open is on the disk.
    fn close(&mut self) -> Result<(), Error> {
        if let Some((path, mut file)) = self.open.take() {
            file.flush().map_err(|error| io("write", &path, error))?;
            let file = file.get_ref();
            file.sync_all().map_err(|error| io("sync", &path, error))?;
        }
        Ok(())
    }
}

impl Outlet for Text<'_> {
    fn file(&mut self, _: &'static str) -> Result<(), Error> {
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.0.write_all(bytes).map_err(written)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.0.flush().map_err(written)
    }
}

impl Outlet for Folder<'_> {
    fn file(&mut self, name: &'static str) -> Result<(), Error> {
        self.close()?;
        let path = self.folder.join(name);
        let file = File::create_new(&path).map_err(|error| io("create", &path, error))?;
        self.open = Some((path, BufWriter::with_capacity(BUFFER_BYTES, file)));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some((path, file)) = &mut self.open else {
            return Err(io(
                "write",
                self.folder,
                io::Error::other("no file has begun"),
            ));
        };
        file.write_all(bytes)
            .map_err(|error| io("write", path, error))
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.close()
    }
}

fn io(operation: &'static str, path: &Path, error: io::Error) -> Error {
    Error::Io {
        operation,
        path: path.to_path_buf(),
        source: error.into(),
    }
}

fn written(error: io::Error) -> Error {
    io("write", Path::new("the export"), error)
}
