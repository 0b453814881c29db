//! Which data sets there are: files by their names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use russet_data::Format;

use super::StudyError;

/// A data set as it is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The file's name without its endings.
    pub(super) name: String,
    /// The file.
    pub(super) path: PathBuf,
    /// Files that have the same name and are left out.
    pub(super) others: Vec<PathBuf>,
}

impl Source {
    /// The file that may describe it.
    pub(super) fn metadata(&self) -> PathBuf {
        self.path.with_file_name(format!("{}.json", self.name))
    }

    /// Says so if other files have the same name: nobody could tell their results apart.
    pub(super) fn check_name(&self) -> Result<(), String> {
        let Some(other) = self.others.first() else { return Ok(()) };
        Err(format!("two files have this name: {} and {}", self.path.display(), other.display()))
    }
}

/// The data sets in folders, by name; only those in `only`, unless that is empty. A study's own table is none.
pub(super) fn find(places: &[PathBuf], out: &Path, only: &[String]) -> Result<Vec<Source>, StudyError> {
    let mut found: BTreeMap<String, Source> = BTreeMap::new();
    let own = out.join("results.csv").canonicalize().ok();
    for path in files(places)? {
        if own.is_some() && path.canonicalize().ok() == own {
            continue;
        }
        let Some(name) = name(&path) else { continue };
        match found.get_mut(&name) {
            Some(source) => source.others.push(path),
            None => drop(found.insert(name.clone(), Source { name, path, others: Vec::new() })),
        }
    }
    let names = |list: Vec<String>| list.join(", ");
    if found.is_empty() {
        let folders = names(places.iter().map(|place| place.display().to_string()).collect());
        return Err(StudyError::NoSets { folders });
    }
    if let Some(name) = only.iter().find(|name| !found.contains_key(*name)) {
        return Err(StudyError::UnknownSet { name: name.clone(), known: names(found.into_keys().collect()) });
    }
    Ok(found.into_values().filter(|source| only.is_empty() || only.contains(&source.name)).collect())
}

fn files(places: &[PathBuf]) -> Result<Vec<PathBuf>, StudyError> {
    let mut files = Vec::new();
    for place in places {
        if place.is_file() {
            files.push(place.clone());
            continue;
        }
        let cannot = |cause| StudyError::Folder { path: place.clone(), cause };
        let entries = std::fs::read_dir(place).map_err(cannot)?;
        let mut paths =
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(cannot)?;
        paths.retain(|path| path.is_file());
        paths.sort();
        files.append(&mut paths);
    }
    Ok(files)
}

/// The name of a data set, if the file is one that a study reads.
fn name(path: &Path) -> Option<String> {
    let file = path.file_name()?.to_str()?;
    let plain = [".gz", ".zst", ".zstd"].iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    let (name, _) = plain.rsplit_once('.').filter(|(name, _)| !name.is_empty())?;
    matches!(Format::of_name(plain)?, Format::Vw | Format::Svmlight | Format::Csv).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_data_sets_by_their_endings() {
        let names = ["a.vw", "b.vw.zst", "c.d.svm.gz", "e.csv", "f.tsv", "g.json", "h.vw.txt", ".vw", "i", "j.cache"];
        let names: Vec<_> = names.iter().filter_map(|file| name(Path::new(file))).collect();
        assert_eq!(names, ["a", "b", "c.d", "e", "f"]);
    }

    #[test]
    fn sets_come_by_name_and_unknown_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["b.vw", "a.csv", "a.vw", "a.json"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let places = [folder.path().to_owned()];
        std::fs::write(folder.path().join("results.csv"), "").unwrap();
        let find = |places: &[PathBuf], only: &[String]| find(places, folder.path(), only);
        let sets = find(&places, &[]).unwrap();
        assert_eq!(
            sets.iter().map(|set| (set.name.as_str(), set.others.len())).collect::<Vec<_>>(),
            [("a", 1), ("b", 0)]
        );
        assert_eq!(find(&places, &["b".to_owned()]).unwrap()[0], sets[1]);
        let error = find(&places, &["c".to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), "there is no data set c; there are a, b");
    }
}
