//! Memory of the host that a GPU can copy from and to by itself.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaEvent, result};

use super::error::CudaError;

/// Bytes of a slot.
pub(super) const SLOT: usize = 2 << 20;
/// Values that come back at a time.
pub(super) const MOST_RETURNED: usize = 64;

/// Host memory that the GPU can copy from by itself, and where it copies to.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) host: *mut u8,
    pub(super) device: u64,
    /// That it has been copied, and that nobody needs it any more.
    pub(super) there: CudaEvent,
    pub(super) done: CudaEvent,
}

impl Slot {
    #[expect(unsafe_code, reason = "memory of the driver's")]
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, CudaError> {
        // SAFETY: the context is current; both are freed once, in `drop`.
        let (host, device) =
            unsafe { (result::malloc_host(SLOT, 0)?.cast(), result::malloc_sync(SLOT)?) };
        let (there, done) = (context.new_event(None)?, context.new_event(None)?);
        Ok(Self { host, device, there, done })
    }
}

impl Drop for Slot {
    #[expect(unsafe_code, reason = "memory of the driver's")]
    fn drop(&mut self) {
        // SAFETY: the queue has waited for everything on its way.
        unsafe {
            let _ = result::free_host(self.host.cast());
            let _ = result::free_sync(self.device);
        }
    }
}

/// Host memory that programs can write to: the driver maps it at the same address.
#[derive(Debug)]
pub(super) struct Return {
    pub(super) host: *mut f32,
    pub(super) done: CudaEvent,
}

impl Return {
    #[expect(unsafe_code, reason = "memory of the driver's")]
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, CudaError> {
        // SAFETY: the context is current; freed once, in `drop`.
        let host = unsafe { result::malloc_host(4 * MOST_RETURNED, 0)?.cast() };
        Ok(Self { host, done: context.new_event(None)? })
    }
}

impl Drop for Return {
    #[expect(unsafe_code, reason = "memory of the driver's")]
    fn drop(&mut self) {
        // SAFETY: the queue has waited for everything on its way.
        let _ = unsafe { result::free_host(self.host.cast()) };
    }
}
