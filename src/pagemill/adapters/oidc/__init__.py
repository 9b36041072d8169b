"""OpenID Connect: log-ins with a provider, by the authorization code flow with PKCE."""
