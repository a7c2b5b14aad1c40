//! Folders and files of Windows that only this user, the system and administrators can open, wherever they lie.
//!
//! What is made in such a folder inherits its access list. Most folders of a user are like that already; one that somebody names
//! elsewhere is not.
#![expect(unsafe_code, reason = "the standard library makes nothing with an access list")]

use std::ffi::{OsStr, OsString, c_void};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, RawHandle};
use std::path::{Component, Path, Prefix};
use std::ptr::{null, null_mut};

/// `SECURITY_ATTRIBUTES` of minwinbase.h.
#[repr(C)]
struct Attributes {
    length: u32,
    descriptor: *mut c_void,
    inherited: i32,
}

const QUERY: u32 = 8;
const USER: i32 = 1;
/// `FILE_FLAG_OPEN_REPARSE_POINT` of winbase.h.
pub(crate) const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
/// `GENERIC_READ` and `GENERIC_WRITE`.
const READ_AND_WRITE: u32 = 0xC000_0000;
/// Others may read, write and remove it meanwhile, as with the standard library's files.
const SHARE_ALL: u32 = 7;
const CREATE_NEW: u32 = 1;
/// `SE_FILE_OBJECT`; owner and list of an object's security.
const FILE: i32 = 1;
const OWNER_AND_LIST: u32 = 1 | 4;
/// Longest `TOKEN_USER`, in words: a pointer, flags and a SID of 68 bytes.
const WORDS: usize = 16;

#[link(name = "advapi32")]
unsafe extern "system" {
    fn OpenProcessToken(process: isize, access: u32, token: *mut isize) -> i32;
    fn GetTokenInformation(token: isize, what: i32, buffer: *mut c_void, size: u32, needed: *mut u32) -> i32;
    fn ConvertSidToStringSidW(sid: *const c_void, text: *mut *mut u16) -> i32;
    fn ConvertStringSecurityDescriptorToSecurityDescriptorW(
        text: *const u16,
        revision: u32,
        descriptor: *mut *mut c_void,
        size: *mut u32,
    ) -> i32;
    fn GetSecurityInfo(
        object: RawHandle,
        kind: i32,
        what: u32,
        owner: *mut *mut c_void,
        group: *mut *mut c_void,
        list: *mut *mut c_void,
        audit: *mut *mut c_void,
        descriptor: *mut *mut c_void,
    ) -> i32;
    fn ConvertSecurityDescriptorToStringSecurityDescriptorW(
        descriptor: *const c_void,
        revision: u32,
        what: u32,
        text: *mut *mut u16,
        length: *mut u32,
    ) -> i32;
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetCurrentProcess() -> isize;
    fn CloseHandle(handle: isize) -> i32;
    fn LocalFree(memory: *mut c_void) -> *mut c_void;
    fn CreateDirectoryW(path: *const u16, attributes: *const Attributes) -> i32;
    fn CreateFileW(
        path: *const u16,
        access: u32,
        share: u32,
        attributes: *const Attributes,
        disposition: u32,
        flags: u32,
        template: isize,
    ) -> RawHandle;
}

/// Makes the folder and its missing parents for this user. An existing folder is not changed.
///
/// # Errors
/// The error of the system.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        make_folder(parent)?;
    }
    match Descriptor::of_this_user()?.make_folder(folder) {
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        made => made,
    }
}

/// Makes a new file for this user.
///
/// # Errors
/// The error of the system.
pub(crate) fn make(path: &Path) -> Result<File> {
    Descriptor::of_this_user()?.make(path)
}

/// The owner and the access list of an open file, as text.
///
/// # Errors
/// The error of the system.
pub(crate) fn of(file: &File) -> Result<String> {
    let (mut descriptor, mut text, none) = (null_mut(), null_mut::<u16>(), null_mut());
    // SAFETY: the handle is open, the pointers are ours; the descriptor is the system's and freed once.
    unsafe {
        let told = GetSecurityInfo(
            file.as_raw_handle(),
            FILE,
            OWNER_AND_LIST,
            none,
            none,
            none,
            none,
            &raw mut descriptor,
        );
        if told != 0 {
            return Err(Error::from_raw_os_error(told));
        }
        let held = Local(descriptor);
        let written =
            ConvertSecurityDescriptorToStringSecurityDescriptorW(held.0, 1, OWNER_AND_LIST, &raw mut text, null_mut());
        if written == 0 {
            return Err(Error::last_os_error());
        }
        Ok(taken(text))
    }
}

/// A text for Windows, with its end.
fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// A path for Windows, in the form without a limit of length.
fn long(path: &Path) -> Result<Vec<u16>> {
    let path = std::path::absolute(path)?;
    let drive = matches!(path.components().next(), Some(Component::Prefix(of)) if matches!(of.kind(), Prefix::Disk(_)));
    let mut long = OsString::from(if drive { r"\\?\" } else { "" });
    long.push(&path);
    Ok(wide(&long))
}

/// A text of the system, which is freed.
///
/// # Safety
/// The text ends with a zero, is the system's, and is used by nobody else.
unsafe fn taken(text: *mut u16) -> String {
    let held = Local(text.cast());
    // SAFETY: as the caller promises.
    let units = unsafe {
        let length = (0..).take_while(|at| *text.add(*at) != 0).count();
        std::slice::from_raw_parts(text, length)
    };
    let text = String::from_utf16_lossy(units);
    drop(held);
    text
}

/// Memory that Windows has allocated.
struct Local(*mut c_void);

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: the pointer is the system's, and freed once.
        unsafe { LocalFree(self.0) };
    }
}

/// Who may open a folder or a file.
struct Descriptor(Local);

impl Descriptor {
    /// Full access for this user, the system and administrators, for what is made inside as well; nothing is inherited from outside.
    fn of_this_user() -> Result<Self> {
        let user = user()?;
        Self::new(&format!("D:P(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"))
    }

    fn new(text: &str) -> Result<Self> {
        let mut descriptor = null_mut();
        // SAFETY: the text ends with a zero, and the pointer is ours.
        let made = unsafe {
            let text = wide(text.as_ref());
            ConvertStringSecurityDescriptorToSecurityDescriptorW(text.as_ptr(), 1, &raw mut descriptor, null_mut())
        };
        if made == 0 {
            return Err(Error::last_os_error());
        }
        Ok(Self(Local(descriptor)))
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            length: u32::try_from(size_of::<Attributes>()).unwrap_or_default(),
            descriptor: self.0.0,
            inherited: 0,
        }
    }

    fn make_folder(&self, folder: &Path) -> Result<()> {
        let (name, attributes) = (long(folder)?, self.attributes());
        // SAFETY: the path ends with a zero, and the descriptor lives as long as this.
        if unsafe { CreateDirectoryW(name.as_ptr(), &raw const attributes) } == 0 {
            return Err(Error::last_os_error());
        }
        Ok(())
    }

    fn make(&self, path: &Path) -> Result<File> {
        let (name, attributes) = (long(path)?, self.attributes());
        // SAFETY: as for a folder; the handle is new, and the file's from then on.
        unsafe {
            let handle = CreateFileW(
                name.as_ptr(),
                READ_AND_WRITE,
                SHARE_ALL,
                &raw const attributes,
                CREATE_NEW,
                OPEN_REPARSE_POINT,
                0,
            );
            // `INVALID_HANDLE_VALUE`
            if handle.addr() == usize::MAX {
                return Err(Error::last_os_error());
            }
            Ok(File::from_raw_handle(handle))
        }
    }
}

/// The security identifier of this process's user, as text.
///
/// # Errors
/// The error of the system.
pub(crate) fn user() -> Result<String> {
    let (mut token, mut about, mut text) = (0, [0_usize; WORDS], null_mut::<u16>());
    // SAFETY: the handle is closed once; the buffer is ours with its true size, and holds a `TOKEN_USER` whose first word is the address of a
    // SID inside of it; the text is the system's, ends with a zero and is freed once.
    unsafe {
        if OpenProcessToken(GetCurrentProcess(), QUERY, &raw mut token) == 0 {
            return Err(Error::last_os_error());
        }
        let size = u32::try_from(size_of_val(&about)).unwrap_or_default();
        let told = GetTokenInformation(token, USER, about.as_mut_ptr().cast(), size, &mut 0);
        let error = Error::last_os_error();
        CloseHandle(token);
        let sid = about.first().map_or(null(), |sid| *sid as *const c_void);
        if told == 0 {
            return Err(error);
        }
        if ConvertSidToStringSidW(sid, &raw mut text) == 0 {
            return Err(Error::last_os_error());
        }
        Ok(taken(text))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::windows::fs::OpenOptionsExt;

    use super::*;
    use crate::{access_list, exposed_to_others, open};

    #[test]
    fn a_folder_belongs_to_this_user_and_can_be_used() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder
            .path()
            .join("private")
            .join("deeper")
            .join("x".repeat(200))
            .join("y".repeat(100));
        make_folder(&deep).unwrap();
        make_folder(&deep).unwrap();
        fs::write(deep.join("file"), "text").unwrap();
        assert_eq!(fs::read_to_string(deep.join("file")).unwrap(), "text");
        // What is made inside by others' means inherits the list, but not in Wine. Folders are opened with `FILE_FLAG_BACKUP_SEMANTICS`.
        let made = File::options()
            .read(true)
            .custom_flags(0x0200_0000)
            .open(&deep)
            .unwrap();
        let list = of(&made).unwrap();
        assert_eq!(access_list::exposed(&list, &user().unwrap()), None, "{list}");
        assert!(user().unwrap().starts_with("S-1-5-"), "{}", user().unwrap());
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(make_folder(&folder.path().join("file")).is_err());
    }

    #[test]
    fn a_file_for_everybody_is_known_by_its_list() {
        let folder = tempfile::tempdir().unwrap();
        let (open_to_all, own) = (folder.path().join("all"), folder.path().join("own"));
        let all = Descriptor::new("D:P(A;;FA;;;WD)").unwrap().make(&open_to_all).unwrap();
        let why = exposed_to_others(&all).unwrap();
        assert!(
            why.is_some_and(|why| why.contains("Security")),
            "{why:?}: {}",
            of(&all).unwrap()
        );
        let mine = make(&own).unwrap();
        assert_eq!(exposed_to_others(&mine).unwrap(), None, "{}", of(&mine).unwrap());
        assert_eq!(make(&own).unwrap_err().kind(), ErrorKind::AlreadyExists);
        open(&own, File::options().read(true)).unwrap();
    }
}
