//! `salsa serve`: a sweep that goes on, in the browser.
//!
//! Nothing is ever written, and nobody but this machine is answered unless a token is given.

mod access;
mod live;
mod look;

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use salsa_sweep::folder::SweepFolder;
use tiny_http::{Header, Request, Response, Server};

use self::access::{Access, Refusal, Token};
use self::look::Look;
use super::report::newest;
use super::train::stop_on_interrupt;
use crate::failure::Failure;
use crate::page::open_in_browser;

/// Show a sweep in the browser while it goes on
///
/// The page of salsa report, made anew from the records of a sweep's folder, with what is being
/// worked on; it looks again every few seconds and stays where you are. Reads only. Answers this
/// machine alone; to listen beyond it, give a token, which readers send once in the address.
/// Ctrl-C ends it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa serve salsa-sweeps/quick
  salsa serve salsa-sweeps/quick --open
  SALSA_TOKEN=$(openssl rand -hex 16) salsa serve --bind 0.0.0.0:8080")]
pub struct Serve {
    /// The folder of a sweep [default: the newest sweep in salsa-sweeps]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// Address and port to listen on; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    bind: SocketAddr,

    /// Answer only who knows this, 16 letters, digits, - or _ at least [default: SALSA_TOKEN from
    /// the environment, if set]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,

    /// Open it in the browser
    #[arg(long)]
    open: bool,

    /// Small samples of each algorithm in the player
    #[arg(long, value_name = "N", default_value_t = 2)]
    samples: usize,

    /// Leave the player out
    #[arg(long)]
    no_player: bool,
}

/// Requests that are answered at the same time: one reader on a slow line keeps nobody waiting.
const WORKERS: usize = 4;

/// How often somebody looks whether all is over.
const PATIENCE: Duration = Duration::from_millis(200);

impl Serve {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => newest::sweep(Path::new("salsa-sweeps"))?,
        };
        let sweep = SweepFolder::open(&folder)?;
        let token = self.token.clone().or_else(|| std::env::var("SALSA_TOKEN").ok());
        let token = token.map(|text| Token::new(&text)).transpose().map_err(Failure::mistake)?;
        if token.is_none() && !self.bind.ip().is_loopback() {
            return Err(Failure::mistake(format!(
                "--bind: others can reach {}; give a --token that they have to know",
                self.bind.ip()
            )));
        }
        let access = Access { token, is_loopback: self.bind.ip().is_loopback() };
        let server = Server::http(self.bind)
            .map_err(|error| Failure::mistake(format!("--bind: {}: {error}", self.bind)))?;
        let bound = server.server_addr().to_ip().unwrap_or(self.bind);
        let address = access.address(bound);
        writeln!(out, "{}: {address} (Ctrl-C ends it)", sweep.plan().name())
            .and_then(|()| out.flush())
            .map_err(Failure::output)?;
        if self.open {
            open_in_browser(Path::new(&address))?;
        }
        let look = Look::new(sweep, (!self.no_player).then_some(self.samples));
        let is_over = stop_on_interrupt()?;
        serve(&server, &access, &look, &is_over);
        Ok(())
    }
}

fn serve(server: &Server, access: &Access, look: &Look, is_over: &AtomicBool) {
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            // A connection that broke is its reader's business.
            if let Ok(Some(request)) = server.recv_timeout(PATIENCE) {
                let response = answer(&request, access, look);
                let _ = request.respond(response);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(work);
        }
    });
}

type Answer = Response<std::io::Cursor<Vec<u8>>>;

fn answer(request: &Request, access: &Access, look: &Look) -> Answer {
    match access.check(request) {
        Err(Refusal::Method) => {
            text(405, "read only: GET or HEAD").with_header(field("Allow", "GET, HEAD"))
        }
        Err(Refusal::Host) => text(403, "this name is not this machine's"),
        Err(Refusal::Token) => text(401, "a token is missing or wrong: /?token=...")
            .with_header(field("WWW-Authenticate", "Bearer")),
        Err(Refusal::TakeCookie(cookie)) => text(303, "")
            .with_header(field("Location", "/"))
            .with_header(field("Set-Cookie", &cookie)),
        Ok(()) => {
            let path = request.url().split('?').next().unwrap_or_default();
            let made = match path {
                "/" => look.html().map(|body| ("text/html; charset=utf-8", body)),
                "/page.json" => look.json().map(|body| ("application/json", body)),
                _ => return text(404, "there is only /"),
            };
            match made {
                Ok((kind, body)) => page(request, kind, body),
                Err(failure) => text(500, &failure.to_string()),
            }
        }
    }
}

/// A page, or that it is the one the reader has.
fn page(request: &Request, kind: &str, body: String) -> Answer {
    let tag = format!("\"{}\"", &blake3::hash(body.as_bytes()).to_hex()[..32]);
    let is_known = |header: &Header| {
        header.field.equiv("If-None-Match") && header.value.as_str() == tag.as_str()
    };
    let answer = match request.headers().iter().any(is_known) {
        true => safe(Response::from_data(Vec::new()).with_status_code(304)),
        false => safe(Response::from_string(body).with_header(field("Content-Type", kind))),
    };
    answer.with_header(field("ETag", &tag))
}

fn text(status: u16, words: &str) -> Answer {
    let body = format!("{words}\n");
    safe(Response::from_string(body).with_status_code(status))
}

/// What a browser should not do with any answer.
fn safe(answer: Answer) -> Answer {
    [
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Content-Security-Policy", "frame-ancestors 'none'"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    .into_iter()
    .fold(answer, |answer, (name, value)| answer.with_header(field(name, value)))
}

fn field(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).unwrap_or_else(|()| unreachable!("{name} is plain text"))
}
