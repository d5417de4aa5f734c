"""What a running node can be told and asked, for `Cluster` in the same process and over HTTP.

The folders import only those named before them: `views`, `faults`, `snapshots` and `metrics` look at nodes and change
them; the modules of this folder do so with a whole cluster; `http` has routes, schemas and connections; `resources` the
operation of each route; `joined` is the same API for nodes in several processes.
"""
