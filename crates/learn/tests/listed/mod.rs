//! A list in the code and the files of a folder that it should name.

/// Compares the modules in a folder of this crate with what a list names.
#[track_caller]
pub fn assert_all_listed<'a>(folder: &str, listed: impl IntoIterator<Item = &'a str>) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|file| {
            file.unwrap().file_name().to_str()?.strip_suffix(".rs").map(str::to_owned)
        })
        .filter(|module| module != "mod")
        .collect();
    files.sort();
    let mut listed: Vec<&str> = listed.into_iter().collect();
    listed.sort();
    assert_eq!(files, listed);
}
