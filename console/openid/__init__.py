"""Sign-in by OpenID Connect: providers, which of their groups get which role, and who is who there."""
