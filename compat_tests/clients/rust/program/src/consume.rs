use crate::wire::{answer, error_name, from_message, number, text};
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::{Offset, TopicPartitionList};
use serde_json::{json, Value};
use std::time::{Duration, Instant};

fn start(given: &Value) -> Offset {
    match given["offset"].as_str() {
        Some("earliest") => Offset::Beginning,
        Some("latest") => Offset::End,
        _ => Offset::Offset(number(given, "offset")),
    }
}

pub fn run(mut config: ClientConfig, given: &Value) {
    config
        .set("group.id", "not used")
        .set("enable.auto.commit", "false")
        .set("auto.offset.reset", "error")
        .set("check.crcs", "true");
    let consumer: BaseConsumer = config.create().expect("a consumer");
    let mut partitions = TopicPartitionList::new();
    for partition in given["partitions"].as_array().expect("partitions") {
        let partition = partition.as_i64().expect("a number") as i32;
        partitions.add_partition_offset(text(given, "topic"), partition, start(given)).expect("an offset");
    }
    consumer.assign(&partitions).expect("to be assigned");
    let deadline = Instant::now() + Duration::from_millis(number(given, "timeout_ms") as u64);
    let (wanted, mut found) = (number(given, "count"), 0);
    while found < wanted && Instant::now() < deadline {
        match consumer.poll(Duration::from_millis(100)) {
            None => {}
            Some(Ok(message)) => {
                answer(from_message(&message));
                found += 1;
            }
            Some(Err(error)) => return answer(json!({"error": error_name(&error)})),
        }
    }
    answer(json!({"done": found}));
}
