//! The document around the data: one file that reaches for nothing.
//!
//! Its policy allows the one script and the one style that are in it, known by their hashes, and
//! answers of whoever served it; data can never be taken for either.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::Page;
use super::scripts::{script, style};

/// The HTML of a page whose data is `json`.
pub fn document(page: &Page, json: &str) -> String {
    let (script, style) = (script(), style());
    let title = escaped(&page.title);
    let policy = policy(&script, &style, page.live.is_some());
    let json = inside_script(json);
    format!(
        "<!doctype html>\n\
         <html lang=\"en\">\n\
         <head>\n\
         <meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <style>{style}</style>\n\
         </head>\n\
         <body>\n\
         <a class=\"skip\" href=\"#content\">Skip to the results</a>\n\
         <header id=\"header\"></header>\n\
         <main id=\"content\" tabindex=\"-1\"></main>\n\
         <noscript><p>This page draws its tables and plots with scripts that are inside it; \
         allow them to see it.</p></noscript>\n\
         <script type=\"application/json\" id=\"data\">{json}</script>\n\
         <script type=\"module\">{script}</script>\n\
         </body>\n\
         </html>\n"
    )
}

/// What the document may do.
fn policy(script: &str, style: &str, is_live: bool) -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let connect = if is_live { "'self'" } else { "'none'" };
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; \
         connect-src {connect}; base-uri 'none'; form-action 'none'",
        hash(script),
        hash(style)
    )
}

/// JSON that does not end the element it is in: `<` is only in its texts, where it may be written
/// as a number.
fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_leave_its_element() {
        let json = inside_script(r#"{"a":"</script><!--<script>"}"#);
        assert!(!json.contains('<'));
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["a"], "</script><!--<script>");
    }

    #[test]
    fn the_policy_allows_what_is_inside_and_no_more() {
        let policy = policy("a", "b", false);
        // printf a | openssl dgst -sha256 -binary | base64
        assert!(
            policy.contains("script-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='")
        );
        assert!(policy.contains("default-src 'none'") && policy.contains("connect-src 'none'"));
        assert!(!policy.contains("unsafe") && !policy.contains("http"));
    }
}
