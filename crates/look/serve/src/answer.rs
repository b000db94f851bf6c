//! Answers, with what keeps browsers from doing anything else with them than showing them.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use perflab_pages::Content;
use tokio_util::io::ReaderStream;

/// Scripts, styles and data come from here alone. The only pictures are a plot to be saved, made from its drawing, and
/// the empty icon of a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// An answer of bytes.
pub(crate) fn made(status: StatusCode, media_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, media_type),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
        // Pages of others may not take what is here for a part of theirs.
        (RESOURCE_POLICY, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A sentence.
pub(crate) fn said(status: StatusCode, sentence: &str) -> Response {
    made(
        status,
        "text/plain; charset=utf-8",
        Body::from(format!("{sentence}\n")),
    )
}

/// What is found at an address of a result; raw files as text, whatever they are.
pub(crate) async fn content(content: Content) -> Response {
    match content {
        Content::Made { kind, bytes } => made(StatusCode::OK, kind.media_type(), Body::from(bytes)),
        Content::Raw(file) => {
            let body = Body::from_stream(ReaderStream::new(tokio::fs::File::from_std(file)));
            made(StatusCode::OK, "text/plain; charset=utf-8", body)
        }
    }
}
