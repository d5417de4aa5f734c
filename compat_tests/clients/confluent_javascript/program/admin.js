'use strict'

const { AdminClient, KafkaJS } = require('@confluentinc/kafka-javascript')
const { answer, errorName } = require('./wire')

const WAIT_MS = 20000
const { ConsumerGroupStates } = KafkaJS

const actions = {
  async create_topic(admin, { topic, partitions, configs }) {
    const configEntries = Object.entries(configs || {}).map(([name, value]) => ({ name, value }))
    const wanted = { topic, numPartitions: partitions, replicationFactor: 1, configEntries }
    // a topic that is there already is no error here: it returns false
    return (await admin.createTopics({ topics: [wanted], timeout: WAIT_MS })) ? {} : { error: 'false' }
  },

  async delete_topic(admin, { topic }) {
    await admin.deleteTopics({ topics: [topic], timeout: WAIT_MS })
    return {}
  },

  /** The callback interface alone has it. */
  async create_partitions(_, { bootstrap_servers: servers, topic, total }) {
    const client = AdminClient.create({ 'bootstrap.servers': servers })
    try {
      await new Promise((resolve, reject) =>
        client.createPartitions(topic, total, WAIT_MS, error => (error ? reject(error) : resolve()))
      )
    } finally {
      client.disconnect()
    }
    return {}
  },

  async describe_topic(admin, { topic }) {
    const [found] = await admin.fetchTopicMetadata({ topics: [topic] })
    return {
      partitions: found.partitions.map(({ partitionId, leader, replicas, isr }) => ({
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

  async list_offsets(admin, { topic, partition, at }) {
    const mine = found => found.find(entry => entry.partition === partition)
    if (typeof at === 'number') return { offset: Number(mine(await admin.fetchTopicOffsetsByTimestamp(topic, at)).offset) }
    const { low, high } = mine(await admin.fetchTopicOffsets(topic))
    return { offset: Number(at === 'earliest' ? low : high) }
  },

  async delete_records(admin, { topic, partition, before }) {
    const [done] = await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(before) }] })
    return { low_watermark: done.lowWatermark }
  },

  async list_groups(admin) {
    const { groups } = await admin.listGroups()
    return { groups: groups.map(({ groupId }) => groupId) }
  },

  async describe_group(admin, { group }) {
    const { groups } = await admin.describeGroups([group])
    const { state, members } = groups[0]
    const names = { [ConsumerGroupStates.STABLE]: 'Stable', [ConsumerGroupStates.EMPTY]: 'Empty' }
    return { state: names[state] || String(state), members: members.map(({ memberId }) => memberId) }
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
}

module.exports = async function admin(given) {
  const action = actions[given.action]
  if (!action) return answer({ unsupported: true })
  const kafka = new KafkaJS.Kafka({
    kafkaJS: { brokers: given.bootstrap_servers.split(','), logLevel: KafkaJS.logLevel.NOTHING },
  })
  const client = kafka.admin()
  await client.connect()
  try {
    answer(await action(client, given))
  } catch (error) {
    answer({ error: errorName(error) })
  } finally {
    await client.disconnect()
  }
}
