//! Arrow files: what is written reads back, and no change of theirs is read as a sample.

use std::fs;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arrow_array::Array;
use bytes::Bytes;
use proptest::prelude::*;
use salsa_traces::algorithms::ALL;
use salsa_traces::collate::Ready;
use salsa_traces::dataset::{
    Manifest, StoredError, StoredSplit, VerifyError, manifest_path, verify, write,
};
use salsa_traces::export::arrow::{Shard, ShardError, ShardWriter, reseal};
use tempfile::tempdir;

use crate::wanted::{SMALL, TINY, Wanted, assert_same, damage, files_in, write_into, written};

#[test]
fn every_sample_reads_back() {
    for algorithm in ALL {
        for split in ["train", "ws_16", "delaunay_16"] {
            for hints in [true, false] {
                let name = &algorithm.spec().algorithm;
                let wanted = Wanted { name, split, hints, samples: 5, ..SMALL };
                let (_folder, path, _) = written(&wanted);
                let stored = StoredSplit::open(&path).unwrap();
                assert_eq!((stored.len(), stored.shards().len()), (5, 1));
                // The last first: nothing depends on what was read before.
                for index in (0..5).rev() {
                    let expected = wanted.sample(index);
                    assert_same(&stored.sample(index, true).unwrap(), &expected);
                    let trajectory = stored.sample(index, false).unwrap().trajectory;
                    assert_eq!(trajectory.outputs, expected.trajectory.outputs);
                    assert!(trajectory.hints.is_none());
                    assert_eq!(stored.ready(index).unwrap(), Ready::new(&expected).unwrap());
                }
            }
        }
    }
}

#[test]
fn hints_that_are_made_again_are_those_that_were_recorded() {
    for algorithm in ALL {
        let name = &algorithm.spec().algorithm;
        let (_folder, path, _) = written(&Wanted { name, hints: false, ..SMALL });
        let stored = StoredSplit::open(&path).unwrap();
        assert_eq!(stored.sample(2, true).unwrap(), Wanted { name, ..SMALL }.sample(2));
    }
}

#[test]
fn columns_are_not_copied() {
    let bytes = Bytes::from(shard_bytes(&SMALL));
    let file = bytes.as_ptr_range();
    let shard = Shard::from_bytes(bytes).unwrap();
    let mut waiting: Vec<_> =
        shard.batch(0).unwrap().columns().iter().map(|column| column.to_data()).collect();
    while let Some(data) = waiting.pop() {
        for buffer in data.buffers() {
            assert!(file.contains(&buffer.as_ptr()), "{}", data.data_type());
        }
        waiting.extend_from_slice(data.child_data());
    }
}

#[test]
fn samples_are_small() {
    let limits = [("dfs", "er_160", true, 60_000), ("dfs", "er_160", false, 12_000)];
    for (name, split, hints, most) in [limits[0], limits[1], ("bfs", "er_16", false, 600)] {
        let samples = 100;
        let (_folder, _, manifest) = written(&Wanted { name, split, hints, samples, ..SMALL });
        let bytes = manifest.shards.iter().map(|shard| shard.bytes).sum::<u64>() / samples;
        assert!(bytes <= most, "{name} {split} takes {bytes} bytes a sample");
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (_folder, path, manifest) = written(&Wanted { samples: 40, ..SMALL });
            (fs::read(path.join("00000.arrow")).unwrap(), manifest)
        })
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_stopped_run_goes_on_and_ends_with_the_same_bytes() {
    let (folder, path, manifest) = written(&LARGE);
    let files: Vec<(String, Vec<u8>)> = manifest
        .shards
        .iter()
        .map(|shard| (shard.file.clone(), fs::read(path.join(&shard.file)).unwrap()))
        .collect();
    assert!(files.len() >= 3, "{} shards", files.len());
    let largest = files.iter().map(|(_, bytes)| bytes.len()).max().unwrap();
    assert!(largest < 18 << 20, "{largest} bytes");

    // A run that dies after its second shard; the second was cut off, and a file without a name
    // was left.
    fs::remove_dir_all(&path).unwrap();
    fs::remove_file(manifest_path(&path)).unwrap();
    let partial = folder.path().join(".paper-dfs-er_1600.arrow.partial");
    let shards = AtomicU64::new(0);
    let dies = |done: u64| assert!(done == 0 || shards.fetch_add(1, Relaxed) == 0, "dead");
    let run = || LARGE.with_request(|request| write(request, folder.path(), &dies));
    std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    assert!(!path.exists());
    fs::write(partial.join("00001.arrow"), &files[1].1[..99]).unwrap();
    fs::write(partial.join(".salsa-abc.partial"), b"half").unwrap();
    let before = fs::metadata(partial.join("00000.arrow")).unwrap().modified().unwrap();
    assert_eq!(write_into(folder.path(), &LARGE).unwrap(), (path.clone(), manifest));
    let after = fs::metadata(path.join("00000.arrow")).unwrap().modified().unwrap();
    assert_eq!(before, after, "what was finished is kept");
    for (file, bytes) in &files {
        assert!(fs::read(path.join(file)).unwrap() == *bytes, "{file}");
    }
    assert_eq!(files_in(folder.path()), [path.clone(), manifest_path(&path)]);

    let stored = StoredSplit::open(&path).unwrap();
    for index in [0, LARGE.samples / 2, LARGE.samples - 1] {
        assert_same(&stored.sample(index, true).unwrap(), &LARGE.sample(index));
    }
    let missing = path.join("00001.arrow");
    fs::remove_file(&missing).unwrap();
    let error = verify(&path, &|_| ()).unwrap_err();
    assert!(error.to_string().starts_with(&missing.display().to_string()), "{error}");
    let error = StoredSplit::open(&path).err().unwrap();
    assert!(error.to_string().starts_with(&missing.display().to_string()), "{error}");
}

#[test]
fn data_that_are_there_are_kept_and_damaged_ones_are_replaced() {
    let (folder, path, manifest) = written(&SMALL);
    let file = path.join("00000.arrow");
    let time = || fs::metadata(&file).unwrap().modified().unwrap();
    let (good, before) = (fs::read(&file).unwrap(), time());
    assert_eq!(write_into(folder.path(), &SMALL).unwrap(), (path.clone(), manifest.clone()));
    assert_eq!(time(), before);
    fs::write(&file, b"something else").unwrap();
    assert_eq!(write_into(folder.path(), &SMALL).unwrap(), (path.clone(), manifest));
    assert_eq!(fs::read(&file).unwrap(), good);
    let other = write_into(folder.path(), &Wanted { hints: false, ..SMALL }).unwrap_err();
    assert!(other.contains("other data are there already"), "{other}");
    assert_eq!(fs::read(&file).unwrap(), good);
}

#[test]
fn a_folder_with_other_files_is_not_replaced() {
    let folder = tempdir().unwrap();
    let taken = folder.path().join("paper-bfs-train.arrow");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("mine"), b"").unwrap();
    let error = write_into(folder.path(), &SMALL).unwrap_err();
    assert!(error.starts_with(&taken.display().to_string()), "{error}");
    assert!(taken.join("mine").exists());
}

#[test]
fn every_flipped_bit_of_a_shard_is_noticed() {
    let bytes = shard_bytes(&TINY);
    read_all(&bytes).unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(read_all(&damaged).is_err(), "byte {place}");
    }
}

#[test]
fn every_end_of_a_shard_is_noticed() {
    let bytes = shard_bytes(&TINY);
    for len in 0..bytes.len() {
        let error = read_all(&bytes[..len]).unwrap_err();
        assert!(matches!(error, ShardError::Start(_) | ShardError::Truncated(_)), "{len}: {error}");
    }
}

#[test]
fn damage_is_named_by_verify() {
    let (_folder, path, _) = written(&SMALL);
    let file = path.join("00000.arrow");
    let good = fs::read(&file).unwrap();
    let told = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let error = verify(&path, &|_| ()).unwrap_err().to_string();
        error.strip_prefix(&format!("{}: ", file.display())).unwrap().to_owned()
    };
    for place in (0..good.len()).step_by(97) {
        let mut damaged = good.clone();
        damaged[place] ^= 1 << (place % 8);
        told(&damaged);
    }
    let mut damaged = good.clone();
    let middle = good.len() / 2;
    damaged[middle] ^= 4;
    let message = "samples 0 to 4 are damaged: their checksum does not match";
    assert_eq!(told(&damaged), message);
    let message = "it is cut off: the end of an Arrow IPC file is missing";
    assert_eq!(told(&good[..good.len() - 1]), message);
    assert_eq!(told(b""), "it does not start as an Arrow IPC file");
    let other = shard_bytes(&Wanted { samples: 6, ..SMALL });
    let message = "its header, hints or layout differ from what suite and seed give";
    assert_eq!(told(&other), message);
    let mut other = good.clone();
    *other.iter_mut().skip(middle).find(|byte| **byte == 1).unwrap() = 0;
    reseal(&mut other).unwrap();
    assert!(!told(&other).contains("checksum"));
    fs::write(&file, &good).unwrap();
    let more = path.join("00001.arrow");
    fs::write(&more, b"").unwrap();
    let error = verify(&path, &|_| ()).unwrap_err();
    assert!(matches!(&error, VerifyError::Extra { path } if *path == more.display().to_string()));
}

#[test]
fn a_manifest_that_says_something_else_of_a_shard_is_noticed() {
    let (_folder, path, manifest) = written(&SMALL);
    let told = |change: fn(&mut Manifest)| {
        let mut other = manifest.clone();
        change(&mut other);
        fs::write(manifest_path(&path), serde_json::to_vec(&other).unwrap()).unwrap();
        verify(&path, &|_| ()).unwrap_err();
        StoredSplit::open(&path)
    };
    assert!(told(|manifest| manifest.shards[0].hash = "00".to_owned()).is_ok());
    assert!(told(|manifest| manifest.file_hash = "00".to_owned()).is_ok());
    let foreign = [
        told(|manifest| manifest.shards[0].samples = 4),
        told(|manifest| manifest.seed += 1),
        told(|manifest| manifest.split = "val".to_owned()),
        told(|manifest| manifest.hints = false),
    ];
    for opened in foreign {
        assert!(matches!(opened, Err(StoredError::Foreign { .. })));
    }
    let incomplete = told(|manifest| manifest.shards.clear());
    assert!(matches!(incomplete, Err(StoredError::Incomplete { expected: 5, found: 0, .. })));
    assert!(matches!(
        told(|manifest| manifest.format = "graphml".to_owned()),
        Err(StoredError::Format { .. })
    ));
}

#[test]
fn another_version_is_told() {
    let mut bytes = shard_bytes(&TINY);
    let version = br#"{"version":1,"#;
    let places: Vec<usize> = (0..bytes.len() - version.len())
        .filter(|&place| bytes[place..].starts_with(version))
        .collect();
    for place in &places {
        bytes[place + version.len() - 2] = b'7';
    }
    assert_eq!(places.len(), 2);
    reseal(&mut bytes).unwrap();
    let message = "it is of version 7 of the format, this program reads version 1";
    assert_eq!(read_all(&bytes).unwrap_err().to_string(), message);
}

#[test]
fn outputs_that_the_algorithm_does_not_give_are_refused_with_their_hints() {
    // Valid pointers, but nobody reaches anybody.
    let mut sample = TINY.sample(0);
    let n_nodes = sample.graph.n_nodes() as u32;
    sample.trajectory.outputs =
        vec![salsa_traces::trajectory::Values::Pointer((0..n_nodes).collect())];
    sample.trajectory.hints = None;
    let header = TINY.with_request(|request| request.shard_header().unwrap());
    let mut writer = ShardWriter::new(header, 0).unwrap();
    writer.push(&sample).unwrap();
    let shard = Shard::from_bytes(writer.finish().unwrap().into()).unwrap();
    assert_eq!(shard.sample(0, false).unwrap(), sample);
    let message = "sample 0 makes no sense: its outputs are not those of its algorithm";
    assert_eq!(shard.sample(0, true).unwrap_err().to_string(), message);
}

#[test]
fn a_sample_that_does_not_fit_is_not_written() {
    let header = TINY.with_request(|request| request.shard_header().unwrap());
    let mut writer = ShardWriter::new(header, 3).unwrap();
    let told = |writer: &mut ShardWriter, wanted: &Wanted| {
        let mut sample = wanted.sample(0);
        if !wanted.hints {
            sample.trajectory.hints = None;
        }
        writer.push(&sample).unwrap_err().to_string()
    };
    let large = Wanted { split: "er_800", ..TINY };
    let message = "sample 3 cannot be written: it has 800 nodes, its columns number 256";
    assert_eq!(told(&mut writer, &large), message);
    let message = "sample 3 cannot be written: its hints are not as in the rest of the data set";
    assert_eq!(told(&mut writer, &Wanted { hints: true, ..TINY }), message);
}

#[test]
fn ends_that_are_no_whole_numbers_are_refused() {
    // The ends of two lists are three numbers of four bytes.
    let good = shard_bytes(&TINY);
    let is_length = |place: &usize| good[*place..].starts_with(&12i64.to_le_bytes());
    let places: Vec<usize> = (0..good.len() - 8).filter(is_length).collect();
    assert!(places.len() >= 3, "one for each list column");
    for place in places {
        let mut bytes = good.clone();
        bytes[place] = 13;
        reseal(&mut bytes).unwrap();
        let error = read_all(&bytes).unwrap_err();
        assert!(error.to_string().contains("a buffer of 13 bytes"), "{error}");
    }
}

proptest! {
    #[test]
    fn a_changed_shard_is_never_read_as_it_was(
        which in any::<(usize, bool)>(),
        changes in prop::collection::vec(any::<(usize, u8)>(), 1..4),
    ) {
        let bytes = shard_bytes(&any_wanted(which));
        let mut damaged = bytes.clone();
        for (place, bit) in changes {
            let place = place % bytes.len();
            damaged[place] ^= 1 << (bit % 8);
        }
        prop_assume!(damaged != bytes);
        prop_assert!(read_all(&damaged).is_err());
    }

    /// With checksums that are right again, so that what is behind them is reached.
    #[test]
    fn a_hostile_shard_never_panics(
        which in any::<(usize, bool)>(),
        changes in prop::collection::vec(any::<(usize, u8, u32)>(), 1..4),
    ) {
        let mut bytes = shard_bytes(&any_wanted(which));
        damage(&mut bytes, &changes);
        let _ = reseal(&mut bytes);
        let Ok(shard) = Shard::from_bytes(bytes.into()) else { return Ok(()) };
        for index in shard.samples() {
            // By way of a sample or not, the same is refused.
            let told = |error: ShardError| error.to_string();
            let ready = shard.ready(index).map_err(told);
            let sample = shard.sample(index, false).map_err(told);
            let expected = sample.map(|sample| Ready::new(&sample).unwrap());
            // As text, where what is no number is equal.
            prop_assert_eq!(format!("{:?}", ready), format!("{:?}", expected));
            for hints in [false, true] {
                if let Ok(sample) = shard.sample(index, hints) {
                    sample.check().unwrap();
                    sample.content_hash();
                    sample.hints_hash();
                }
            }
        }
    }
}

/// Three shards and more.
const LARGE: Wanted = Wanted { name: "dfs", split: "er_1600", samples: 160, ..SMALL };

fn any_wanted((algorithm, hints): (usize, bool)) -> Wanted<'static> {
    Wanted { name: &ALL[algorithm % ALL.len()].spec().algorithm, hints, ..TINY }
}

fn shard_bytes(wanted: &Wanted) -> Vec<u8> {
    wanted.with_request(|request| {
        let mut writer = ShardWriter::new(request.shard_header().unwrap(), 0).unwrap();
        for index in 0..request.samples {
            writer.push(&request.sampler.sample(index, request.hints).unwrap()).unwrap();
        }
        writer.finish().unwrap()
    })
}

fn read_all(bytes: &[u8]) -> Result<(), ShardError> {
    let shard = Shard::from_bytes(bytes.to_vec().into())?;
    shard.samples().try_for_each(|index| shard.sample(index, false).map(|_| ()))
}
