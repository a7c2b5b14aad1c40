//! Folders of Windows that only this user, the system and administrators can open, wherever they lie.
//!
//! What is made in such a folder inherits its access list. Most folders of a user are like that already; one that somebody names
//! elsewhere is not.
#![expect(unsafe_code, reason = "the standard library makes no folder with an access list")]

use std::ffi::{OsStr, OsString, c_void};
use std::io::{Error, ErrorKind, Result};
use std::os::windows::ffi::OsStrExt;
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
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetCurrentProcess() -> isize;
    fn CloseHandle(handle: isize) -> i32;
    fn LocalFree(memory: *mut c_void) -> *mut c_void;
    fn CreateDirectoryW(path: *const u16, attributes: *const Attributes) -> i32;
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
    let descriptor = Descriptor::of_this_user()?;
    match descriptor.make(folder) {
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        made => made,
    }
}

/// A text for Windows, with its end.
fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// Memory that Windows has allocated.
struct Local(*mut c_void);

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: the pointer is the system's, and freed once.
        unsafe { LocalFree(self.0) };
    }
}

/// Who may open a folder.
struct Descriptor(Local);

impl Descriptor {
    /// Full access for this user, the system and administrators, for what is made inside as well; nothing is inherited from outside.
    fn of_this_user() -> Result<Self> {
        let user = user()?;
        let text = format!("D:P(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)");
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

    fn make(&self, folder: &Path) -> Result<()> {
        let attributes = Attributes {
            length: u32::try_from(size_of::<Attributes>()).unwrap_or_default(),
            descriptor: self.0.0,
            inherited: 0,
        };
        let path = std::path::absolute(folder)?;
        // The form without a limit of length.
        let drive =
            matches!(path.components().next(), Some(Component::Prefix(of)) if matches!(of.kind(), Prefix::Disk(_)));
        let mut long = OsString::from(if drive { r"\\?\" } else { "" });
        long.push(&path);
        let name = wide(&long);
        // SAFETY: the path ends with a zero, and the descriptor lives as long as this.
        if unsafe { CreateDirectoryW(name.as_ptr(), &raw const attributes) } == 0 {
            return Err(Error::last_os_error());
        }
        Ok(())
    }
}

/// The security identifier of this process's user, as text.
fn user() -> Result<String> {
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
        let held = Local(text.cast());
        let length = (0..).take_while(|at| *text.add(*at) != 0).count();
        let user = String::from_utf16_lossy(std::slice::from_raw_parts(text, length));
        drop(held);
        Ok(user)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
        assert!(user().unwrap().starts_with("S-1-5-"), "{}", user().unwrap());
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(make_folder(&folder.path().join("file")).is_err());
    }
}
