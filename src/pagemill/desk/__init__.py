"""What people ask for beside the flow: commands, queries, and upkeep."""
