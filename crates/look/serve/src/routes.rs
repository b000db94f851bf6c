//! What is asked for, and what answers it.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use perflab_pages::{Content, asset};
use serde::Deserialize;

use crate::answer::{content, said};
use crate::guard::{Guard, Pass};
use crate::library::Library;

#[derive(Debug, Clone)]
struct Shared {
    library: Arc<Library>,
    guard: Arc<Guard>,
}

/// The list, the pages of each result, and two of them beside each other.
pub(crate) fn router(library: Library, guard: Guard) -> Router {
    let shared = Shared {
        library: Arc::new(library),
        guard: Arc::new(guard),
    };
    // Only GET, and HEAD with it: nothing can be changed.
    Router::new()
        .route("/", get(list))
        .route("/pair", get(pair))
        .route("/results/{*address}", get(result))
        .route("/{asset}", get(shared_asset))
        .fallback(|| async { nothing() })
        .method_not_allowed_fallback(|| async {
            said(
                StatusCode::METHOD_NOT_ALLOWED,
                "nothing can be changed here: ask with GET",
            )
        })
        .layer(middleware::from_fn_with_state(shared.clone(), let_in))
        .with_state(shared)
}

fn nothing() -> Response {
    said(
        StatusCode::NOT_FOUND,
        "there is nothing at this address; the list of results is at /",
    )
}

async fn let_in(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    match shared.guard.pass(request.headers(), request.uri()) {
        Pass::In => next.run(request).await,
        Pass::Keep(cookie) => {
            let mut response = next.run(request).await;
            if let Ok(value) = HeaderValue::from_str(&cookie) {
                response.headers_mut().insert(SET_COOKIE, value);
            }
            response
        }
        Pass::WrongName => said(
            StatusCode::MISDIRECTED_REQUEST,
            "ask for 127.0.0.1 or localhost: other names are not answered",
        ),
        Pass::Elsewhere => said(
            StatusCode::FORBIDDEN,
            "pages of other servers may lead here, and ask for nothing",
        ),
        Pass::NoToken => said(
            StatusCode::FORBIDDEN,
            "open the address that perflab serve printed, with its token",
        ),
    }
}

/// Answers with what reads files and computes, away from the thread that answers.
async fn aside(work: impl FnOnce() -> Option<Content> + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(work).await {
        Ok(found) => answered(found).await,
        Err(_) => said(
            StatusCode::INTERNAL_SERVER_ERROR,
            "this page cannot be made: a fault of perflab, about which perflab serve has printed more",
        ),
    }
}

/// What the list is searched for.
#[derive(Debug, Default, Deserialize)]
struct Search {
    #[serde(default)]
    q: String,
}

async fn list(
    State(shared): State<Shared>,
    search: Result<Query<Search>, QueryRejection>,
) -> Response {
    let query = search.map(|Query(search)| search.q).unwrap_or_default();
    aside(move || Some(Content::page(shared.library.list(&query)))).await
}

/// Two results, by their paths below the root.
#[derive(Debug, Deserialize)]
struct Pair {
    a: String,
    b: String,
}

async fn pair(State(shared): State<Shared>, pair: Result<Query<Pair>, QueryRejection>) -> Response {
    let Ok(Query(pair)) = pair else {
        return said(
            StatusCode::BAD_REQUEST,
            "choose two results in the list at /",
        );
    };
    aside(move || shared.library.pair(&pair.a, &pair.b).map(Content::page)).await
}

async fn result(
    State(shared): State<Shared>,
    address: Result<Path<String>, PathRejection>,
) -> Response {
    // What is no text names no result.
    let Ok(Path(address)) = address else {
        return nothing();
    };
    aside(move || shared.library.content(&address)).await
}

async fn shared_asset(name: Result<Path<String>, PathRejection>) -> Response {
    answered(name.ok().and_then(|Path(name)| asset(&name))).await
}

async fn answered(found: Option<Content>) -> Response {
    match found {
        Some(found) => content(found).await,
        None => nothing(),
    }
}
