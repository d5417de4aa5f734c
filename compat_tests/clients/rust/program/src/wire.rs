//! How records, partitions and errors look in the lines of JSON.

use base64::{engine::general_purpose::STANDARD, Engine};
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, Header, Headers, Message, OwnedHeaders};
use rdkafka::TopicPartitionList;
use serde_json::{json, Value};
use std::io::Write;
use std::time::Duration;

pub const WAIT: Duration = Duration::from_secs(20);

/// Written at once: several threads answer, and each answer is a line.
pub fn answer(object: Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{object}").and_then(|()| out.flush()).expect("a reader");
}

pub fn text<'a>(given: &'a Value, name: &str) -> &'a str {
    given[name].as_str().unwrap_or_else(|| panic!("{name} is a text"))
}

pub fn number(given: &Value, name: &str) -> i64 {
    given[name].as_i64().unwrap_or_else(|| panic!("{name} is a number"))
}

pub fn to_bytes(text: &Value) -> Option<Vec<u8>> {
    text.as_str().map(|text| STANDARD.decode(text).expect("base64"))
}

pub fn to_text(bytes: Option<&[u8]>) -> Option<String> {
    bytes.map(|bytes| STANDARD.encode(bytes))
}

pub fn to_headers(pairs: &Value) -> OwnedHeaders {
    let pairs = pairs.as_array().expect("headers");
    pairs.iter().fold(OwnedHeaders::new(), |headers, pair| {
        let value = to_bytes(&pair[1]);
        headers.insert(Header { key: pair[0].as_str().expect("a name"), value: value.as_ref() })
    })
}

pub fn from_message(message: &BorrowedMessage) -> Value {
    let headers: Vec<Value> = message
        .headers()
        .map(|headers| headers.iter().map(|header| json!([header.key, to_text(header.value)])).collect())
        .unwrap_or_default();
    json!({
        "partition": message.partition(),
        "offset": message.offset(),
        "key": to_text(message.key()),
        "value": to_text(message.payload()),
        "headers": headers,
        "timestamp_ms": message.timestamp().to_millis(),
    })
}

pub fn from_partitions(partitions: &TopicPartitionList) -> Value {
    partitions.elements().iter().map(|part| json!([part.topic(), part.partition()])).collect()
}

/// The name of the code that the error carries, or else the error's own text.
pub fn error_name(error: &KafkaError) -> String {
    eprintln!("{error}");
    let code = match error {
        KafkaError::AdminOp(code) => Some(*code), // which the crate itself does not count as one with a code
        _ => error.rdkafka_error_code(),
    };
    code.map_or_else(|| error.to_string(), |code| format!("{code:?}"))
}
