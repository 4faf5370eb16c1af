//! The functions of librbd and librados, loaded at run time, behind safe types. All unsafe code of this crate is here.
//!
//! Only functions that are in every release since Pacific (16.2) are used. Handles are usable from several threads: librbd promises
//! that for all calls made here.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::{Arc, OnceLock};

use block::Buffer;
use nix::errno::Errno;

/// A failed call, with the error that the cluster or the library reported.
pub(crate) type Failure = Errno;

/// Bit of the feature `exclusive-lock`.
pub(crate) const EXCLUSIVE_LOCK: u64 = 1 << 2;
/// `RBD_LOCK_MODE_EXCLUSIVE`.
const MODE_EXCLUSIVE: c_int = 0;
/// `RBD_WRITE_ZEROES_FLAG_THICK_PROVISION`: zeroes take storage.
const THICK: c_int = 1;
/// The longest text that is asked for in bytes: values of metadata and of options.
const TEXT_MAX: usize = 64 << 10;
/// The most entries of a list.
const LIST_MAX: usize = 4096;

type Rados = *mut c_void;
type IoContext = *mut c_void;
type ImageHandle = *mut c_void;
type CompletionHandle = *mut c_void;
type Callback = extern "C" fn(CompletionHandle, *mut c_void);
type UpdateCallback = extern "C" fn(*mut c_void);

/// `rbd_image_watcher_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct WatcherInfo {
    addr: *mut c_char,
    id: i64,
    cookie: u64,
}

/// `rbd_config_option_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct OptionInfo {
    name: *mut c_char,
    value: *mut c_char,
    source: c_int,
}

/// Declares the functions with their C types, and loads them by name.
macro_rules! functions {
    ($($library:ident { $($name:ident($($argument:ty),*) $(-> $result:ty)?;)* })*) => {
        struct Functions { $($($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*)* }

        impl Functions {
            fn load($($library: Handle),*) -> Result<Self, String> {
                Ok(Self { $($(
                    // SAFETY: the type is that of the function of this name in the header of librados or librbd.
                    $name: unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) $(-> $result)?>(
                            $library.symbol(concat!(stringify!($name), "\0"))?,
                        )
                    },
                )*)* })
            }
        }
    };
}

functions! {
    librados {
        rados_create(*mut Rados, *const c_char) -> c_int;
        rados_conf_read_file(Rados, *const c_char) -> c_int;
        rados_conf_set(Rados, *const c_char, *const c_char) -> c_int;
        rados_conf_get(Rados, *const c_char, *mut c_char, usize) -> c_int;
        rados_connect(Rados) -> c_int;
        rados_shutdown(Rados);
        rados_get_instance_id(Rados) -> u64;
        rados_cluster_fsid(Rados, *mut c_char, usize) -> c_int;
        rados_blocklist_add(Rados, *mut c_char, u32) -> c_int;
        rados_wait_for_latest_osdmap(Rados) -> c_int;
        rados_ioctx_create(Rados, *const c_char, *mut IoContext) -> c_int;
        rados_ioctx_destroy(IoContext);
        rados_ioctx_set_namespace(IoContext, *const c_char);
        rados_ioctx_get_id(IoContext) -> i64;
        rados_pool_reverse_lookup(Rados, i64, *mut c_char, usize) -> c_int;
        rados_set_pool_full_try(IoContext);
        rados_stat(IoContext, *const c_char, *mut u64, *mut libc::time_t) -> c_int;
        rados_get_last_version(IoContext) -> u64;
    }
    librbd {
        rbd_open(IoContext, *const c_char, *mut ImageHandle, *const c_char) -> c_int;
        rbd_open_read_only(IoContext, *const c_char, *mut ImageHandle, *const c_char) -> c_int;
        rbd_close(ImageHandle) -> c_int;
        rbd_get_size(ImageHandle, *mut u64) -> c_int;
        rbd_get_features(ImageHandle, *mut u64) -> c_int;
        rbd_get_id(ImageHandle, *mut c_char, usize) -> c_int;
        rbd_get_data_pool_id(ImageHandle) -> i64;
        rbd_lock_acquire(ImageHandle, c_int) -> c_int;
        rbd_lock_release(ImageHandle) -> c_int;
        rbd_lock_get_owners(ImageHandle, *mut c_int, *mut *mut c_char, *mut usize) -> c_int;
        rbd_lock_get_owners_cleanup(*mut *mut c_char, usize);
        rbd_lock_break(ImageHandle, c_int, *const c_char) -> c_int;
        rbd_is_exclusive_lock_owner(ImageHandle, *mut c_int) -> c_int;
        rbd_watchers_list(ImageHandle, *mut WatcherInfo, *mut usize) -> c_int;
        rbd_watchers_list_cleanup(*mut WatcherInfo, usize);
        rbd_config_image_list(ImageHandle, *mut OptionInfo, *mut c_int) -> c_int;
        rbd_config_image_list_cleanup(*mut OptionInfo, c_int);
        rbd_metadata_get(ImageHandle, *const c_char, *mut c_char, *mut usize) -> c_int;
        rbd_metadata_set(ImageHandle, *const c_char, *const c_char) -> c_int;
        rbd_metadata_remove(ImageHandle, *const c_char) -> c_int;
        rbd_update_watch(ImageHandle, *mut u64, UpdateCallback, *mut c_void) -> c_int;
        rbd_update_unwatch(ImageHandle, u64) -> c_int;
        rbd_read(ImageHandle, u64, usize, *mut c_char) -> isize;
        rbd_flush(ImageHandle) -> c_int;
        rbd_aio_create_completion(*mut c_void, Callback, *mut CompletionHandle) -> c_int;
        rbd_aio_get_return_value(CompletionHandle) -> isize;
        rbd_aio_release(CompletionHandle);
        rbd_aio_read(ImageHandle, u64, usize, *mut c_char, CompletionHandle) -> c_int;
        rbd_aio_write(ImageHandle, u64, usize, *const c_char, CompletionHandle) -> c_int;
        rbd_aio_write_zeroes(ImageHandle, u64, usize, CompletionHandle, c_int, c_int) -> c_int;
        rbd_aio_flush(ImageHandle, CompletionHandle) -> c_int;
    }
}

/// A loaded library, until the process ends.
#[derive(Clone, Copy)]
struct Handle(*mut c_void);

impl Handle {
    fn open(file: &CStr, package: &str) -> Result<Self, String> {
        // SAFETY: the name is a C string. The constructors of a library run, as those of any that is linked.
        let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if !handle.is_null() {
            return Ok(Self(handle));
        }
        // SAFETY: it returns a C string that stays until the next call on this thread, or nothing.
        let reason = unsafe { libc::dlerror().as_ref().map(|reason| CStr::from_ptr(reason)) };
        let reason = reason.map(CStr::to_string_lossy).unwrap_or_default();
        if reason.contains("No such file") {
            return Err(format!("{package} is not installed; install the package {package}1"));
        }
        Err(format!("{package} cannot be loaded ({reason}); install the package {package}1 again"))
    }

    /// Returns the address of a function. `name` ends with a zero byte.
    fn symbol(self, name: &str) -> Result<*mut c_void, String> {
        let name = CStr::from_bytes_with_nul(name.as_bytes()).expect("the macro ends it so");
        // SAFETY: the library is open, and the name is a C string.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        if address.is_null() {
            let name = name.to_string_lossy();
            return Err(format!("librbd has no function {name}; install a release of 16.2 or later"));
        }
        Ok(address)
    }
}

/// The loaded libraries.
pub(crate) struct Ceph(Functions);

impl Ceph {
    /// Loads the libraries.
    ///
    /// # Errors
    /// If one is not installed, or too old.
    pub(crate) fn load() -> Result<Arc<Self>, String> {
        let librbd = Handle::open(c"librbd.so.1", "librbd")?;
        let librados = Handle::open(c"librados.so.2", "librados")?;
        Functions::load(librados, librbd).map(|functions| Arc::new(Self(functions)))
    }
}

/// A client of a cluster.
pub(crate) struct Cluster {
    ceph: Arc<Ceph>,
    rados: Rados,
}

// SAFETY: librados takes calls for one client from any thread.
unsafe impl Send for Cluster {}
// SAFETY: as above.
unsafe impl Sync for Cluster {}

impl Cluster {
    /// Creates a client that is not connected.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn new(ceph: &Arc<Ceph>, user: Option<&str>) -> Result<Self, Failure> {
        let user = user.map(text);
        let mut rados = ptr::null_mut();
        let name = user.as_ref().map_or(ptr::null(), |user| user.as_ptr());
        // SAFETY: the place for the handle and the name, if there is one, are valid for the call.
        checked(unsafe { (ceph.0.rados_create)(&raw mut rados, name) })?;
        Ok(Self { ceph: Arc::clone(ceph), rados })
    }

    /// Reads a configuration file; none: the standard one.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn read_conf(&self, file: Option<&Path>) -> Result<(), Failure> {
        let file = file.map(|file| text(&file.to_string_lossy()));
        let path = file.as_ref().map_or(ptr::null(), |file| file.as_ptr());
        // SAFETY: the handle is open; the path, if there is one, is a C string.
        checked(unsafe { (self.ceph.0.rados_conf_read_file)(self.rados, path) })
    }

    /// Sets an option.
    ///
    /// # Errors
    /// `ENOENT` if the library does not know it; `EINVAL` for a value.
    pub(crate) fn set(&self, option: &str, value: &str) -> Result<(), Failure> {
        let (option, value) = (text(option), text(value));
        // SAFETY: the handle is open, and both are C strings.
        checked(unsafe { (self.ceph.0.rados_conf_set)(self.rados, option.as_ptr(), value.as_ptr()) })
    }

    /// Returns the value of an option.
    ///
    /// # Errors
    /// `ENOENT` if the library does not know it.
    pub(crate) fn get(&self, option: &str) -> Result<String, Failure> {
        let option = text(option);
        let mut value = vec![0_u8; TEXT_MAX];
        // SAFETY: the handle is open; the library writes at most as many bytes as the buffer has.
        let outcome = unsafe {
            (self.ceph.0.rados_conf_get)(self.rados, option.as_ptr(), value.as_mut_ptr().cast(), value.len())
        };
        checked(outcome)?;
        Ok(until_zero(&value))
    }

    /// Connects.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn connect(&self) -> Result<(), Failure> {
        // SAFETY: the handle is open.
        checked(unsafe { (self.ceph.0.rados_connect)(self.rados) })
    }

    /// Returns the number of this client, which its watches bear.
    pub(crate) fn client(&self) -> u64 {
        // SAFETY: the handle is open.
        unsafe { (self.ceph.0.rados_get_instance_id)(self.rados) }
    }

    /// Returns the id of the cluster.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn fsid(&self) -> Result<String, Failure> {
        let mut id = [0_u8; 64];
        // SAFETY: the handle is open; the library writes at most as many bytes as the buffer has.
        checked(unsafe { (self.ceph.0.rados_cluster_fsid)(self.rados, id.as_mut_ptr().cast(), id.len()) })?;
        Ok(until_zero(&id))
    }

    /// Keeps a client out of the cluster for some seconds.
    ///
    /// # Errors
    /// `EACCES` without the right.
    pub(crate) fn blocklist(&self, address: &str, seconds: u32) -> Result<(), Failure> {
        let mut address = text(address).into_bytes_with_nul();
        // SAFETY: the handle is open; the address is a C string that is the callee's for the call.
        checked(unsafe {
            (self.ceph.0.rados_blocklist_add)(self.rados, address.as_mut_ptr().cast(), seconds)
        })
    }

    /// Waits for the newest map, which later requests make known to servers.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn wait_for_map(&self) -> Result<(), Failure> {
        // SAFETY: the handle is open.
        checked(unsafe { (self.ceph.0.rados_wait_for_latest_osdmap)(self.rados) })
    }

    /// Opens a pool. A write to one that is full, or whose quota is used up, is an error: without the flag, which images inherit for their
    /// data pool, it would wait for room without an answer.
    ///
    /// # Errors
    /// `ENOENT` if there is none of that name.
    pub(crate) fn pool(self: &Arc<Self>, pool: &str, namespace: &str) -> Result<Arc<Pool>, Failure> {
        let (pool, namespace) = (text(pool), text(namespace));
        let mut io = ptr::null_mut();
        // SAFETY: the handle is open; the name is a C string, the place for the handle is valid.
        checked(unsafe { (self.ceph.0.rados_ioctx_create)(self.rados, pool.as_ptr(), &raw mut io) })?;
        // SAFETY: the handle was opened just now; the name is a C string.
        unsafe { (self.ceph.0.rados_ioctx_set_namespace)(io, namespace.as_ptr()) };
        // SAFETY: as above.
        unsafe { (self.ceph.0.rados_set_pool_full_try)(io) };
        Ok(Arc::new(Pool { cluster: Arc::clone(self), io }))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // SAFETY: pools and images hold the cluster, so this is the last use of the handle.
        unsafe { (self.ceph.0.rados_shutdown)(self.rados) };
    }
}

/// An open pool.
pub(crate) struct Pool {
    cluster: Arc<Cluster>,
    io: IoContext,
}

// SAFETY: librados takes calls for one pool from any thread; the namespace is not changed once it is shared.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// Returns its id.
    pub(crate) fn id(&self) -> i64 {
        // SAFETY: the handle is open.
        unsafe { (self.functions().rados_ioctx_get_id)(self.io) }
    }

    /// Returns the version of the header of an image. It rises whenever a client takes or releases the lock, and with each change of the
    /// metadata, of the size and of snapshots.
    ///
    /// # Errors
    /// `ENOENT` if there is no such image.
    pub(crate) fn header_version(&self, id: &str) -> Result<u64, Failure> {
        let object = text(&format!("rbd_header.{id}"));
        let (mut bytes, mut time) = (0, 0);
        // SAFETY: the handle is open, the name is a C string, and both places are valid.
        let outcome =
            unsafe { (self.functions().rados_stat)(self.io, object.as_ptr(), &raw mut bytes, &raw mut time) };
        checked(outcome)?;
        // SAFETY: the handle is open. No other thread uses it at that moment: an image has a handle of its own.
        Ok(unsafe { (self.functions().rados_get_last_version)(self.io) })
    }

    /// Opens an image. With `examine` it is only read, and its users do not see that.
    ///
    /// # Errors
    /// `ENOENT` if there is none of that name.
    pub(crate) fn image(self: &Arc<Self>, name: &str, examine: bool) -> Result<Image, Failure> {
        let name = text(name);
        let mut handle = ptr::null_mut();
        let functions = self.functions();
        let open = if examine { functions.rbd_open_read_only } else { functions.rbd_open };
        // SAFETY: the pool is open; the name is a C string, the place for the handle is valid, and no snapshot is named.
        checked(unsafe { open(self.io, name.as_ptr(), &raw mut handle, ptr::null()) })?;
        Ok(Image { pool: Arc::clone(self), handle, watch: OnceLock::new() })
    }

    fn functions(&self) -> &Functions {
        &self.cluster.ceph.0
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: images hold the pool, so this is the last use of the handle.
        unsafe { (self.functions().rados_ioctx_destroy)(self.io) };
    }
}

/// An open image.
pub(crate) struct Image {
    pool: Arc<Pool>,
    handle: ImageHandle,
    /// Number of the watch on its header.
    watch: OnceLock<u64>,
}

// SAFETY: librbd takes calls for one image from any thread.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

/// A client that has an image open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Watcher {
    /// Its address.
    pub(crate) address: String,
    /// Its number.
    pub(crate) client: u64,
}

impl Image {
    fn functions(&self) -> &Functions {
        self.pool.functions()
    }

    /// Returns its size in bytes.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn size(&self) -> Result<u64, Failure> {
        let mut bytes = 0;
        // SAFETY: the handle is open, the place is valid.
        checked(unsafe { (self.functions().rbd_get_size)(self.handle, &raw mut bytes) })?;
        Ok(bytes)
    }

    /// Returns its features as bits.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn features(&self) -> Result<u64, Failure> {
        let mut bits = 0;
        // SAFETY: the handle is open, the place is valid.
        checked(unsafe { (self.functions().rbd_get_features)(self.handle, &raw mut bits) })?;
        Ok(bits)
    }

    /// Returns its id, which a renamed image keeps.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn id(&self) -> Result<String, Failure> {
        let mut id = vec![0_u8; 256];
        // SAFETY: the handle is open; the library writes at most as many bytes as the buffer has.
        checked(unsafe { (self.functions().rbd_get_id)(self.handle, id.as_mut_ptr().cast(), id.len()) })?;
        Ok(until_zero(&id))
    }

    /// Returns the name of the pool with its data.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn data_pool(&self) -> Result<String, Failure> {
        let mut name = vec![0_u8; 256];
        let rados = self.pool.cluster.rados;
        // SAFETY: both handles are open; the library writes at most as many bytes as the buffer has.
        let outcome = unsafe {
            let id = (self.functions().rbd_get_data_pool_id)(self.handle);
            (self.functions().rados_pool_reverse_lookup)(rados, id, name.as_mut_ptr().cast(), name.len())
        };
        checked(outcome)?;
        Ok(until_zero(&name))
    }

    /// Takes the lock, and keeps it until it is released.
    ///
    /// # Errors
    /// `EROFS`, `EBUSY` or `EAGAIN` if another client has it.
    pub(crate) fn lock(&self) -> Result<(), Failure> {
        // SAFETY: the handle is open.
        checked(unsafe { (self.functions().rbd_lock_acquire)(self.handle, MODE_EXCLUSIVE) })
    }

    /// Releases the lock.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn unlock(&self) -> Result<(), Failure> {
        // SAFETY: the handle is open.
        checked(unsafe { (self.functions().rbd_lock_release)(self.handle) })
    }

    /// Returns true if this client has the lock.
    pub(crate) fn is_lock_owner(&self) -> bool {
        let mut is_owner = 0;
        // SAFETY: the handle is open, the place is valid.
        let outcome =
            unsafe { (self.functions().rbd_is_exclusive_lock_owner)(self.handle, &raw mut is_owner) };
        outcome == 0 && is_owner != 0
    }

    /// Returns the address of the client that has the lock, alive or not.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn lock_owner(&self) -> Result<Option<String>, Failure> {
        let (mut mode, mut owners, mut count) = (0, [ptr::null_mut::<c_char>(); 8], 8);
        let functions = self.functions();
        // SAFETY: the handle is open; the library writes at most as many entries as it is given.
        let outcome = unsafe {
            (functions.rbd_lock_get_owners)(self.handle, &raw mut mode, owners.as_mut_ptr(), &raw mut count)
        };
        match checked(outcome) {
            Err(Errno::ENOENT) => return Ok(None),
            outcome => outcome?,
        }
        let owner = owners.iter().take(count).find(|owner| !owner.is_null());
        // SAFETY: each entry is a C string until it is cleaned up.
        let owner = owner.map(|owner| unsafe { CStr::from_ptr(*owner) }.to_string_lossy().into_owned());
        // SAFETY: as many entries as the library wrote; they are not used any more.
        unsafe { (functions.rbd_lock_get_owners_cleanup)(owners.as_mut_ptr(), count) };
        Ok(owner)
    }

    /// Takes the lock from a client, whether it is alive or not.
    ///
    /// # Errors
    /// `ENOENT` or `EBUSY` if it does not have the lock; `EACCES` without the right.
    pub(crate) fn break_lock(&self, owner: &str) -> Result<(), Failure> {
        let owner = text(owner);
        // SAFETY: the handle is open, and the owner is a C string.
        checked(unsafe { (self.functions().rbd_lock_break)(self.handle, MODE_EXCLUSIVE, owner.as_ptr()) })
    }

    /// Returns the clients that have it open for writing, this one as well. One that died stays for half a minute.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn watchers(&self) -> Result<Vec<Watcher>, Failure> {
        let functions = self.functions();
        let mut found = vec![WatcherInfo { addr: ptr::null_mut(), id: 0, cookie: 0 }; 16];
        loop {
            let mut count = found.len();
            // SAFETY: the handle is open; the library writes at most as many entries as it is given.
            match checked(unsafe {
                (functions.rbd_watchers_list)(self.handle, found.as_mut_ptr(), &raw mut count)
            }) {
                Err(Errno::ERANGE) if count > found.len() && count <= LIST_MAX => {
                    found.resize(count, found[0]);
                    continue;
                }
                outcome => outcome?,
            }
            let watcher = |info: &WatcherInfo| Watcher {
                // SAFETY: each entry has a C string until it is cleaned up.
                address: unsafe { CStr::from_ptr(info.addr) }.to_string_lossy().into_owned(),
                client: u64::try_from(info.id).unwrap_or_default(),
            };
            let watchers = found.iter().take(count).map(watcher).collect();
            // SAFETY: as many entries as the library wrote; they are not used any more.
            unsafe { (functions.rbd_watchers_list_cleanup)(found.as_mut_ptr(), count) };
            return Ok(watchers);
        }
    }

    /// Returns the values of options as they apply to this image: pools and images can override those of a client.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn options(&self) -> Result<Vec<(String, String)>, Failure> {
        let functions = self.functions();
        let mut found = vec![OptionInfo { name: ptr::null_mut(), value: ptr::null_mut(), source: 0 }; 256];
        loop {
            let mut count = c_int::try_from(found.len()).expect("the list is short");
            // SAFETY: the handle is open; the library writes at most as many entries as it is given.
            let outcome =
                unsafe { (functions.rbd_config_image_list)(self.handle, found.as_mut_ptr(), &raw mut count) };
            let needed = usize::try_from(count).unwrap_or_default();
            match checked(outcome) {
                Err(Errno::ERANGE) if needed > found.len() && needed <= LIST_MAX => {
                    found.resize(needed, found[0]);
                    continue;
                }
                outcome => outcome?,
            }
            let entry = |text: *mut c_char| {
                // SAFETY: each entry has two C strings until it is cleaned up.
                unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
            };
            let options = found.iter().take(needed).map(|one| (entry(one.name), entry(one.value))).collect();
            // SAFETY: as many entries as the library wrote; they are not used any more.
            unsafe { (functions.rbd_config_image_list_cleanup)(found.as_mut_ptr(), count) };
            return Ok(options);
        }
    }

    /// Returns the value of a key of its metadata.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn metadata(&self, key: &str) -> Result<Option<String>, Failure> {
        let key = text(key);
        let mut value = vec![0_u8; TEXT_MAX];
        let mut length = value.len();
        // SAFETY: the handle is open, the key is a C string; the library writes at most as many bytes as it is given.
        let outcome = unsafe {
            (self.functions().rbd_metadata_get)(
                self.handle,
                key.as_ptr(),
                value.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        match checked(outcome) {
            Err(Errno::ENOENT) => Ok(None),
            outcome => outcome.map(|()| Some(until_zero(&value))),
        }
    }

    /// Sets a key of its metadata, durably.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn set_metadata(&self, key: &str, value: &str) -> Result<(), Failure> {
        let (key, value) = (text(key), text(value));
        // SAFETY: the handle is open, and both are C strings.
        checked(unsafe { (self.functions().rbd_metadata_set)(self.handle, key.as_ptr(), value.as_ptr()) })
    }

    /// Removes a key of its metadata, durably, if it has it.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn remove_metadata(&self, key: &str) -> Result<(), Failure> {
        let key = text(key);
        // SAFETY: the handle is open, and the key is a C string.
        match checked(unsafe { (self.functions().rbd_metadata_remove)(self.handle, key.as_ptr()) }) {
            Err(Errno::ENOENT) => Ok(()),
            outcome => outcome,
        }
    }

    /// Calls `changed` on a thread of the library whenever the header of the image has changed, until the image is closed. It must not use
    /// the image. Once for an image.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn watch<F: Fn() + Send + Sync + 'static>(&self, changed: F) -> Result<(), Failure> {
        extern "C" fn call<F: Fn()>(argument: *mut c_void) {
            // SAFETY: it is the box that `watch` leaked, so it is valid for ever; `F` is shared between threads.
            let changed = unsafe { &*argument.cast::<F>() };
            changed();
        }
        let argument = Box::into_raw(Box::new(changed));
        let mut number = 0;
        // SAFETY: the handle is open, the place is valid, and the argument is what the callback takes.
        checked(unsafe {
            (self.functions().rbd_update_watch)(self.handle, &raw mut number, call::<F>, argument.cast())
        })?;
        self.watch.set(number).expect("an image is watched once");
        Ok(())
    }

    /// Reads into `bytes`, waiting.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn read_now(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        // SAFETY: the handle is open; the library writes at most as many bytes as the buffer has.
        let read = unsafe {
            (self.functions().rbd_read)(self.handle, offset, bytes.len(), bytes.as_mut_ptr().cast())
        };
        checked(c_int::try_from(read.min(0)).unwrap_or(-libc::EIO))?;
        if read.unsigned_abs() == bytes.len() { Ok(()) } else { Err(Errno::EIO) }
    }

    /// Makes all completed writes durable, waiting.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn flush_now(&self) -> Result<(), Failure> {
        // SAFETY: the handle is open.
        checked(unsafe { (self.functions().rbd_flush)(self.handle) })
    }

    /// Begins a request. `done` is called with its buffer and outcome on a thread of the library, or here if it cannot begin.
    pub(crate) fn begin<F>(&self, request: Io, done: F)
    where
        F: FnOnce(Option<Buffer>, Result<(), Failure>) + Send + 'static,
    {
        let functions = self.functions();
        let mut pending =
            Box::new(Pending { ceph: Arc::clone(&self.pool.cluster.ceph), buffer: None, expected: 0, done });
        let (offset, length, kind) = match request {
            Io::Read { offset, buffer } => {
                pending.expected = buffer.len();
                let length = buffer.len();
                pending.buffer = Some(buffer);
                (offset, length, Kind::Read)
            }
            Io::Write { offset, buffer } => {
                let length = buffer.len();
                pending.buffer = Some(buffer);
                (offset, length, Kind::Write)
            }
            Io::Zeroes { offset, length, thick } => (offset, length, Kind::Zeroes { thick }),
            Io::Flush => (0, 0, Kind::Flush),
        };
        let memory = pending.buffer.as_mut().map_or(ptr::null_mut(), |buffer| buffer.as_mut_ptr());
        let argument = Box::into_raw(pending);
        let mut completion = ptr::null_mut();
        // SAFETY: the place is valid, and the argument is what the callback takes.
        let created = checked(unsafe {
            (functions.rbd_aio_create_completion)(argument.cast(), completed::<F>, &raw mut completion)
        });
        if let Err(error) = created {
            // SAFETY: the library did not take it, so it is ours again.
            unsafe { Box::from_raw(argument) }.end(Err(error));
            return;
        }
        // SAFETY: the handle is open. The memory belongs to `Pending`, which is leaked until the callback, and has `length` bytes, if the
        // operation takes any. The completion was created for this call.
        let begun = unsafe {
            match kind {
                Kind::Read => {
                    (functions.rbd_aio_read)(self.handle, offset, length, memory.cast(), completion)
                }
                Kind::Write => {
                    (functions.rbd_aio_write)(self.handle, offset, length, memory.cast(), completion)
                }
                Kind::Zeroes { thick } => {
                    let flags = if thick { THICK } else { 0 };
                    (functions.rbd_aio_write_zeroes)(self.handle, offset, length, completion, flags, 0)
                }
                Kind::Flush => (functions.rbd_aio_flush)(self.handle, completion),
            }
        };
        if let Err(error) = checked(begun) {
            // SAFETY: a request that did not begin never completes, so the argument is ours again, and the completion is ours to release.
            unsafe {
                (functions.rbd_aio_release)(completion);
                Box::from_raw(argument).end(Err(error));
            }
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if let Some(number) = self.watch.get() {
            // SAFETY: the handle is open, and the number is that of a watch. The library requires that none is left.
            unsafe { (self.functions().rbd_update_unwatch)(self.handle, *number) };
        }
        // SAFETY: this is the last use of the handle. The outcome makes no difference: it is closed in any case.
        unsafe { (self.functions().rbd_close)(self.handle) };
    }
}

/// A request to an image.
pub(crate) enum Io {
    Read {
        offset: u64,
        buffer: Buffer,
    },
    Write {
        offset: u64,
        buffer: Buffer,
    },
    /// `thick`: the zeroes take storage.
    Zeroes {
        offset: u64,
        length: usize,
        thick: bool,
    },
    Flush,
}

/// The same without its memory.
enum Kind {
    Read,
    Write,
    Zeroes { thick: bool },
    Flush,
}

/// A request that the library has. Owns its memory until it completes, whether anything waits for it or not.
struct Pending<F> {
    ceph: Arc<Ceph>,
    buffer: Option<Buffer>,
    /// Bytes of a read.
    expected: usize,
    done: F,
}

impl<F: FnOnce(Option<Buffer>, Result<(), Failure>)> Pending<F> {
    fn end(self, outcome: Result<(), Failure>) {
        (self.done)(self.buffer, outcome);
    }
}

extern "C" fn completed<F>(completion: CompletionHandle, argument: *mut c_void)
where
    F: FnOnce(Option<Buffer>, Result<(), Failure>),
{
    // SAFETY: it is the box that `begin` leaked for this completion, and the library calls back once.
    let pending = unsafe { Box::from_raw(argument.cast::<Pending<F>>()) };
    // SAFETY: the completion is valid until it is released, which is done once, here.
    let returned = unsafe { (pending.ceph.0.rbd_aio_get_return_value)(completion) };
    // SAFETY: as above.
    unsafe { (pending.ceph.0.rbd_aio_release)(completion) };
    let outcome = checked(c_int::try_from(returned.min(0)).unwrap_or(-libc::EIO));
    let is_short = pending.expected > 0 && returned.unsigned_abs() != pending.expected;
    let outcome = if outcome.is_ok() && is_short { Err(Errno::EIO) } else { outcome };
    pending.end(outcome);
}

/// Returns the error of a negative outcome.
fn checked(outcome: c_int) -> Result<(), Failure> {
    if outcome < 0 { Err(Errno::from_raw(outcome.saturating_neg())) } else { Ok(()) }
}

/// Returns a C string. A text with a zero byte, which no name has, ends before it.
fn text(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).expect("it has no zero byte")
}

fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
