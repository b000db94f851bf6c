//! Two servers never share a file.

use perflab_aof::{OpenError, Policy};

use crate::fixture::{open, place, try_open};

#[test]
fn a_file_is_opened_once() {
    let (_directory, path) = place();
    let (log, _, _) = open(&path, Policy::Always);
    let refused = || {
        let error = try_open(&path, Policy::Always).unwrap_err();
        assert!(matches!(error, OpenError::InUse(_)), "{error}");
        let said = error.to_string();
        assert!(said.contains("in use by another server"), "{said}");
        assert!(said.contains(&path.display().to_string()), "{said}");
    };
    refused();
    // The new file is locked, too, and from the first moment on.
    let rewrite = log.begin_rewrite().unwrap();
    refused();
    rewrite.finish().unwrap();
    refused();
    log.close().unwrap();
    open(&path, Policy::Always);
    open(&path, Policy::Always);
}
