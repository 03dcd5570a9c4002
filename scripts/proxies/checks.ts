/* Checks that a delivery through a reverse proxy is stored as if it had been sent directly. */
import type { Api } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import type { Installation } from '../lib/installation.ts';
import { connect } from '../lib/wire.ts';
import { publicHost, type ReverseProxy } from './programs.ts';

type Event = { path: string; query: string; rawHeaders: [string, string][]; payloadRaw: string; sourceIp: string };

const testPaths = ['/a//b', '/c%2Fd%20e', '/;x=1/%C3%A9', '/%7Euser', '/a/../b', '/%2e%2E/./c'];
const testQueries = ['a=%2F&a=1+2&b=c%20d&B&=&&__proto__=1??&%E9', 'semi;colon=1;2', `"'<>&%zz`, 'x=%7E%41'];

/** Different from the proxy's address, so that the stored source shows which of the two was used. */
const senderAddress = '127.0.0.2';

/** The headers that a proxy may add to a delivery. */
const forwardingHeaders = /^(?:host|content-length|x-forwarded-[a-z]+|x-real-ip)$/;

export async function checkThrough(run: {
  proxy: ReverseProxy;
  /** The origin of the proxy. */
  origin: string;
  /** Connects directly to Hooktape. */
  api: Api;
  installation: Installation;
  checks: Checks;
}): Promise<void> {
  const { proxy, origin, api, installation } = run;
  const endpoint = await api.createEndpoint('proxied');
  const { pathname } = new URL(endpoint.url);
  const check: Checks['check'] = (name, body) => run.checks.check(`${proxy.name}: ${name}`, body);

  const deliver = async (head: string, body: string | Uint8Array = ''): Promise<Event> => {
    const connection = await connect(origin, senderAddress);
    const text = `${head}\r\nHost: ${publicHost}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const answer = await connection.send(Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(body)]));
    connection.close();
    return event(answer);
  };
  const event = async ({ status, body }: { status: number; body: string }): Promise<Event> => {
    ensure(status === 200, `${status} ${body}`);
    return (await (await api.get(`/api/events/${JSON.parse(body).id}`)).json()) as Event;
  };

  await check('paths and queries are stored as sent', async () => {
    const targets = [...testPaths.map(path => [path, 'a=1']), ...testQueries.map(query => ['', query])];
    for (const [path = '', query = ''] of targets) {
      const stored = await deliver(`POST ${pathname}${path}?${query} HTTP/1.1`);
      const same = stored.path === path && stored.query === query;
      const altered = proxy.alters.includes(path || query);
      ensure(same !== altered, `${path}?${query} was stored as ${stored.path}?${stored.query}`);
    }
    return proxy.alters.length === 0 ? undefined : `except ${proxy.alters.join(' ')}, as documented`;
  });

  await check('header names, values and repeats are stored as sent', async () => {
    const headers = [
      ['X-GitHub-Event', 'push'],
      ['x-lower', 'one'],
      ['X-Repeated', 'a'],
      ['With_Underscore', 'kept'],
      ['X-Repeated', 'b'],
      ['x.odd!name', '"quoted", and; more'],
      ['Stripe-Signature', 't=1,v1=abc'],
      ['Content-Type', 'application/x-www-form-urlencoded; charset=UTF-8'],
    ] as const;
    const text = headers.map(([name, value]) => `\r\n${name}: ${value}`).join('');
    const stored = await deliver(`POST ${pathname} HTTP/1.1${text}`, 'a=b');
    const names = new Set(headers.map(([name]) => name.toLowerCase()));
    const received = stored.rawHeaders.filter(([name]) => names.has(name.toLowerCase()));
    const same = proxy.exactNames
      ? JSON.stringify(received) === JSON.stringify(headers)
      : JSON.stringify(byName(received)) === JSON.stringify(byName(headers));
    ensure(same, `stored as ${JSON.stringify(stored.rawHeaders)}`);
    return proxy.exactNames ? 'case and order as sent' : 'names in canonical spelling';
  });

  await check('the proxy adds only headers that describe the forwarding', async () => {
    const { rawHeaders } = await deliver(`POST ${pathname} HTTP/1.1`);
    const added = rawHeaders.map(([name]) => name.toLowerCase()).filter(name => !forwardingHeaders.test(name));
    ensure(added.join() === proxy.adds.join(), `added: ${added.join(', ')}`);
    return proxy.adds.length === 0 ? undefined : `except ${proxy.adds.join(' ')}, as documented`;
  });

  await check('a chunked body and a body of 8 MiB are stored byte for byte', async () => {
    const connection = await connect(origin, senderAddress);
    const chunked = `POST ${pathname} HTTP/1.1\r\nHost: ${publicHost}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const small = await event(await connection.send(Buffer.from(`${chunked}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`)));
    connection.close();
    ensure(small.payloadRaw === 'abcde', small.payloadRaw);
    const body = Buffer.alloc(8 << 20, 'all the bytes\n');
    const large = await deliver(`PUT ${pathname} HTTP/1.1`, body);
    ensure(large.payloadRaw === body.toString(), 'the large body was changed');
    return undefined;
  });

  await check('a forged X-Forwarded-For does not change the source address, and /metrics stays private', async () => {
    const { sourceIp } = await deliver(`POST ${pathname} HTTP/1.1\r\nX-Forwarded-For: 127.0.0.1`);
    ensure(sourceIp === senderAddress, `the source is ${sourceIp}`);
    const metrics = await fetch(`${origin}/metrics`, { headers: { host: publicHost } });
    ensure(metrics.status === 403, `/metrics was answered with ${metrics.status}`);
    return undefined;
  });

  await check('a live stream is not buffered', async () => {
    const made = await installation.run(['key', 'create', 'stream', '--account', 'owner@example.com']);
    const stream = await fetch(`${origin}/api/endpoints/${endpoint.id}/stream`, {
      headers: { host: publicHost, authorization: `Bearer ${made.stdout.trim()}` },
      signal: AbortSignal.timeout(5000),
    });
    await deliver(`POST ${pathname}/streamed HTTP/1.1`, '{}');
    for await (const chunk of stream.body ?? []) if (Buffer.from(chunk).includes('/streamed')) return undefined;
    throw new Error('the stream ended without the event');
  });
}

/** The values of each header in order, sorted by the lower-case name. */
function byName(headers: readonly (readonly [string, string])[]): [string, string[]][] {
  const values = Map.groupBy(headers, ([name]) => name.toLowerCase());
  return [...values].map(([name, all]): [string, string[]] => [name, all.map(([, value]) => value)]).sort();
}
