"""authlib with each authentication method in the metadata. It revokes with Basic unless another method is set."""

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from consent import ORIGIN, REDIRECT_URI, allow, register, status_with

metadata = requests.get(f"{ORIGIN}/.well-known/oauth-authorization-server", timeout=10).json()


def connect(method, revocation_method):
    client = register(token_endpoint_auth_method=method)
    session = OAuth2Session(
        client["client_id"],
        client.get("client_secret"),
        scope="webhooks offline_access",
        redirect_uri=REDIRECT_URI,
        code_challenge_method="S256",
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=revocation_method,
    )
    verifier = generate_token(48)
    url, _ = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
    session.fetch_token(metadata["token_endpoint"], authorization_response=allow(url), code_verifier=verifier)
    return session


secret_methods = [method for method in metadata["revocation_endpoint_auth_methods_supported"] if method != "none"]
assert len(secret_methods) == 2, secret_methods
cases = [(registered, used) for registered in secret_methods for used in [None, *secret_methods]] + [("none", None)]
for registered, used in cases:
    for kind in ("access_token", "refresh_token"):
        session = connect(registered, used)
        token = session.token["access_token"]
        assert session.token["scope"] == "webhooks offline_access", session.token["scope"]
        assert status_with(token) == 200
        revoked = session.revoke_token(metadata["revocation_endpoint"], session.token[kind], token_type_hint=kind)
        assert revoked.status_code == 200, (registered, used, kind, revoked.status_code, revoked.text)
        assert status_with(token) == 401, (registered, used, kind)
