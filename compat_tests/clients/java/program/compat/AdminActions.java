package compat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;

/** One action of the admin client: its result, or the name of its error. */
final class AdminActions {
    private final Admin admin;
    private final Arguments arguments;

    private AdminActions(Admin admin, Arguments arguments) {
        this.admin = admin;
        this.arguments = arguments;
    }

    static void run(Run run) throws InterruptedException {
        try (Admin admin = Admin.create(run.arguments.properties())) {
            run.answer(new AdminActions(admin, run.arguments).result());
        } catch (ExecutionException error) {
            run.answer("error", Run.name(error));
        }
    }

    /** Names and values of the answer. */
    private Object[] result() throws ExecutionException, InterruptedException {
        switch (arguments.string("action")) {
            case "create_topic": return createTopic();
            case "delete_topic": return done(admin.deleteTopics(List.of(topic())).all().get());
            case "create_partitions": return createPartitions();
            case "describe_topic": return describeTopic();
            case "list_topics": return pair("topics", new TreeSet<>(admin.listTopics().names().get()));
            case "describe_configs": return describeConfigs();
            case "alter_configs": return alterConfigs();
            case "list_offsets": return listOffsets();
            case "delete_records": return deleteRecords();
            case "list_groups": return pair("groups", Versions.groups(admin));
            case "describe_group": return describeGroup();
            case "committed": return committed();
            case "delete_group": return done(admin.deleteConsumerGroups(List.of(group())).all().get());
            case "describe_cluster": return describeCluster();
            default: return pair("unsupported", true);
        }
    }

    private static Object[] pair(String name, Object value) {
        return new Object[] {name, value};
    }

    private static Object[] done(Void nothing) {
        return new Object[0];
    }

    private String topic() {
        return arguments.string("topic");
    }

    private String group() {
        return arguments.string("group");
    }

    private TopicPartition partition() {
        return new TopicPartition(topic(), arguments.integer("partition"));
    }

    private ConfigResource topicConfigs() {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic());
    }

    private Object[] createTopic() throws ExecutionException, InterruptedException {
        NewTopic wanted = new NewTopic(topic(), arguments.integer("partitions"), (short) 1);
        wanted.configs(arguments.map("configs"));
        CreateTopicsOptions options = new CreateTopicsOptions().validateOnly(arguments.flag("validate_only"));
        return done(admin.createTopics(List.of(wanted), options).all().get());
    }

    private Object[] createPartitions() throws ExecutionException, InterruptedException {
        NewPartitions total = NewPartitions.increaseTo(arguments.integer("total"));
        return done(admin.createPartitions(Map.of(topic(), total)).all().get());
    }

    private Object[] describeTopic() throws ExecutionException, InterruptedException {
        List<Object> found = new ArrayList<>();
        for (TopicPartitionInfo one : Versions.description(admin, topic()).partitions()) {
            Map<String, Object> partition = new LinkedHashMap<>();
            partition.put("partition", one.partition());
            partition.put("leader", one.leader() == null ? -1 : one.leader().id());
            partition.put("replicas", ids(one.replicas()));
            partition.put("isr", ids(one.isr()));
            found.add(partition);
        }
        return pair("partitions", found);
    }

    private static List<Object> ids(Iterable<Node> nodes) {
        List<Object> found = new ArrayList<>();
        nodes.forEach(node -> found.add(node.id()));
        return found;
    }

    private Object[] describeConfigs() throws ExecutionException, InterruptedException {
        Map<String, String> found = new TreeMap<>();
        for (ConfigEntry entry : admin.describeConfigs(List.of(topicConfigs())).all().get().get(topicConfigs()).entries()) {
            found.put(entry.name(), entry.value());
        }
        return pair("configs", found);
    }

    private Object[] alterConfigs() throws ExecutionException, InterruptedException {
        List<AlterConfigOp> operations = new ArrayList<>();
        arguments.map("set").forEach((name, value) ->
                operations.add(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET)));
        return done(admin.incrementalAlterConfigs(Map.of(topicConfigs(), operations)).all().get());
    }

    private Object[] listOffsets() throws ExecutionException, InterruptedException {
        Object at = arguments.get("at");
        OffsetSpec wanted = at.equals("earliest") ? OffsetSpec.earliest()
                : at.equals("latest") ? OffsetSpec.latest() : OffsetSpec.forTimestamp((Long) at);
        return pair("offset", admin.listOffsets(Map.of(partition(), wanted)).partitionResult(partition()).get().offset());
    }

    private Object[] deleteRecords() throws ExecutionException, InterruptedException {
        RecordsToDelete before = RecordsToDelete.beforeOffset(arguments.number("before"));
        return pair("low_watermark", admin.deleteRecords(Map.of(partition(), before))
                .lowWatermarks().get(partition()).get().lowWatermark());
    }

    private Object[] describeGroup() throws ExecutionException, InterruptedException {
        ConsumerGroupDescription described =
                admin.describeConsumerGroups(List.of(group())).describedGroups().get(group()).get();
        List<Object> members = new ArrayList<>();
        for (MemberDescription one : described.members()) {
            Map<String, Object> member = new LinkedHashMap<>();
            member.put("member_id", one.consumerId());
            member.put("client_id", one.clientId());
            member.put("instance", one.groupInstanceId().orElse(null));
            member.put("partitions", Group.names(one.assignment().topicPartitions()));
            members.add(member);
        }
        return new Object[] {"state", Versions.state(described), "members", members};
    }

    private Object[] committed() throws ExecutionException, InterruptedException {
        Map<String, Object> found = new TreeMap<>();
        admin.listConsumerGroupOffsets(group()).partitionsToOffsetAndMetadata().get().forEach((one, committed) ->
                found.put(one.topic() + ":" + one.partition(), committed == null ? null : committed.offset()));
        return pair("offsets", found);
    }

    private Object[] describeCluster() throws ExecutionException, InterruptedException {
        var cluster = admin.describeCluster();
        return new Object[] {"cluster_id", cluster.clusterId().get(), "brokers", ids(cluster.nodes().get())};
    }
}
