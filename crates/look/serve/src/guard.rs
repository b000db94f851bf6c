//! Who may see the results.
//!
//! Pages of others, in the same browser, could ask this server under a name of theirs that leads to this machine
//! (DNS rebinding), so the name that was asked for must be one of this machine's. Nor are their scripts and pictures
//! answered that ask under this machine's own names: they may lead people here, no more. Beyond this machine nobody
//! gets in without the token.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use axum::http::header::{COOKIE, HOST};
use axum::http::{HeaderMap, Uri};
use rand::Rng;

/// What the cookie's name begins with; the port follows, as browsers keep one jar for all ports of a machine.
const COOKIE_NAME: &str = "perflab-token-";

/// What lets one in: 128 random bits.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// A new one.
    pub(crate) fn new() -> Self {
        let bits: u128 = rand::rng().random();
        Self(format!("{bits:032x}"))
    }

    /// Compares all letters, whichever differ: the time tells nothing of how many are right.
    fn is(&self, other: &str) -> bool {
        let both = self.0.bytes().zip(other.bytes());
        let differ = both.fold(0, |differ, (a, b)| differ | (a ^ b));
        other.len() == self.0.len() && differ == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Lets requests in, or not.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    address: SocketAddr,
    token: Option<Token>,
}

/// What becomes of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// It is answered.
    In,
    /// It is answered, and the browser keeps the token, in a cookie.
    Keep(String),
    /// It is for another name.
    WrongName,
    /// It has no token.
    NoToken,
    /// A page of somebody else asks.
    Elsewhere,
}

impl Guard {
    pub(crate) fn new(address: SocketAddr, token: Option<Token>) -> Self {
        Self { address, token }
    }

    pub(crate) fn pass(&self, headers: &HeaderMap, uri: &Uri) -> Pass {
        if is_from_elsewhere(headers) {
            return Pass::Elsewhere;
        }
        let Some(token) = &self.token else {
            return if self.is_own_name(headers) {
                Pass::In
            } else {
                Pass::WrongName
            };
        };
        let cookies = headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut kept = cookies
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .filter(|(name, _)| *name == self.cookie());
        if kept.any(|(_, value)| token.is(value)) {
            return Pass::In;
        }
        let query = uri.query().unwrap_or_default();
        let mut given = query
            .split('&')
            .filter_map(|pair| pair.strip_prefix("token="));
        if given.any(|value| token.is(value)) {
            return Pass::Keep(format!(
                "{}={token}; HttpOnly; SameSite=Strict; Path=/",
                self.cookie()
            ));
        }
        Pass::NoToken
    }

    fn cookie(&self) -> String {
        format!("{COOKIE_NAME}{}", self.address.port())
    }

    /// Whether the name that was asked for is one of this machine's own.
    fn is_own_name(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let Ok(host) = host.to_str() else {
            return false;
        };
        if let Ok(address) = host.parse::<SocketAddr>() {
            return address.ip().is_loopback() && address.port() == self.address.port();
        }
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        let is_name = name.eq_ignore_ascii_case("localhost")
            || name
                .trim_matches(['[', ']'])
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback());
        is_name && port == self.address.port().to_string()
    }
}

/// Whether a browser says that it asks for a page of somebody else, and not because a person went from there to here.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let says = |name: &str, value: &str| {
        let mut said = headers.get_all(name).iter();
        said.any(|said| said == value)
    };
    let is_other = says("sec-fetch-site", "cross-site") || says("sec-fetch-site", "same-site");
    let is_visit = says("sec-fetch-mode", "navigate") && says("sec-fetch-dest", "document");
    is_other && !is_visit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    fn at(text: &str) -> Uri {
        text.parse().unwrap()
    }

    #[test]
    fn only_names_of_this_machine() {
        let guard = Guard::new("127.0.0.1:8080".parse().unwrap(), None);
        for own in [
            "127.0.0.1:8080",
            "localhost:8080",
            "LOCALHOST:8080",
            "[::1]:8080",
        ] {
            assert_eq!(
                guard.pass(&headers(&[("host", own)]), &at("/")),
                Pass::In,
                "{own}"
            );
        }
        for other in [
            "evil.example:8080",
            "127.0.0.1:8081",
            "127.0.0.1",
            "localhost.evil.example:8080",
            "",
        ] {
            let pass = guard.pass(&headers(&[("host", other)]), &at("/"));
            assert_eq!(pass, Pass::WrongName, "{other}");
        }
        assert_eq!(guard.pass(&HeaderMap::new(), &at("/")), Pass::WrongName);
        let two = headers(&[("host", "localhost:8080"), ("host", "evil.example")]);
        assert_eq!(guard.pass(&two, &at("/")), Pass::WrongName);
    }

    #[test]
    fn pages_of_others_lead_here_and_no_more() {
        let guard = Guard::new("127.0.0.1:8080".parse().unwrap(), None);
        let pass = |site: &str, mode: &str, dest: &str| {
            let headers = headers(&[
                ("host", "127.0.0.1:8080"),
                ("sec-fetch-site", site),
                ("sec-fetch-mode", mode),
                ("sec-fetch-dest", dest),
            ]);
            guard.pass(&headers, &at("/"))
        };
        for own in ["same-origin", "none"] {
            assert_eq!(pass(own, "no-cors", "script"), Pass::In, "{own}");
        }
        for other in ["cross-site", "same-site"] {
            assert_eq!(pass(other, "navigate", "document"), Pass::In, "{other}");
            for (mode, dest) in [
                ("no-cors", "script"),
                ("no-cors", "image"),
                ("cors", "empty"),
                ("navigate", "iframe"),
            ] {
                assert_eq!(
                    pass(other, mode, dest),
                    Pass::Elsewhere,
                    "{other} {mode} {dest}"
                );
            }
        }
    }

    #[test]
    fn each_port_has_a_cookie_of_its_own() {
        let cookie = |address: &str| {
            let token = Token::new();
            let guard = Guard::new(address.parse().unwrap(), Some(token.clone()));
            match guard.pass(&HeaderMap::new(), &at(&format!("/?token={token}"))) {
                Pass::Keep(cookie) => cookie.split_once('=').unwrap().0.to_owned(),
                other => panic!("{other:?}"),
            }
        };
        assert_ne!(cookie("0.0.0.0:8080"), cookie("0.0.0.0:8081"));
    }

    #[test]
    fn from_elsewhere_only_with_the_token() {
        let token = Token::new();
        let guard = Guard::new("0.0.0.0:8080".parse().unwrap(), Some(token.clone()));
        let none = HeaderMap::new();
        assert_eq!(guard.pass(&none, &at("/")), Pass::NoToken);
        assert_eq!(guard.pass(&none, &at("/?token=")), Pass::NoToken);
        assert_eq!(
            guard.pass(&none, &at(&format!("/?token={token}0"))),
            Pass::NoToken
        );
        let Pass::Keep(cookie) = guard.pass(&none, &at(&format!("/?a=b&token={token}"))) else {
            panic!("not kept");
        };
        let kept = cookie.split(';').next().unwrap().to_owned();
        assert_eq!(
            guard.pass(&headers(&[("cookie", &format!("x=y; {kept}"))]), &at("/")),
            Pass::In
        );
        assert_eq!(
            guard.pass(&headers(&[("cookie", "perflab-token-8080=")]), &at("/")),
            Pass::NoToken
        );
        assert!(!format!("{guard:?}").contains(&token.to_string()));
    }
}
