"""The Python API for running clusters, and the processes of a cluster on this computer."""

from kafkacompat.cluster.cluster import Cluster as Cluster
