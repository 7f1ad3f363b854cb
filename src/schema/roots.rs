//! Where files are looked for. Reads folders, never the files themselves.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders that import names start from, in the order in which they are searched.
#[derive(Debug)]
pub(super) struct Roots {
    folders: Vec<PathBuf>,
}

/// What a path given for an import root turned out to be, if it is no folder.
pub(super) enum NoRoot {
    /// There is nothing.
    Missing(PathBuf),
    /// Something, but no folder.
    File(PathBuf),
}

impl Roots {
    /// The folder of each file of `protos` that is found as it stands, the working directory, and `given`.
    pub(super) fn new(protos: &[PathBuf], given: &[PathBuf]) -> (Roots, Vec<NoRoot>) {
        let mut roots = Roots { folders: Vec::new() };
        let mut refused = Vec::new();
        for proto in protos {
            if let (true, Some(folder)) = (proto.is_file(), proto.parent()) {
                roots.add(folder);
            }
        }
        roots.add(Path::new(""));
        for path in given {
            match fs::metadata(path) {
                Ok(metadata) if metadata.is_dir() => roots.add(path),
                Ok(_) => refused.push(NoRoot::File(path.clone())),
                Err(_) if path.as_os_str().is_empty() => {}
                Err(_) => refused.push(NoRoot::Missing(path.clone())),
            }
        }
        (roots, refused)
    }

    /// The folders, in order. The working directory is the empty path.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The first file called `name` under the roots.
    pub(super) fn find(&self, name: &Path) -> Option<PathBuf> {
        self.folders.iter().map(|folder| folder.join(name)).find(|path| path.exists())
    }

    /// What `file` is called in imports: its path below the root that was given last and has it.
    pub(super) fn import_name(&self, file: &Path) -> Option<String> {
        let file = identity(file);
        let below = self.folders.iter().rev().find_map(|folder| {
            let folder = identity(folder);
            file.strip_prefix(folder).ok().map(Path::to_path_buf)
        })?;
        let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
        Some(parts?.join("/"))
    }

    /// A folder that is no root yet and would make `import` be found: above the file that imports it, or not far below
    /// a root.
    pub(super) fn suggest(&self, import: &str, importer: &Path) -> Option<PathBuf> {
        let above = importer.ancestors().skip(1).map(Path::to_path_buf);
        above.chain(self.folders.iter().flat_map(|folder| below(folder))).find(|folder| folder.join(import).is_file())
    }

    fn add(&mut self, folder: &Path) {
        let folder = if folder == Path::new(".") { Path::new("") } else { folder };
        if !self.folders.iter().any(|known| known == folder) {
            self.folders.push(folder.to_owned());
        }
    }
}

/// The same for all paths that lead to the same file, whatever links and dots they go through.
pub(super) fn identity(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    // A pipe (`/dev/fd/63`) has no other name than itself.
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Folders below `folder`, near ones first; bounded, since `folder` may be a home directory.
fn below(folder: &Path) -> Vec<PathBuf> {
    const DEPTH: usize = 4;
    const FOLDERS: usize = 500;
    const ENTRIES: usize = 5_000;
    let mut found = vec![(folder.to_owned(), 0)];
    let mut entries = 0;
    let mut next = 0;
    while let Some((folder, depth)) = found.get(next).cloned() {
        next += 1;
        if depth == DEPTH || entries > ENTRIES {
            continue;
        }
        let listed = if folder.as_os_str().is_empty() { fs::read_dir(".") } else { fs::read_dir(&folder) };
        for entry in listed.into_iter().flatten().flatten().take(ENTRIES) {
            entries += 1;
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            // Not through links, which may lead in circles.
            if !hidden && found.len() < FOLDERS && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                found.push((folder.join(entry.file_name()), depth + 1));
            }
        }
    }
    found.into_iter().skip(1).map(|(folder, _)| folder).collect()
}
