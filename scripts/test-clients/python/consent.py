"""Signs in and allows an app, like a user in a browser between the authorization URL and the redirect."""

import os
import re

import requests

ORIGIN = os.environ["ORIGIN"]
REDIRECT_URI = "http://127.0.0.1/callback"


def register(**metadata):
    """Registers a client (RFC 7591) and returns its credentials."""
    body = {"client_name": "test client", "redirect_uris": [REDIRECT_URI], **metadata}
    response = requests.post(f"{ORIGIN}/register", json=body, timeout=10)
    response.raise_for_status()
    return response.json()


def allow(authorization_url):
    """Returns the URL that the browser is redirected to after consent."""
    browser = requests.Session()
    credentials = {"email": os.environ["EMAIL"], "password": os.environ["PASSWORD"]}
    browser.post(f"{ORIGIN}/api/session", json=credentials, timeout=10).raise_for_status()
    page = browser.get(authorization_url, timeout=10)
    page.raise_for_status()
    handle = re.search(r'name="handle" value="([^"]+)"', page.text)
    assert handle, page.text
    answer = browser.post(
        f"{ORIGIN}/authorize/consent",
        data={"handle": handle[1], "decision": "allow"},
        headers={"Origin": ORIGIN},
        allow_redirects=False,
        timeout=10,
    )
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def status_with(token):
    """The status of a REST call with this access token."""
    headers = {"Authorization": f"Bearer {token}"}
    return requests.get(f"{ORIGIN}/api/me", headers=headers, timeout=10).status_code
