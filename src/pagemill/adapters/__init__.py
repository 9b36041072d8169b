"""Machines outside: blob stores and queues, each base beside its twins."""
