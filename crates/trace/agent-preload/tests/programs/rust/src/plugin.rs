//! Loads the shared object that the program was told.

/// The function in the shared object.
pub type Plugin = extern "C" fn(i32) -> i32;

#[cfg(target_feature = "crt-static")]
pub fn load() -> Option<Plugin> {
    None
}

#[cfg(not(target_feature = "crt-static"))]
pub fn load() -> Option<Plugin> {
    use std::ffi::{CString, c_char, c_int, c_void};
    unsafe extern "C" {
        fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(object: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    const NOW: c_int = 2;
    let path = CString::new(std::env::args().nth(1)?).unwrap();
    // SAFETY: our own object, whose function has this type; it is never unloaded.
    unsafe {
        let object = dlopen(path.as_ptr(), NOW);
        assert!(!object.is_null(), "{path:?} cannot be loaded");
        let function = dlsym(object, c"plugin".as_ptr());
        assert!(!function.is_null());
        Some(std::mem::transmute::<*mut c_void, Plugin>(function))
    }
}
