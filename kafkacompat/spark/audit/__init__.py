"""Audits of logs, replicas, ledgers and clusters, and the load whose ledger they read."""
