"""Who may do what: API keys, browser sessions, and the caller of a request."""
