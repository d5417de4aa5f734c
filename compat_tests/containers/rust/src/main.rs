//! Starts testcontainers' Kafka module for Rust, prints its address, and stops it when standard input ends.
use std::io::Read;
use testcontainers_modules::{
    kafka::apache,
    testcontainers::{runners::SyncRunner, ImageExt},
};

fn main() {
    let image = std::env::args().nth(1).expect("give an image");
    let (name, tag) = image.rsplit_once(':').expect("give a tag");
    let container = apache::Kafka::default().with_name(name).with_tag(tag).start().expect("it starts");
    let port = container.get_host_port_ipv4(apache::KAFKA_PORT).expect("the port is mapped");
    println!("SERVERS 127.0.0.1:{port}");
    let mut rest = String::new();
    let _ = std::io::stdin().read_to_string(&mut rest);
}
