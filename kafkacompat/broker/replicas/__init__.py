"""The replicas that a broker has: their roles, their files, and how followers keep up with leaders."""
