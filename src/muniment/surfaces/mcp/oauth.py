"""OAuth: tokens of an authorization server, checked here. The server is a resource server and gives out none itself.

A token is a JWT, signed with a key that the authorization server publishes (RFC 7517), issued for this server
(its audience, RFC 8707) and in time (RFC 7519). Its scopes ``muniment:reader`` … are the roles of who bears it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from muniment.surfaces.mcp.callers import Caller
from muniment.surfaces.mcp.tokens import CALLER

SCOPE: Final = "muniment:"
"""Begins each scope that is a role here."""

ALGORITHMS: Final = ("EdDSA", "ES256", "ES384", "RS256", "PS256")
"""Signatures that are accepted: with a public key, never with a shared secret, and never none."""


class JwtVerifier:
    """Says whose a token of an authorization server is.

    Args:
        issuer: The authorization server, as its tokens name it.
        resource: This server, as its tokens name it.
        keys: Address of the published keys.
        others: Verifiers that are asked first, such as that of the operator's own tokens.
    """

    def __init__(self, issuer: str, resource: str, keys: str, others: Sequence[Any] = ()) -> None:
        import jwt

        self._issuer, self._resource, self._others = issuer, resource, tuple(others)
        self._keys = jwt.PyJWKClient(keys, cache_keys=True)

    async def verify_token(self, token: str) -> Any:
        """Return who bears a token, as the SDK has it, or None."""
        import anyio.to_thread

        for other in self._others:
            found = await other.verify_token(token)
            if found is not None:
                return found
        return await anyio.to_thread.run_sync(self._verified, token)

    def _verified(self, token: str) -> Any:
        import jwt
        from mcp.server.auth.provider import AccessToken

        from muniment.verbs.context import ROLES

        try:
            key = self._keys.get_signing_key_from_jwt(token)
            claims = jwt.decode(
                token, key, algorithms=list(ALGORITHMS), audience=self._resource, issuer=self._issuer,
                options={"require": ["exp", "aud", "iss", "sub"]},
            )  # fmt: skip
        except jwt.PyJWTError:  # also where the keys cannot be had: then nobody is let in
            return None
        scopes = str(claims.get("scope", "")).split()
        roles = sorted({name.removeprefix(SCOPE) for name in scopes if name.startswith(SCOPE)} & ROLES)
        if not roles:
            return None
        subject = str(claims["sub"])
        return AccessToken(
            token=token, client_id=str(claims.get("client_id") or claims.get("azp") or subject), scopes=scopes,
            expires_at=int(claims["exp"]), resource=self._resource, subject=subject,
            claims={"iss": self._issuer, CALLER: Caller("agent", tuple(roles), subject)},
        )  # fmt: skip
