"""HTTP requests to addresses that callers name: only public networks are reached, and those the operator allows."""
