package compat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ConsumerGroupListing;
import org.apache.kafka.clients.admin.TopicDescription;

/** What versions of the client call by different names: here from 3.1 to 4.0. */
final class Versions {
    static TopicDescription description(Admin admin, String topic) throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(topic)).topicNameValues().get(topic).get();
    }

    static Set<String> groups(Admin admin) throws ExecutionException, InterruptedException {
        Set<String> found = new TreeSet<>();
        for (ConsumerGroupListing group : admin.listConsumerGroups().all().get()) found.add(group.groupId());
        return found;
    }

    static String state(ConsumerGroupDescription group) {
        return group.state().toString();
    }
}
