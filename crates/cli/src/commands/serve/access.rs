//! Who is answered.
//!
//! On this machine's own addresses a browser may still be led here by a page from elsewhere whose
//! name was made to mean this machine; the name that it asks for gives it away. Where there is a
//! token, it comes once in the address, and then in a cookie that scripts cannot read, or in the
//! header `Authorization`. Tokens are compared by their hashes, whose comparison takes the same
//! time wherever they differ.

use std::net::{IpAddr, SocketAddr};

use tiny_http::{Method, Request};

/// A word that readers have to know.
#[derive(Debug, Clone)]
pub struct Token {
    text: String,
    hash: blake3::Hash,
}

/// Who is answered.
#[derive(Debug, Clone)]
pub struct Access {
    /// What readers have to know.
    pub token: Option<Token>,
    /// Whether only this machine is listened to.
    pub is_loopback: bool,
}

/// Why a request is not answered with what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is none for reading.
    Method,
    /// It asks for another machine.
    Host,
    /// It does not know the token.
    Token,
    /// It has the token in its address, and gets a cookie instead.
    TakeCookie(String),
}

const COOKIE: &str = "salsa_token";
const SHORTEST: usize = 16;

impl Token {
    /// A token, if it is long enough and safe in addresses and cookies.
    pub fn new(text: &str) -> Result<Self, String> {
        let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
        if text.len() < SHORTEST || !text.bytes().all(is_plain) {
            return Err(format!(
                "--token: expected at least {SHORTEST} letters, digits, - or _, found {} bytes",
                text.len()
            ));
        }
        Ok(Self { text: text.to_owned(), hash: blake3::hash(text.as_bytes()) })
    }

    fn is(&self, given: &str) -> bool {
        self.hash == blake3::hash(given.as_bytes())
    }
}

impl Access {
    /// Where a reader begins.
    pub fn address(&self, bound: SocketAddr) -> String {
        match &self.token {
            Some(token) => format!("http://{bound}/?token={}", token.text),
            None => format!("http://{bound}/"),
        }
    }

    /// Whether a request is answered.
    pub fn check(&self, request: &Request) -> Result<(), Refusal> {
        let header = |name: &'static str| {
            let found = request.headers().iter().find(|header| header.field.equiv(name));
            found.map(|header| header.value.as_str())
        };
        let is_reading = matches!(request.method(), Method::Get | Method::Head);
        let (host, bearer) = (header("Host"), header("Authorization"));
        self.decide(is_reading, host, request.url(), bearer, header("Cookie"))
    }

    fn decide(
        &self,
        is_reading: bool,
        host: Option<&str>,
        url: &str,
        authorization: Option<&str>,
        cookies: Option<&str>,
    ) -> Result<(), Refusal> {
        if !is_reading {
            return Err(Refusal::Method);
        }
        if self.is_loopback && !host.is_some_and(is_this_machine) {
            return Err(Refusal::Host);
        }
        let Some(token) = &self.token else { return Ok(()) };
        let query = url.split_once('?').map_or("", |(_, query)| query);
        if let Some(given) = query.split('&').find_map(|part| part.strip_prefix("token=")) {
            return Err(match token.is(given) {
                true => Refusal::TakeCookie(format!(
                    "{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict",
                    token.text
                )),
                false => Refusal::Token,
            });
        }
        let bearer = authorization.and_then(|value| value.strip_prefix("Bearer "));
        let cookies = cookies.unwrap_or_default().split(';');
        let mut pairs = cookies.filter_map(|pair| pair.trim().split_once('='));
        let cookie = pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value);
        match bearer.into_iter().chain(cookie).any(|given| token.is(given)) {
            true => Ok(()),
            false => Err(Refusal::Token),
        }
    }
}

/// Whether the header `Host` names an address of this machine alone, with any port.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: &str = "0123456789abcdef";

    fn with_token() -> Access {
        Access { token: Some(Token::new(WORD).unwrap()), is_loopback: false }
    }

    #[test]
    fn only_names_of_this_machine_are_answered_on_it() {
        let access = Access { token: None, is_loopback: true };
        let ask = |host| access.decide(true, host, "/", None, None);
        for host in ["localhost:8080", "127.0.0.1", "127.1.2.3:1", "[::1]:8080", "LOCALHOST"] {
            assert_eq!(ask(Some(host)), Ok(()), "{host}");
        }
        for host in ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "192.0.2.1", ""]
        {
            assert_eq!(ask(Some(host)), Err(Refusal::Host), "{host}");
        }
        assert_eq!(ask(None), Err(Refusal::Host));
    }

    #[test]
    fn nothing_but_reading_is_done() {
        let access = Access { token: None, is_loopback: true };
        assert_eq!(access.decide(false, Some("localhost"), "/", None, None), Err(Refusal::Method));
    }

    #[test]
    fn a_token_is_asked_for_in_one_of_three_places() {
        let access = with_token();
        let ask = |url: &str, bearer: Option<&str>, cookies: Option<&str>| {
            access.decide(true, Some("any.example"), url, bearer, cookies)
        };
        assert_eq!(ask("/", None, None), Err(Refusal::Token));
        assert_eq!(ask("/?token=0123456789abcdeX", None, None), Err(Refusal::Token));
        let Err(Refusal::TakeCookie(cookie)) = ask(&format!("/?a=b&token={WORD}"), None, None)
        else {
            panic!("a cookie is given for the token");
        };
        assert!(cookie.contains("HttpOnly; SameSite=Strict"));
        assert_eq!(ask("/", Some(&format!("Bearer {WORD}")), None), Ok(()));
        assert_eq!(ask("/", Some(WORD), None), Err(Refusal::Token));
        assert_eq!(ask("/page.json", None, Some(&format!("a=b; salsa_token={WORD}"))), Ok(()));
        assert_eq!(ask("/", None, Some("salsa_token=")), Err(Refusal::Token));
    }

    #[test]
    fn a_token_must_be_long_and_plain() {
        assert!(Token::new("short").is_err());
        assert!(Token::new("0123456789abcde;").is_err());
        assert!(Token::new("0123456789-abcde_F").is_ok());
    }
}
