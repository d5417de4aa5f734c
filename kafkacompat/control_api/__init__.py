"""What a running node can be told and asked, for `Cluster` in the same process and over HTTP."""
