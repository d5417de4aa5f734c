"""What a user holds in Python, and the processes of a cluster on this machine."""

from kafkacompat.cluster.cluster import Cluster as Cluster
