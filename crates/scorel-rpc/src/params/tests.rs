use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    session: Option<String>,
    after: Option<u64>,
    inner: Option<Box<Page>>,
}

fn params(json: Option<&str>) -> Result<Params, RpcError> {
    let raw = Raw::new(json).into_owned();
    Params::new(raw, &["session", "after", "inner"])
}

fn parse(json: &str) -> Result<Page, RpcError> {
    params(Some(json))?.parse()
}

#[test]
fn positional_params_are_named_after_the_fields_in_order() {
    let named = parse(r#"{"session":"a","after":3}"#).unwrap();
    assert_eq!(parse(r#"["a",3]"#).unwrap(), named);
    assert_eq!(parse(r#"[ "a" , 3, null ]"#).unwrap(), named);
    assert_eq!(
        parse("[1,2,3,4]").unwrap_err().code,
        ErrorCode::InvalidParams
    );
}

#[test]
fn absent_and_empty_params_are_the_same() {
    for none in [None, Some("{}"), Some("[]"), Some("[ ]"), Some("{ }")] {
        let page: Page = params(none).unwrap().parse().unwrap();
        assert_eq!(
            page,
            Page {
                session: None,
                after: None,
                inner: None
            }
        );
    }
}

#[test]
fn the_invalid_member_is_named() {
    for (json, field) in [
        (r#"{"after":"x"}"#, "after"),
        (r#"{"inner":{"after":-1}}"#, "inner.after"),
        (r#"{"inner":{"after":1.5}}"#, "inner.after"),
        (r#"{"after":18446744073709551616}"#, "after"),
        (r#"{"after":1e400}"#, "after"),
        (r#"{"other":1}"#, "other"),
        (r#"["a","b"]"#, "after"),
    ] {
        let error = parse(json).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidParams);
        assert_eq!(error.details["field"], field, "{json}: {error}");
    }
}

#[test]
fn a_duplicate_member_is_refused() {
    let error = parse(r#"{"after":1,"\u0061fter":2}"#).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
}

/// Every kind of type that params use.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Everything {
    text: Option<String>,
    flag: Option<bool>,
    float: Option<f64>,
    letter: Option<char>,
    choice: Option<Choice>,
    tagged: Option<Vec<Tagged>>,
    names: Option<BTreeMap<String, u8>>,
    pair: Option<(i8, String)>,
    wrapped: Option<Wrapped>,
    nothing: Option<()>,
    anything: Option<Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wrapped(u32);

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { member: u8 },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tagged {
    Text { text: String },
    Number { number: u64 },
}

fn usual(json: &str) -> Result<Everything, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

fn terse(json: &str) -> Result<Everything, String> {
    let params = params(Some(json)).unwrap();
    params.parse().map_err(|error| error.message)
}

#[test]
fn values_are_deserialized_like_serde_json_does() {
    for json in [
        r#"{"text":"a\u00e9\n","flag":true,"float":1,"letter":"x"}"#,
        r#"{"float":-1.5e3,"text":null,"nothing":null,"wrapped":7}"#,
        r#"{"choice":"unit"}"#,
        r#"{"choice":{"newtype":1}}"#,
        r#"{"choice":{"tuple":[1,2]}}"#,
        r#"{"choice":{"struct":{"member":3}}}"#,
        r#"{"tagged":[{"type":"text","text":"a"},{"number":2,"type":"number"}]}"#,
        r#"{"names":{"a":1,"\u0062":2},"pair":[-1,"x"]}"#,
        r#"{"anything":{"a":[1,-2,3.5,"x",null,true,{"b":{}}],"c":18446744073709551615}}"#,
    ] {
        let read = usual(json).unwrap();
        assert_eq!(terse(json), Ok(read), "{json}");
    }
}

#[test]
fn errors_have_the_messages_of_serde_json() {
    for json in [
        r#"{"text":1}"#,
        r#"{"text":[1]}"#,
        r#"{"flag":"yes"}"#,
        r#"{"float":true}"#,
        r#"{"letter":"xy"}"#,
        r#"{"choice":"none"}"#,
        r#"{"choice":7}"#,
        r#"{"choice":{"newtype":"a"}}"#,
        r#"{"choice":{"tuple":[1]}}"#,
        r#"{"choice":{"struct":{}}}"#,
        r#"{"choice":{"struct":null}}"#,
        r#"{"tagged":{}}"#,
        r#"{"tagged":[{}]}"#,
        r#"{"tagged":[{"type":"none"}]}"#,
        r#"{"tagged":[{"type":"number","number":"a"}]}"#,
        r#"{"names":{"a":256}}"#,
        r#"{"names":{"a":null}}"#,
        r#"{"pair":[1]}"#,
        r#"{"pair":[1,"x",2]}"#,
        r#"{"wrapped":-1}"#,
        r#"{"wrapped":1.5}"#,
        r#"{"nothing":0}"#,
        r#"{"other":0}"#,
        r#"{"text":"a","text":"b"}"#,
        r#"{"float":1e999}"#,
    ] {
        // The position is left out.
        let without_place = |error: String| error.split(" at line ").next().map(str::to_owned);
        let expected = usual(json).unwrap_err();
        let error = terse(json).unwrap_err();
        assert_eq!(without_place(error), without_place(expected), "{json}");
    }
}

#[test]
fn the_path_leads_to_the_invalid_value() {
    for (json, path) in [
        (r#"{"text":1}"#, Some("text")),
        (r#"{"text":"a","flag":true,"float":"x"}"#, Some("float")),
        (r#"{"text":"a","text":"b"}"#, Some("text")),
        (r#"{ "\u0066lag" : 7 }"#, Some("flag")),
        (r#"{"choice":"none"}"#, Some("choice")),
        (r#"{"choice":{"newtype":"a"}}"#, Some("choice.newtype")),
        (r#"{"choice":{"tuple":[1,"x"]}}"#, Some("choice.tuple[1]")),
        (
            r#"{"choice":{"struct":{"member":-1}}}"#,
            Some("choice.struct.member"),
        ),
        (r#"{"names":{"a":1,"b":2},"pair":[1,2]}"#, Some("pair[1]")),
        (r#"{"names":{"a":1,"b.c":256}}"#, Some("names.b.c")),
        (
            r#"{"anything":[[1,[2,{}]],[]],"nothing":0}"#,
            Some("nothing"),
        ),
        // The members of a tagged choice are read before its type is known.
        (
            r#"{"tagged":[{"type":"text","text":"a"},{"type":"number","number":"a"}]}"#,
            Some("tagged[1]"),
        ),
        (r#"{"tagged":[{}]}"#, Some("tagged[0].type")),
        (
            r#"{"tagged":[{"type":"text","text":"a"},{"type":"number"}]}"#,
            Some("tagged[1].number"),
        ),
    ] {
        let error = params(Some(json)).unwrap().parse::<Everything>();
        let error = error.unwrap_err();
        assert_eq!(error.details["field"].as_str(), path, "{json}: {error}");
    }
    let missing = params(Some("{}")).unwrap().parse::<Required>();
    let missing = missing.unwrap_err();
    assert_eq!(missing.details["field"], "text");
    assert_eq!(missing.message, "missing field `text`");
}

#[derive(Debug, Deserialize)]
struct Required {
    #[expect(dead_code, reason = "never there")]
    text: String,
}

#[test]
fn errors_quote_a_bounded_part_of_the_input() {
    let long = "\u{7f}".repeat(100_000);
    for json in [
        format!("{{\"flag\":\"{long}\"}}"),
        format!("{{\"choice\":\"{long}\"}}"),
        format!("{{\"choice\":{{\"{long}\":0}}}}"),
        format!("{{\"flag\":\"\\\\\\\"{long}\\\"\"}}"),
        format!("{{\"tagged\":[{{\"type\":\"{long}\"}}]}}"),
        format!("{{\"tagged\":[{{\"type\":\"number\",\"number\":\"{long}\"}}]}}"),
        format!("{{\"names\":{{\"{long}\":\"\"}}}}"),
        format!("{{\"pair\":[\"{long}\"]}}"),
        format!("{{\"{long}\":0}}"),
    ] {
        let error = params(Some(&json)).unwrap().parse::<Everything>();
        let error = error.unwrap_err();
        assert!(error.message.len() < 600, "{json:.60}: {}", error.message);
        let field = error.details["field"].as_str().unwrap_or_default();
        assert!(field.len() < 600, "{json:.60}: {field}");
    }
}

#[test]
fn long_params_are_read_whole() {
    let long = "a\\u0001\\\"é\\\\".repeat(20_000);
    let json =
        format!("{{\"text\":\"{long}\",\"names\":{{\"\\\"b\":1}},\"anything\":[\"{long}\"]}}");
    let read: Everything = params(Some(&json)).unwrap().parse().unwrap();
    assert_eq!(read, usual(&json).unwrap());
    assert_eq!(read.text.unwrap().chars().count(), 100_000);
}

#[test]
fn a_copy_has_the_beginnings_of_long_strings() {
    let long = "é".repeat(KEPT);
    let end = format!("{}…", "é".repeat(KEPT / 2));
    for (json, short) in [
        (
            r#"{"a\\":["\"b",{}],"c":1}"#.to_owned(),
            r#"{"a\\":["\"b",{}],"c":1}"#.to_owned(),
        ),
        (format!(r#"["{long}","b"]"#), format!(r#"["{end}","b"]"#)),
        (format!(r#"["c\"{long}\\"]"#), r#"["c"]"#.to_owned()),
    ] {
        assert_eq!(shortened(&json), short);
    }
}
