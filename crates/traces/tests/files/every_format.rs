//! Every format that is read back gives equal samples, goes on after a crash, and no change of a
//! file is read as a sample.

use std::collections::BTreeMap;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ::parquet::basic::{ColumnOrder, Type};
use ::parquet::file::metadata::ParquetMetaDataReader;
use proptest::prelude::*;
use salsa_traces::algorithms::ALL;
use salsa_traces::dataset::{
    DatasetError, Manifest, StoredError, StoredSplit, convert, manifest_path, verify, write,
};
use salsa_traces::export::columns::Rows;
use salsa_traces::export::{Format, ShardError, npz, parquet};
use salsa_traces::readers;
use tempfile::tempdir;

use crate::wanted::{SMALL, TINY, Wanted, assert_same, damage, files_in, write_into, written};

const READABLE: [Format; 5] =
    [Format::Arrow, Format::Parquet, Format::Npz, Format::JsonLines, Format::Binary];

/// The formats whose shards are read whole.
const WHOLE: [Format; 2] = [Format::Parquet, Format::Npz];

#[test]
fn every_sample_reads_back() {
    for algorithm in ALL {
        for format in READABLE {
            for (split, hints) in [("train", true), ("delaunay_16", false), ("ws_16", true)] {
                let name = &algorithm.spec().algorithm;
                let wanted = Wanted { name, split, hints, format, samples: 3 };
                let (_folder, path, _) = written(&wanted);
                let stored = StoredSplit::open(&path).unwrap();
                let all = stored.samples(0..3, true).unwrap();
                for index in (0..3).rev() {
                    let read = stored.sample(index, true).unwrap();
                    assert_same(&read, &wanted.sample(index));
                    assert_eq!(all[index as usize], read);
                    assert!(stored.sample(index, false).unwrap().trajectory.hints.is_none());
                }
                let error = stored.sample(3, true).unwrap_err();
                assert_eq!(error.to_string(), "there is no sample 3, there are 3");
            }
        }
    }
}

#[test]
fn every_format_becomes_every_other_with_the_same_bytes() {
    for from in READABLE {
        let (_folder, path, _) = written(&Wanted { format: from, hints: false, ..SMALL });
        let stored = StoredSplit::open(&path).unwrap();
        for to in Format::ALL {
            let (folder, expected, manifest) = written(&Wanted { format: to, ..SMALL });
            let out = tempdir().unwrap();
            let (made, converted) = convert(&stored, to, true, out.path(), &|_| ()).unwrap();
            assert_eq!(converted, manifest, "{from} to {to}");
            assert_eq!(contents(&made), contents(&expected), "{from} to {to}");
            assert_eq!(files_in(out.path()).len(), files_in(folder.path()).len());
            verify(&made, &|_| ()).unwrap();
        }
    }
}

#[test]
fn a_run_that_dies_goes_on_and_ends_with_the_same_bytes() {
    // Hints in lines are dense, so fewer samples fill a part of theirs.
    let large = [
        ("dfs", "er_1600", 160, Format::Parquet),
        ("dfs", "er_1600", 160, Format::Npz),
        ("dfs", "er_160", 12, Format::JsonLines),
        ("dfs", "er_1600", 160, Format::Binary),
        ("bfs", "train", 9, Format::GraphMl),
    ];
    for (name, split, samples, format) in large {
        let wanted = Wanted { name, split, samples, format, hints: true };
        let (_whole, expected, manifest) = written(&wanted);
        let folder = tempdir().unwrap();
        for die_after in [1, 0] {
            let parts = AtomicU64::new(0);
            let dies =
                |done: u64| assert!(done == 0 || parts.fetch_add(1, Relaxed) < die_after, "dead");
            let run = || wanted.with_request(|request| write(request, folder.path(), &dies));
            std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert_eq!(files_in(folder.path()).len(), 1, "{format}: only what is kept for later");
        }
        let kept = AtomicU64::new(0);
        let first = |done: u64| {
            let _ = kept.compare_exchange(0, done, Relaxed, Relaxed);
        };
        let (path, resumed) =
            wanted.with_request(|request| write(request, folder.path(), &first)).unwrap();
        assert!(kept.into_inner() > 0, "{format}: nothing was kept");
        assert_eq!((contents(&path), resumed), (contents(&expected), manifest), "{format}");
    }
}

#[test]
fn a_run_that_dies_before_its_manifest_loses_nothing() {
    for format in Format::ALL.into_iter().filter(|format| format.is_folder()) {
        let wanted = Wanted { format, ..SMALL };
        let folder = tempdir().unwrap();
        let dies =
            |done: u64| assert!(done < wanted.samples && (format != Format::GraphMl || done == 0));
        let run = || wanted.with_request(|request| write(request, folder.path(), &dies));
        std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        let partial = files_in(folder.path()).remove(0);
        let path = folder.path().join(format!("paper-bfs-train.{format}"));
        fs::rename(partial, &path).unwrap();
        let first = files_in(&path).remove(0);
        let time = fs::metadata(&first).unwrap().modified().unwrap();
        write_into(folder.path(), &wanted).unwrap();
        assert_eq!(fs::metadata(&first).unwrap().modified().unwrap(), time, "{format}");
        verify(&path, &|_| ()).unwrap();
    }
}

#[test]
fn what_another_request_left_is_not_kept() {
    let folder = tempdir().unwrap();
    let wanted = Wanted { format: Format::GraphMl, ..SMALL };
    let dies = |done: u64| assert_eq!(done, 0);
    let run = || wanted.with_request(|request| write(request, folder.path(), &dies));
    std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    let other = Wanted { hints: false, ..wanted };
    let (path, _) = write_into(folder.path(), &other).unwrap();
    assert_eq!(contents(&path), contents(&written(&other).1));
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    for format in Format::ALL {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (_folder, path, manifest) = written(&Wanted { format, samples: 40, ..SMALL });
                (contents(&path), manifest)
            })
        };
        assert_eq!(with(1), with(3), "{format}");
    }
}

#[test]
fn every_flipped_bit_of_a_shard_is_noticed() {
    for format in WHOLE {
        let bytes = shard_bytes(&Wanted { format, ..TINY });
        read_all(format, &bytes).unwrap();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (place % 8);
            assert!(read_all(format, &damaged).is_err(), "{format}, byte {place}");
        }
        for len in 0..bytes.len() {
            assert!(read_all(format, &bytes[..len]).is_err(), "{format}, {len} bytes");
        }
    }
}

#[test]
fn a_changed_data_set_is_never_read() {
    for format in READABLE {
        let (_folder, path, manifest) = written(&Wanted { format, ..SMALL });
        let file = if format.is_folder() { files_in(&path).remove(0) } else { path.clone() };
        let good = fs::read(&file).unwrap();
        let told = |bytes: &[u8]| {
            fs::write(&file, bytes).unwrap();
            verify(&path, &|_| ()).unwrap_err();
            let read = StoredSplit::open(&path).and_then(|stored| stored.samples(0..5, false));
            let error = read.unwrap_err().to_string();
            assert!(error.starts_with(&file.display().to_string()), "{error}");
        };
        for place in (0..good.len()).step_by(good.len() / 40) {
            let mut damaged = good.clone();
            damaged[place] ^= 1 << (place % 8);
            told(&damaged);
            told(&good[..place]);
        }
        // Another data set's file, whole in itself.
        let (_folder, other, _) = written(&Wanted { format, split: "val", ..SMALL });
        let other = if format.is_folder() { files_in(&other).remove(0) } else { other };
        told(&fs::read(other).unwrap());
        fs::remove_file(&file).unwrap();
        verify(&path, &|_| ()).unwrap_err();
        let read = StoredSplit::open(&path).and_then(|stored| stored.samples(0..5, false));
        assert!(read.unwrap_err().to_string().starts_with(&file.display().to_string()));

        fs::write(&file, &good).unwrap();
        let fewer = Manifest { samples: 4, ..manifest };
        fs::write(manifest_path(&path), serde_json::to_vec(&fewer).unwrap()).unwrap();
        verify(&path, &|_| ()).unwrap_err();
        let error = StoredSplit::open(&path).err().unwrap();
        assert!(matches!(error, StoredError::Incomplete { expected: 4, found: 5, .. }), "{error}");
    }
}

#[test]
fn damage_is_named_by_verify() {
    for format in [Format::Parquet, Format::Npz, Format::GraphMl] {
        let (_folder, path, _) = written(&Wanted { format, ..SMALL });
        let files = files_in(&path);
        let file = files.last().unwrap();
        let told = |bytes: &[u8]| {
            fs::write(file, bytes).unwrap();
            let error = verify(&path, &|_| ()).unwrap_err().to_string();
            error.strip_prefix(&format!("{}: ", file.display())).unwrap().to_owned()
        };
        let good = fs::read(file).unwrap();
        let mut damaged = good.clone();
        damaged[good.len() / 2] ^= 4;
        let differs = "sample 4 differs from what suite and seed give";
        let message = match format {
            Format::GraphMl => differs,
            _ => "it is damaged: its checksum does not match",
        };
        assert_eq!(told(&damaged), message);
        let message = match format {
            Format::GraphMl => differs,
            Format::Npz => "it does not start as an NPZ file",
            _ => "it does not start as a Parquet file",
        };
        assert_eq!(told(b""), message);
        fs::write(file, &good).unwrap();
        let more = path.join(format!("00099.{format}"));
        fs::write(&more, b"").unwrap();
        let error = verify(&path, &|_| ()).unwrap_err().to_string();
        assert_eq!(error, format!("{}: the manifest does not know this file", more.display()));
    }
}

#[test]
fn another_version_is_told() {
    for format in WHOLE {
        let mut bytes = shard_bytes(&Wanted { format, ..TINY });
        let version = br#"{"version":1,"#;
        let place = bytes.windows(version.len()).rposition(|part| part == version).unwrap();
        bytes[place + version.len() - 2] = b'7';
        reseal(format, &mut bytes).unwrap();
        let message = "it is of version 7 of the format, this program reads version 1";
        // The checksum of the array within the archive comes before what it says.
        let found = read_all(format, &bytes).unwrap_err().to_string();
        assert!(found == message || format == Format::Npz, "{found}");
    }
}

#[test]
fn graphs_are_read_back_from_graphml() {
    for (name, split) in [("bfs", "train"), ("mst", "train"), ("bridges", "delaunay_16")] {
        let wanted = Wanted { name, split, format: Format::GraphMl, ..SMALL };
        let (_folder, path, _) = written(&wanted);
        for (index, file) in (0..).zip(files_in(&path)) {
            let graph = readers::read(&file, None).unwrap();
            assert_eq!(graph, wanted.sample(index).graph);
        }
        let error = StoredSplit::open(&path).err().unwrap().to_string();
        let path = path.display();
        assert_eq!(error, format!("{path}: samples are not read from files of format graphml"));
    }
}

#[test]
fn parquet_names_no_order_that_older_readers_do_not_know() {
    // Positions and hints are floating-point numbers.
    let wanted = Wanted { name: "dfs", split: "delaunay_16", format: Format::Parquet, ..SMALL };
    let (_folder, path, _) = written(&wanted);
    let file = fs::File::open(&files_in(&path)[0]).unwrap();
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).unwrap();
    let metadata = metadata.file_metadata();
    let orders = metadata.column_orders().unwrap();
    let columns = metadata.schema_descr().columns();
    assert!(columns.iter().any(|column| column.physical_type() == Type::DOUBLE));
    assert_eq!(orders.len(), columns.len());
    for order in orders {
        assert!(matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_)), "{order}");
    }
}

#[test]
fn a_folder_of_parquet_data_has_a_card() {
    let folder = tempdir().unwrap();
    let parquet = Wanted { format: Format::Parquet, ..SMALL };
    write_into(folder.path(), &parquet).unwrap();
    write_into(folder.path(), &Wanted { split: "er_16", ..parquet }).unwrap();
    write_into(folder.path(), &Wanted { name: "mis", ..parquet }).unwrap();
    let card = fs::read_to_string(folder.path().join("README.md")).unwrap();
    let expected = r#"---
tags:
- graphs
- algorithmic-reasoning
configs:
- config_name: "paper-bfs"
  default: true
  data_files:
  - split: er_16
    path: "paper-bfs-er_16.parquet/*.parquet"
  - split: train
    path: "paper-bfs-train.parquet/*.parquet"
- config_name: "paper-mis"
  data_files:
  - split: train
    path: "paper-mis-train.parquet/*.parquet"
---
"#;
    assert!(card.starts_with(expected), "{card}");
    assert!(card.contains("| paper-mis-train.parquet | train | paper 1 | "), "{card}");

    let other = folder.path().join("README.md");
    fs::write(&other, "mine").unwrap();
    write_into(folder.path(), &parquet).unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
}

#[test]
fn converting_into_a_file_is_refused() {
    let (folder, path, _) = written(&SMALL);
    let stored = StoredSplit::open(&path).unwrap();
    let out = folder.path().join("out");
    fs::write(&out, b"mine").unwrap();
    let error = convert(&stored, Format::Npz, true, &out, &|_| ()).unwrap_err();
    assert!(matches!(error, DatasetError::Write { .. }), "{error}");
    assert_eq!(fs::read(&out).unwrap(), b"mine");
}

proptest! {
    #[test]
    fn a_changed_shard_is_never_read_as_it_was(
        which in any::<(usize, bool, bool)>(),
        changes in prop::collection::vec(any::<(usize, u8)>(), 1..4),
    ) {
        let wanted = any_wanted(which);
        let bytes = shard_bytes(&wanted);
        let mut damaged = bytes.clone();
        for (place, bit) in changes {
            let place = place % bytes.len();
            damaged[place] ^= 1 << (bit % 8);
        }
        prop_assume!(damaged != bytes);
        prop_assert!(read_all(wanted.format, &damaged).is_err());
    }

    /// With checksums that are right again, so that what is behind them is reached.
    #[test]
    fn a_hostile_shard_never_panics(
        which in any::<(usize, bool, bool)>(),
        changes in prop::collection::vec(any::<(usize, u8, u32)>(), 1..4),
    ) {
        let wanted = any_wanted(which);
        let mut bytes = shard_bytes(&wanted);
        damage(&mut bytes, &changes);
        let _ = reseal(wanted.format, &mut bytes);
        let _ = read_all(wanted.format, &bytes);
    }
}

fn any_wanted((algorithm, hints, is_npz): (usize, bool, bool)) -> Wanted<'static> {
    let format = if is_npz { Format::Npz } else { Format::Parquet };
    Wanted { name: &ALL[algorithm % ALL.len()].spec().algorithm, hints, format, ..TINY }
}

/// The first shard, written once however often it is asked for.
fn shard_bytes(wanted: &Wanted) -> Vec<u8> {
    static WRITTEN: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let Wanted { name, split, samples, hints, format } = wanted;
    let mut shards = WRITTEN.lock().unwrap();
    let shard = shards.entry(format!("{name} {split} {samples} {hints} {format}"));
    let bytes = shard.or_insert_with(|| {
        let (_folder, path, _) = written(wanted);
        fs::read(&files_in(&path)[0]).unwrap()
    });
    bytes.clone()
}

fn read_all(format: Format, bytes: &[u8]) -> Result<(), ShardError> {
    let bytes = bytes.to_vec().into();
    let rows: Rows = if format == Format::Npz { npz::read(bytes)? } else { parquet::read(bytes)? };
    for index in rows.samples() {
        for hints in [false, true] {
            let sample = rows.sample(index, hints)?;
            sample.check().unwrap();
            sample.content_hash();
            sample.hints_hash();
        }
    }
    Ok(())
}

fn reseal(format: Format, bytes: &mut [u8]) -> Option<()> {
    if format == Format::Npz { npz::reseal(bytes) } else { parquet::reseal(bytes) }
}

/// The names and bytes of a data set.
fn contents(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = if path.is_dir() { files_in(path) } else { vec![path.to_owned()] };
    let name = |file: &Path| file.file_name().unwrap().into();
    files.iter().map(|file| (name(file), fs::read(file).unwrap())).collect()
}
