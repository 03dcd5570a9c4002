/*
 * Gets an API key through the browser: a page of the server asks the signed-in user and sends a single-use code to a listener
 * on this machine. Exchanging the code for the key requires the verifier (PKCE, RFC 7636), and only a callback with the `state`
 * of this login is accepted. So another program on this machine can neither use a code that it sees nor inject one.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { hostname } from 'node:os';
import { loginCode } from '../../core/access/login-code.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { type Io, OperationError } from '../io.ts';
import { reach, withoutProxy } from './api.ts';
import { openBrowser } from './open-browser.ts';
import { safeLine } from './output.ts';

/** The server keeps the request for the same time. */
const waitMs = 10 * 60_000;
const exchangeTimeoutMs = 30_000;

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** @throws OperationError if the user denies it or does not respond, UnreachableError */
export async function keyFromBrowser(io: Io, url: string): Promise<{ key: string; keyId: string }> {
  const verifier = base64url(io.random(32));
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const state = base64url(io.random(32));
  await checkPage(url);
  const listener = listenForCode(state);
  try {
    const page = new URL('/authorize/key', url);
    const name = `hooktape on ${hostname()}`.slice(0, maxNameCharacters);
    page.search = new URLSearchParams({
      port: String(listener.port),
      name,
      state,
      code_challenge: challenge,
    }).toString();
    io.stderr(`Opening ${page}\n\nAllow the sign-in there if the page shows this code: ${loginCode(challenge)}\n`);
    if (!openBrowser(io, page.href))
      io.stderr('Could not open a browser: open the URL in a browser on this machine, or use hooktape login --key.\n');
    const code = await Promise.race([listener.code, io.sleep(waitMs).then(() => undefined)]);
    if (code === undefined)
      throw new OperationError('the sign-in was not confirmed in the browser within 10 minutes: try again');
    return await exchange(url, code, verifier);
  } finally {
    listener.close();
  }
}

/** Checks that the server supports browser sign-in, before a browser would show an error page. */
async function checkPage(url: string): Promise<void> {
  const page = new URL('/authorize/key', url);
  const { status } = await reach(url, () =>
    fetch(page, {
      method: 'HEAD',
      redirect: 'manual',
      ...withoutProxy(page),
      signal: AbortSignal.timeout(exchangeTimeoutMs),
    }),
  );
  if (status !== 200)
    throw new OperationError(
      `${url} does not support browser sign-in (it returned ${status}): check the URL, or use hooktape login --key`,
    );
}

/** Exchanges the code for the key. */
async function exchange(url: string, code: string, verifier: string): Promise<{ key: string; keyId: string }> {
  const answer = await reach(url, async () => {
    const address = new URL('/authorize/key/token', url);
    const response = await fetch(address, {
      method: 'POST',
      ...withoutProxy(address),
      body: new URLSearchParams({ code, code_verifier: verifier }),
      redirect: 'manual',
      signal: AbortSignal.timeout(exchangeTimeoutMs),
    });
    return (await response.json().catch(() => ({}))) as { id?: unknown; key?: unknown; error_description?: unknown };
  });
  const { id, key, error_description: why } = answer;
  if (typeof id === 'string' && typeof key === 'string') return { key, keyId: id };
  throw new OperationError(
    `the sign-in failed: ${safeLine(typeof why === 'string' ? why : `unexpected response from ${url}`)}`,
  );
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Listens on a free port of 127.0.0.1 for the browser's callback. `code` rejects if the user denies the sign-in. */
function listenForCode(state: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  promise.catch(() => {});
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== '/callback' || request.method !== 'GET')
        return page(404, 'Not found', 'This page does not exist.');
      if (!isSame(searchParams.get('state') ?? '', state))
        return page(400, 'Wrong sign-in', 'This page belongs to another sign-in. Run hooktape login again.');
      const code = searchParams.get('code');
      if (code !== null) {
        resolve(code);
        return page(200, 'Signed in', 'You can close this window and go back to the terminal.');
      }
      reject(new OperationError('the sign-in was denied in the browser'));
      return page(200, 'Not signed in', 'The sign-in was denied. You can close this window.');
    },
  });
  return {
    port: server.port,
    code: promise,
    // Without forcing, so that the browser can read the last page.
    close: () => void server.stop(),
  };
}

/** All texts are constants, so they need no escaping. */
const page = (status: number, title: string, text: string): Response =>
  new Response(
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n<title>${title} · Hooktape</title>\n<main>\n<h1>${title}</h1>\n<p>${text}</p>\n</main>\n</html>\n`,
    {
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        connection: 'close',
      },
    },
  );
