/* What depends on how the process was started: trusted certificates and proxy variables. Each test runs a process of its own. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { closePeers, ok, peer } from '../testing/raw-destination.ts';

afterEach(closePeers);

/** Self-signed for `example.test`; nobody trusts it, and its key guards nothing. */
const certificatePem = `-----BEGIN CERTIFICATE-----
MIIBnjCCAUSgAwIBAgIUQ2SaA1OP69yB66Gt5nlo0dZwty0wCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMZXhhbXBsZS50ZXN0MCAXDTI2MTEyMDE4MzMxNVoYDzIxMjYx
MDI3MTgzMzE1WjAXMRUwEwYDVQQDDAxleGFtcGxlLnRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATiZPUb/nh6R3z6+SXyESJ01JqWEoWUlk68zS4dRlWsDEVZ
pHc9CmGw9sjN6ZEKyEcOU1jt4rp0VHkEsM4bNMXUo2wwajAdBgNVHQ4EFgQUQJDS
L2Qt9BINacvjvEK6C8RE1JAwHwYDVR0jBBgwFoAUQJDSL2Qt9BINacvjvEK6C8RE
1JAwDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxleGFtcGxlLnRlc3QwCgYI
KoZIzj0EAwIDSAAwRQIgeBkgSm6mEdb+IU4CaaKPQvAM9usZnnuH10WV5wNffzwC
IQCCCJy1WqPb9cI20ZmsG5KuiQeWupNvo52Q3tOhtAPIQA==
-----END CERTIFICATE-----
`;
const keyPem = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqMG30htUepmkrXlq
vWo+N/VdJrAGc2Up0lHPRusVZN2hRANCAATiZPUb/nh6R3z6+SXyESJ01JqWEoWU
lk68zS4dRlWsDEVZpHc9CmGw9sjN6ZEKyEcOU1jt4rp0VHkEsM4bNMXU
-----END PRIVATE KEY-----
`;

/** Sends one GET in a new process, in which every name resolves to 127.0.0.1. */
async function sendFrom(
  env: Record<string, string>,
  url: string,
): Promise<{ kind: string; status?: number; reason?: string }> {
  const script = `
    const { createOutbound } = await import(${JSON.stringify(new URL('./outbound.ts', import.meta.url).href)});
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const outbound = createOutbound({ allow: [], allowLoopback: true, clock: { monotonic: () => 0 }, resolve });
    const request = { url: ${JSON.stringify(url)}, method: 'GET', headers: [], body: new Uint8Array(), timeoutMs: 5000 };
    process.stdout.write(JSON.stringify(await outbound.send(request)));
  `;
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  return JSON.parse(await new Response(child.stdout).text());
}

describe('https', () => {
  let directory = '';
  let serverNames: (string | false | null)[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'outbound-'));
    await Bun.write(join(directory, 'ca.pem'), certificatePem);
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function tlsPeer(): Promise<{ port: number; close: () => void }> {
    serverNames = [];
    const server = createServer({ cert: certificatePem, key: keyPem }, socket => {
      serverNames.push(socket.servername ?? null);
      socket.on('error', () => {});
      socket.once('data', () => ok(socket));
    });
    server.on('tlsClientError', () => {});
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() };
  }

  test('a certificate for the name in the URL is accepted, and the name is sent as SNI', async () => {
    const server = await tlsPeer();
    const trusting = { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') };
    expect(await sendFrom(trusting, `https://example.test:${server.port}`)).toMatchObject({
      kind: 'answered',
      status: 200,
    });
    expect(serverNames).toEqual(['example.test']);
    expect(await sendFrom(trusting, `https://other.test:${server.port}`)).toMatchObject({ kind: 'unreachable' });
    server.close();
  });

  test('an untrusted certificate is unreachable, even when the environment switches checks off', async () => {
    const server = await tlsPeer();
    const result = await sendFrom({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, `https://example.test:${server.port}`);
    expect(result).toMatchObject({ kind: 'unreachable', reason: expect.stringContaining('TLS') });
    server.close();
  });
});

test('proxy variables are ignored', async () => {
  const [proxy, to] = [await peer(ok), await peer(ok)];
  const url = `http://127.0.0.1:${proxy.port}`;
  const env = { HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, ALL_PROXY: url, NODE_USE_ENV_PROXY: '1' };
  expect(await sendFrom(env, `http://example.test:${to.port}/`)).toMatchObject({ kind: 'answered', status: 200 });
  expect([proxy.connects(), to.connects()]).toEqual([0, 1]);
});
