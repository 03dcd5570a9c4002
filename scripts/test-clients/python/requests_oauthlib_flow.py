"""requests-oauthlib refuses a token response whose scope differs from the requested one."""

from consent import ORIGIN, REDIRECT_URI, allow, register
from requests_oauthlib import OAuth2Session

for scope in (["webhooks"], ["webhooks", "offline_access"]):
    client = register()
    session = OAuth2Session(client["client_id"], scope=scope, redirect_uri=REDIRECT_URI, pkce="S256")
    url, _ = session.authorization_url(f"{ORIGIN}/authorize")
    secret = client["client_secret"]
    token = session.fetch_token(f"{ORIGIN}/token", authorization_response=allow(url), client_secret=secret)
    assert sorted(token["scope"]) == sorted(scope), token["scope"]
    assert session.get(f"{ORIGIN}/api/me").status_code == 200

    refreshed = session.refresh_token(f"{ORIGIN}/token", auth=(client["client_id"], secret))
    assert sorted(refreshed["scope"]) == sorted(scope), refreshed["scope"]
    assert refreshed["access_token"] != token["access_token"]
    assert session.get(f"{ORIGIN}/api/me").status_code == 200
