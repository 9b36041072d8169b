"""What wakes workers."""
