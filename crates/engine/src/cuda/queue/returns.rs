//! What comes back to the host: values that it waits for, and a few that it asks for later.

use cudarc::driver::result;

use super::super::arena::Place;
use super::super::draft::{Code, Draft};
use super::super::error::CudaError;
use super::super::slots::{MOST_RETURNED, Return};
use super::{FIRST_OPS, N_RETURNS, Queue};

impl Queue {
    /// Copies words of a block to the host, after everything that was added before.
    #[expect(unsafe_code, reason = "a copy from the GPU")]
    pub(in crate::cuda) fn read(&mut self, from: Place, to: &mut [f32]) -> Result<(), CudaError> {
        self.flush()?;
        self.enough = FIRST_OPS;
        // SAFETY: the block has so many words, and the copy is waited for.
        unsafe { result::memcpy_dtoh_async(to, from.address, self.stream.cu_stream())? };
        Ok(self.stream.synchronize()?)
    }

    /// Begins to copy values, each the first of its place, to the host. The program writes them there
    /// itself: a copy of the driver's would take 10 us between programs.
    pub(in crate::cuda) fn read_later(&mut self, from: &[Place]) -> Result<usize, CudaError> {
        assert!(from.len() <= MOST_RETURNED, "a few values at a time");
        let number = self.next_return;
        self.next_return = (number + 1) % N_RETURNS;
        let mut host = self.returns[number].host as u64;
        for place in from {
            let mut draft = Draft::new(Code::Copy).reads(0, *place, 0..1).constant(1, host);
            // Whoever counts as finished waits for what was written, and the host is far away: so
            // all of them are among the last operators, with the last value.
            if let Some(last) = from.last() {
                draft = draft.reads(2, *last, 0..1);
            }
            self.push(draft.numbers(0, [1]).values(1))?;
            host += size_of::<f32>() as u64;
        }
        self.flush()?;
        self.enough = FIRST_OPS;
        self.returns[number].done.record(&self.stream)?;
        Ok(number)
    }

    /// Waits for values that were read later.
    #[expect(unsafe_code, reason = "host memory of the driver's")]
    pub(in crate::cuda) fn wait_for(&self, number: usize, to: &mut [f32]) -> Result<(), CudaError> {
        let Return { host, done } = &self.returns[number];
        done.synchronize()?;
        // SAFETY: the copy to it is done.
        to.copy_from_slice(unsafe { std::slice::from_raw_parts(*host, to.len()) });
        Ok(())
    }
}
