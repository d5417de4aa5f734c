'use strict'

const { ConfigResourceTypes } = require('kafkajs')
const { answer, errorName } = require('./wire')

const entries = configs => Object.entries(configs || {}).map(([name, value]) => ({ name, value }))

const actions = {
  async create_topic(admin, { topic, partitions, configs, validate_only: validateOnly = false }) {
    const created = await admin.createTopics({
      topics: [{ topic, numPartitions: partitions, configEntries: entries(configs) }],
      validateOnly,
      waitForLeaders: !validateOnly,
    })
    // a topic that is there already is no error to KafkaJS: it returns false
    return created ? {} : { error: 'false' }
  },

  async delete_topic(admin, { topic }) {
    await admin.deleteTopics({ topics: [topic] })
    return {}
  },

  async create_partitions(admin, { topic, total }) {
    await admin.createPartitions({ topicPartitions: [{ topic, count: total }] })
    return {}
  },

  async describe_topic(admin, { topic }) {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    return {
      partitions: topics[0].partitions.map(({ partitionId, leader, replicas, isr }) => ({
        partition: partitionId,
        leader,
        replicas,
        isr,
      })),
    }
  },

  async list_topics(admin) {
    return { topics: await admin.listTopics() }
  },

  async describe_configs(admin, { topic }) {
    const wanted = [{ type: ConfigResourceTypes.TOPIC, name: topic }]
    const { resources } = await admin.describeConfigs({ resources: wanted, includeSynonyms: false })
    const { configEntries } = resources[0]
    return { configs: Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])) }
  },

  /** The old AlterConfigs: it replaces all settings of the topic. */
  async alter_configs(admin, { topic, set }) {
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: entries(set) }],
    })
    return {}
  },

  async list_offsets(admin, { topic, partition, at }) {
    const mine = found => found.find(entry => entry.partition === partition)
    if (typeof at === 'number') return { offset: Number(mine(await admin.fetchTopicOffsetsByTimestamp(topic, at)).offset) }
    const { low, high } = mine(await admin.fetchTopicOffsets(topic))
    return { offset: Number(at === 'earliest' ? low : high) }
  },

  /** It needs the topic's metadata to be loaded already, and does not tell the low watermark that is answered. */
  async delete_records(admin, { topic, partition, before }) {
    await admin.fetchTopicOffsets(topic)
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(before) }] })
    const { offset } = await actions.list_offsets(admin, { topic, partition, at: 'earliest' })
    return { low_watermark: offset }
  },

  async list_groups(admin) {
    const { groups } = await admin.listGroups()
    return { groups: groups.map(({ groupId }) => groupId) }
  },

  async describe_group(admin, { group }) {
    const { groups } = await admin.describeGroups([group])
    return { state: groups[0].state, members: groups[0].members.map(({ memberId }) => memberId) }
  },

  async committed(admin, { group }) {
    const offsets = {}
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId: group })) {
      for (const { partition, offset } of partitions) offsets[`${topic}:${partition}`] = Number(offset)
    }
    return { offsets }
  },

  async delete_group(admin, { group }) {
    await admin.deleteGroups([group])
    return {}
  },

  async describe_cluster(admin) {
    const { brokers, clusterId } = await admin.describeCluster()
    return { cluster_id: clusterId, brokers }
  },
}

module.exports = async function admin(kafka, given) {
  const action = actions[given.action]
  if (!action) return answer({ unsupported: true })
  const client = kafka.admin()
  await client.connect()
  try {
    answer(await action(client, given))
  } catch (error) {
    process.stderr.write(`${error.stack}\n`)
    answer({ error: errorName(error) })
  } finally {
    await client.disconnect()
  }
}
