"""What each config is for, in a sentence or two: the documentation field of DescribeConfigs.

Loaded when a client first asks for documentation. A topic's or group's config without a text of its own has that of the
broker config which stands in for it.
"""

from __future__ import annotations

from kafkacompat.config.definitions import BROKER, GROUP, GROUP_CONFIGS, TOPIC, TOPIC_CONFIGS, listener_base


def documentation(scope: str, name: str) -> str | None:
    """The text for a config of a scope; None if there is none."""
    from kafkacompat.config import docs_groups, docs_log, docs_network, docs_quorum, docs_security, docs_topic

    if scope == BROKER:
        base = listener_base(name) or name
        parts = (docs_network, docs_log, docs_groups, docs_quorum, docs_security)
        return next((part.TEXTS[base] for part in parts if base in part.TEXTS), None)
    text = docs_topic.TEXTS.get(name)
    table = {TOPIC: TOPIC_CONFIGS, GROUP: GROUP_CONFIGS}.get(scope)
    if text is None and table is not None and name in table and table[name].synonyms:
        return documentation(BROKER, table[name].synonyms[0][0])
    return text
