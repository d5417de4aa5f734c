use crate::wire::{answer, error_name, from_partitions, number, text, to_text};
use rdkafka::client::ClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::KafkaError;
use rdkafka::message::Message;
use serde_json::{json, Value};
use std::io::{stdin, BufRead};
use std::sync::mpsc::{channel, Receiver, TryRecvError};
use std::thread;
use std::time::Duration;

struct Telling;

impl ClientContext for Telling {}

impl ConsumerContext for Telling {
    fn post_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Assign(_) => {
                let owned = consumer.assignment().expect("an assignment");
                answer(json!({"event": "assigned", "partitions": from_partitions(&owned)}));
            }
            Rebalance::Revoke(partitions) => {
                answer(json!({"event": "revoked", "partitions": from_partitions(partitions)}));
            }
            Rebalance::Error(error) => tell(error),
        }
    }
}

fn tell(error: &KafkaError) {
    answer(json!({"event": "error", "error": error_name(error)}));
}

/// The lines of stdin as they come, read by a thread of their own.
fn lines() -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || stdin().lock().lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    receiver
}

/// A member until stdin ends; it commits on the line "commit".
pub fn run(mut config: ClientConfig, given: &Value) {
    let session_ms = number(given, "session_timeout_ms");
    config
        .set("group.id", text(given, "group"))
        .set("partition.assignment.strategy", text(given, "assignor"))
        .set("session.timeout.ms", session_ms.to_string())
        .set("heartbeat.interval.ms", (session_ms / 2).min(200).to_string())
        .set("auto.offset.reset", text(given, "from"))
        .set("enable.auto.commit", "false");
    if let Some(instance) = given["instance"].as_str() {
        config.set("group.instance.id", instance);
    }
    let topics: Vec<&str> = given["topics"].as_array().expect("topics").iter().filter_map(Value::as_str).collect();
    let consumer: BaseConsumer<Telling> = config.create_with_context(Telling).expect("a consumer");
    consumer.subscribe(&topics).expect("to subscribe");
    let lines = lines();
    loop {
        match lines.try_recv() {
            Ok(_) => match consumer.commit_consumer_state(CommitMode::Sync) {
                Ok(()) => answer(json!({"event": "committed"})),
                Err(error) => tell(&error),
            },
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => break,
        }
        match consumer.poll(Duration::from_millis(50)) {
            None => {}
            Some(Ok(message)) => answer(json!({
                "event": "record",
                "topic": message.topic(),
                "partition": message.partition(),
                "offset": message.offset(),
                "value": to_text(message.payload()),
            })),
            Some(Err(error)) => tell(&error),
        }
    }
    drop(consumer); // which leaves the group
    answer(json!({"event": "left"}));
}
