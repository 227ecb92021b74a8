//! NPZ: the columns of Arrow files as arrays that `numpy.load` reads.
//!
//! A shard is a ZIP archive of arrays without compression: `header` with the bytes of the header's
//! text, `first` with the index of the first sample, and for each column its values and, for
//! lists, where each sample's begin and end. The comment at the end of the archive is the
//! checksum of all bytes before it, so a changed file is refused before it is opened.

mod npy;
mod read;
mod values;
mod write;

pub use read::{read, reseal};
pub(crate) use write::file;

/// What a file of this format is called in errors.
const NAME: &str = "an NPZ file";
