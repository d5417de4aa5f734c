use crate::wire::{answer, error_name, number, text, WAIT};
use futures_executor::block_on;
use rdkafka::admin::{
    AdminClient, AdminOptions, AlterConfig, NewPartitions, NewTopic, ResourceSpecifier, TopicReplication,
};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::{Offset, TopicPartitionList};
use serde_json::{json, Map, Value};

type Admin = AdminClient<DefaultClientContext>;
/// What the admin client answers for each thing that a call is about.
type Each<T> = Vec<Result<T, (String, RDKafkaErrorCode)>>;

pub fn run(config: ClientConfig, given: &Value) {
    let result = match text(given, "action") {
        action @ ("list_offsets" | "committed" | "list_groups" | "describe_group") => {
            by_consumer(action, config, given)
        }
        action => by_admin(action, &config.create().expect("a client"), given),
    };
    answer(result.unwrap_or_else(|error| json!({"error": error_name(&error)})));
}

fn only<T>(results: Each<T>) -> KafkaResult<T> {
    let result = results.into_iter().next().expect("a result");
    result.map_err(|(_, code)| KafkaError::AdminOp(code))
}

fn pairs(object: &Value) -> Vec<(&str, &str)> {
    let object = object.as_object().expect("an object");
    object.iter().map(|(name, value)| (name.as_str(), value.as_str().expect("a text"))).collect()
}

fn by_admin(action: &str, admin: &Admin, given: &Value) -> KafkaResult<Value> {
    let options = AdminOptions::new().operation_timeout(Some(WAIT));
    match action {
        "create_topic" => create_topic(admin, given, options),
        "delete_topic" => block_on(admin.delete_topics(&[text(given, "topic")], &options)).and_then(only).map(nothing),
        "create_partitions" => {
            let wanted = NewPartitions::new(text(given, "topic"), number(given, "total") as usize);
            block_on(admin.create_partitions(&[wanted], &options)).and_then(only).map(nothing)
        }
        "describe_topic" => describe_topic(admin, text(given, "topic")),
        "list_topics" => {
            let metadata = admin.inner().fetch_metadata(None, WAIT)?;
            Ok(json!({"topics": metadata.topics().iter().map(|topic| topic.name()).collect::<Vec<_>>()}))
        }
        "describe_configs" => describe_configs(admin, text(given, "topic"), &options),
        "alter_configs" => {
            let resource = AlterConfig::new(ResourceSpecifier::Topic(text(given, "topic")));
            let wanted = pairs(&given["set"]).into_iter().fold(resource, |all, (name, value)| all.set(name, value));
            let done = block_on(admin.alter_configs([&wanted], &options))?.into_iter().next().expect("a result");
            done.map(nothing).map_err(|(_, code)| KafkaError::AdminOp(code))
        }
        "delete_records" => delete_records(admin, given, &options),
        "delete_group" => block_on(admin.delete_groups(&[text(given, "group")], &options)).and_then(only).map(nothing),
        "describe_cluster" => {
            let metadata = admin.inner().fetch_metadata(None, WAIT)?;
            let brokers: Vec<i32> = metadata.brokers().iter().map(|broker| broker.id()).collect();
            Ok(json!({"cluster_id": admin.inner().fetch_cluster_id(WAIT), "brokers": brokers}))
        }
        _ => Ok(json!({"unsupported": true})),
    }
}

fn nothing<T>(_: T) -> Value {
    json!({})
}

fn create_topic(admin: &Admin, given: &Value, options: AdminOptions) -> KafkaResult<Value> {
    let options = options.validate_only(given["validate_only"].as_bool().unwrap_or(false));
    let topic = NewTopic::new(text(given, "topic"), number(given, "partitions") as i32, TopicReplication::Fixed(1));
    let wanted = pairs(&given["configs"]).into_iter().fold(topic, |topic, (name, value)| topic.set(name, value));
    block_on(admin.create_topics([&wanted], &options)).and_then(only).map(nothing)
}

fn describe_topic(admin: &Admin, name: &str) -> KafkaResult<Value> {
    let metadata = admin.inner().fetch_metadata(Some(name), WAIT)?;
    let topic = &metadata.topics()[0];
    if let Some(error) = topic.error() {
        return Err(KafkaError::MetadataFetch(error.into()));
    }
    let partitions: Vec<Value> = topic
        .partitions()
        .iter()
        .map(|part| {
            json!({
                "partition": part.id(), "leader": part.leader(), "replicas": part.replicas(), "isr": part.isr(),
            })
        })
        .collect();
    Ok(json!({"partitions": partitions}))
}

fn describe_configs(admin: &Admin, topic: &str, options: &AdminOptions) -> KafkaResult<Value> {
    let found = block_on(admin.describe_configs([&ResourceSpecifier::Topic(topic)], options))?;
    let resource = found.into_iter().next().expect("a resource").map_err(KafkaError::AdminOp)?;
    let configs: Map<String, Value> =
        resource.entries.into_iter().map(|entry| (entry.name, json!(entry.value))).collect();
    Ok(json!({"configs": configs}))
}

fn delete_records(admin: &Admin, given: &Value, options: &AdminOptions) -> KafkaResult<Value> {
    let (topic, partition) = (text(given, "topic"), number(given, "partition") as i32);
    let mut wanted = TopicPartitionList::new();
    wanted.add_partition_offset(topic, partition, Offset::Offset(number(given, "before")))?;
    let done = block_on(admin.delete_records(&wanted, options))?;
    let part = done.find_partition(topic, partition).expect("the partition");
    part.error()?;
    Ok(json!({"low_watermark": part.offset().to_raw()}))
}

fn by_consumer(action: &str, mut config: ClientConfig, given: &Value) -> KafkaResult<Value> {
    config.set("group.id", given["group"].as_str().unwrap_or("not used"));
    let consumer: BaseConsumer = config.create()?;
    match action {
        "list_offsets" => list_offsets(&consumer, given),
        "committed" => committed(&consumer),
        "list_groups" => {
            let found = consumer.fetch_group_list(None, WAIT)?;
            Ok(json!({"groups": found.groups().iter().map(|group| group.name()).collect::<Vec<_>>()}))
        }
        _ => {
            let found = consumer.fetch_group_list(Some(text(given, "group")), WAIT)?;
            let group = found.groups().first().ok_or(KafkaError::GroupListFetch(RDKafkaErrorCode::UnknownGroup))?;
            let members: Vec<&str> = group.members().iter().map(|member| member.id()).collect();
            Ok(json!({"state": group.state(), "members": members}))
        }
    }
}

fn list_offsets(consumer: &BaseConsumer, given: &Value) -> KafkaResult<Value> {
    let (topic, partition) = (text(given, "topic"), number(given, "partition") as i32);
    let offset = match given["at"].as_i64() {
        Some(timestamp_ms) => {
            let mut wanted = TopicPartitionList::new();
            wanted.add_partition_offset(topic, partition, Offset::Offset(timestamp_ms))?;
            let found = consumer.offsets_for_times(wanted, WAIT)?;
            found.find_partition(topic, partition).expect("the partition").offset().to_raw()
        }
        None => {
            let (low, high) = consumer.fetch_watermarks(topic, partition, WAIT)?;
            Some(if text(given, "at") == "earliest" { low } else { high })
        }
    };
    Ok(json!({"offset": offset}))
}

/// The crate asks for the offsets of partitions that it is told, so it is told all that there are.
fn committed(consumer: &BaseConsumer) -> KafkaResult<Value> {
    let metadata = consumer.fetch_metadata(None, WAIT)?;
    let mut wanted = TopicPartitionList::new();
    for topic in metadata.topics() {
        topic.partitions().iter().for_each(|part| drop(wanted.add_partition(topic.name(), part.id())));
    }
    let found = consumer.committed_offsets(wanted, WAIT)?;
    let offsets: Map<String, Value> = found
        .elements()
        .iter()
        .filter_map(|part| match part.offset() {
            Offset::Offset(offset) => Some((format!("{}:{}", part.topic(), part.partition()), json!(offset))),
            _ => None,
        })
        .collect();
    Ok(json!({"offsets": offsets}))
}
