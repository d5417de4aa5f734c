//! rust-rdkafka, told what to do: `client VERB`, arguments as one line of JSON on stdin, answers as lines of JSON.

mod admin;
mod consume;
mod group;
mod produce;
mod wire;

use rdkafka::config::ClientConfig;
use serde_json::Value;
use std::io::{stdin, BufRead};

fn main() {
    let verb = std::env::args().nth(1).expect("a verb");
    let mut line = String::new();
    stdin().lock().read_line(&mut line).expect("a line");
    let given: Value = serde_json::from_str(&line).expect("JSON");
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", wire::text(&given, "bootstrap_servers"));
    match verb.as_str() {
        "produce" => produce::run(config, &given),
        "consume" => consume::run(config, &given),
        "group" => group::run(config, &given),
        "admin" => admin::run(config, &given),
        other => panic!("no verb {other}"),
    }
}
