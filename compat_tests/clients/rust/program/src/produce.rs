use crate::wire::{answer, error_name, number, text, to_bytes, to_headers, WAIT};
use rdkafka::client::ClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::error::KafkaError;
use rdkafka::message::{DeliveryResult, Message};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext};
use serde_json::{json, Value};
use std::sync::Mutex;

/// What became of each record, by its place among them.
struct Reports(Mutex<Vec<Option<Value>>>);

impl ClientContext for Reports {}

impl ProducerContext for Reports {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, place: usize) {
        let report = match result {
            // without acknowledgements librdkafka knows no offset
            Ok(message) => json!({"partition": message.partition(), "offset": message.offset().max(-1)}),
            Err((error, _)) => failure(error),
        };
        self.0.lock().expect("no panic")[place] = Some(report);
    }
}

fn failure(error: &KafkaError) -> Value {
    json!({"error": error_name(error)})
}

pub fn run(mut config: ClientConfig, given: &Value) {
    let records = given["records"].as_array().expect("records");
    config
        .set("acks", number(given, "acks").to_string())
        .set("compression.type", text(given, "compression"))
        .set("enable.idempotence", given["idempotent"].to_string())
        .set("partitioner", "murmur2_random")
        .set("message.max.bytes", "2000000")
        .set("linger.ms", "20");
    let reports = Reports(Mutex::new(vec![None; records.len()]));
    let producer: BaseProducer<Reports> = config.create_with_context(reports).expect("a producer");
    for (place, record) in records.iter().enumerate() {
        let (key, value) = (to_bytes(&record["key"]), to_bytes(&record["value"]));
        let mut wanted =
            BaseRecord::with_opaque_to(text(given, "topic"), place).headers(to_headers(&record["headers"]));
        wanted.key = key.as_deref();
        wanted.payload = value.as_deref();
        wanted.partition = record["partition"].as_i64().map(|partition| partition as i32);
        wanted.timestamp = record["timestamp_ms"].as_i64();
        if let Err((error, _)) = producer.send::<[u8], [u8]>(wanted) {
            producer.context().0.lock().expect("no panic")[place] = Some(failure(&error));
        }
    }
    producer.flush(WAIT).expect("all to be told in time");
    for report in producer.context().0.lock().expect("no panic").iter_mut() {
        answer(report.take().expect("each record to be told"));
    }
}
