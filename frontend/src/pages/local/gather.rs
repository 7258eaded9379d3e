//! Files out of a drop or a choice, folders and all.

use js_sys::{Array, Promise, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader, FileSystemEntry,
    FileSystemFileEntry,
};

/// A file with its path below what was dropped.
pub type Found = (String, File);

/// What a drop holds, taken while its event lasts: afterwards the browser forgets it.
pub fn entries(transfer: &DataTransfer) -> Vec<FileSystemEntry> {
    let items = transfer.items();
    let entry = |n: u32| items.get(n)?.webkit_get_as_entry().ok().flatten();
    (0..items.length()).filter_map(entry).collect()
}

fn path(entry: &FileSystemEntry) -> String {
    entry.full_path().trim_start_matches('/').to_owned()
}

async fn file(entry: FileSystemFileEntry) -> Option<File> {
    let got = Promise::new(&mut |done, failed| entry.file_with_callback_and_callback(&done, &failed));
    JsFuture::from(got).await.ok()?.dyn_into().ok()
}

/// The next entries of a folder; empty at its end. Browsers give at most a hundred at once.
async fn next(reader: &FileSystemDirectoryReader) -> Option<Vec<FileSystemEntry>> {
    let got = Promise::new(&mut |done, failed: js_sys::Function| {
        if reader.read_entries_with_callback_and_callback(&done, &failed).is_err() {
            let _ = failed.call0(&JsValue::NULL);
        }
    });
    let list: Array = JsFuture::from(got).await.ok()?.dyn_into().ok()?;
    Some(list.iter().map(JsValue::unchecked_into).collect())
}

/// All files below entries, and the paths of what could not be read.
pub async fn walk(mut left: Vec<FileSystemEntry>) -> (Vec<Found>, Vec<String>) {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    while let Some(entry) = left.pop() {
        let path = path(&entry);
        if entry.is_directory() {
            let reader = entry.unchecked_into::<FileSystemDirectoryEntry>().create_reader();
            loop {
                match next(&reader).await {
                    Some(entries) if entries.is_empty() => break,
                    Some(entries) => left.extend(entries),
                    None => {
                        unread.push(path);
                        break;
                    }
                }
            }
        } else {
            match file(entry.unchecked_into()).await {
                Some(file) => found.push((path, file)),
                None => unread.push(path),
            }
        }
    }
    (found, unread)
}

/// Files of a chooser. A chosen folder gives paths, chosen files only names.
pub fn chosen(list: &FileList) -> Vec<Found> {
    let path = |file: &File| {
        let below = Reflect::get(file, &JsValue::from_str("webkitRelativePath")).ok().and_then(|path| path.as_string());
        below.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name())
    };
    (0..list.length()).filter_map(|n| list.get(n)).map(|file| (path(&file), file)).collect()
}

/// Gives what is dropped a name of its own beside what was dropped before: `cache (2)/…`, and `2/k.ptx` for a file, whose
/// name must stay.
pub fn renamed(files: Vec<Found>, taken: &[String]) -> Vec<Found> {
    let root = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    let is_taken = |name: &str| taken.iter().any(|other| root(other) == name);
    // One number more than there are names: one of them is free.
    let numbers = 2..=taken.len() + 2;
    let own = |path: &str| match path.split_once('/') {
        Some((top, rest)) if is_taken(top) => {
            let free = numbers.clone().map(|n| format!("{top} ({n})")).find(|name| !is_taken(name));
            format!("{}/{rest}", free.unwrap_or_default())
        }
        None if is_taken(path) => {
            let free = numbers.clone().map(|n| n.to_string()).find(|name| !is_taken(name));
            format!("{}/{path}", free.unwrap_or_default())
        }
        _ => path.to_owned(),
    };
    files.into_iter().map(|(path, file)| (own(&path), file)).collect()
}
