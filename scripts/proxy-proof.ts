/*
 * Proves the nginx lines of docs/installing.md: takes them from there, runs nginx with them in front of the compiled
 * program, and looks at what was stored. Needs nginx; loopback only.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstApi } from './lib/api.ts';
import { createChecks, must } from './lib/checks.ts';
import { freePort, install } from './lib/installation.ts';
import { until } from './lib/process.ts';
import { connect } from './lib/wire.ts';

type Event = { path: string; query: string; rawHeaders: [string, string][]; payloadRaw: string; sourceIp: string };

const nginx = Bun.which('nginx') ?? '/usr/sbin/nginx';
if (!(await Bun.file(nginx).exists()))
  throw new Error('nginx is not installed; on Debian: apt-get install nginx-light');
const lines = /```nginx\n([\s\S]*?)```/.exec(readFileSync(join(import.meta.dir, '../docs/installing.md'), 'utf8'))?.[1];
if (lines === undefined) throw new Error('docs/installing.md has no nginx lines');

const checks = createChecks();
const directory = mkdtempSync(join(tmpdir(), 'hooktape-proxy-'));
const installation = install({ HOOKTAPE_TRUSTED_PROXIES: '127.0.0.1/32' });
const [port, proxyPort] = [await freePort(), await freePort()];
writeFileSync(
  join(directory, 'nginx.conf'),
  `daemon off; pid ${directory}/pid; error_log ${directory}/error.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  ${lines.replace('listen 80;', `listen 127.0.0.1:${proxyPort};`).replace('127.0.0.1:4665', `127.0.0.1:${port}`)}
}`,
);
const proxy = Bun.spawn([nginx, '-c', join(directory, 'nginx.conf'), '-e', join(directory, 'error.log')], {
  stdout: 'inherit',
  stderr: 'inherit',
});
try {
  const server = await installation.start(port);
  const api = await firstApi(installation, server);
  const { pathname } = new URL((await api.createEndpoint('proxied')).url);
  const origin = `http://127.0.0.1:${proxyPort}`;
  await until('nginx listens', 5000, () =>
    fetch(`${origin}/healthz`).then(
      answer => answer.ok,
      () => false,
    ),
  );
  const deliver = async (request: string | Uint8Array): Promise<Event> => {
    const connection = await connect(origin);
    const answer = await connection.send(typeof request === 'string' ? Buffer.from(request, 'latin1') : request);
    connection.close();
    must(answer.status === 200, `${answer.status} ${answer.body}`);
    return (await (await api.get(`/api/events/${JSON.parse(answer.body).id}`)).json()) as Event;
  };

  await checks.check('path and query come through as they were sent', async () => {
    const path = '/a//b/../%2e%2E/c%2Fd;x=1/%C3%A9';
    const query = `a=%2F&a=1+2&b=c%20d&"'<>&;&=&%zz&__proto__=1??`;
    const event = await deliver(`POST ${pathname}${path}?${query} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`);
    must(event.path === path, `the path came as ${event.path}`);
    must(event.query === query, `the query came as ${event.query}`);
    return undefined;
  });

  await checks.check('header names, order, repeats and values come through', async () => {
    const headers = [
      ['X-GitHub-Event', 'push'],
      ['x-lower', 'one'],
      ['X-Repeated', 'a'],
      ['With_Underscore', 'kept'],
      ['X-Repeated', 'b'],
      ['x.odd!name', '"quoted", and; more'],
      ['Stripe-Signature', 't=1,v1=abc'],
      ['Content-Type', 'application/x-www-form-urlencoded; charset=UTF-8'],
    ];
    const text = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const event = await deliver(`POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n${text}\r\na=b`);
    const names = new Set(headers.map(([name]) => name));
    const came = event.rawHeaders.filter(([name]) => names.has(name));
    must(JSON.stringify(came) === JSON.stringify(headers), `came as ${JSON.stringify(event.rawHeaders)}`);
    return undefined;
  });

  await checks.check('a chunked body and one of 8 MiB come through byte for byte', async () => {
    const chunked =
      'POST PATH HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
    const small = await deliver(chunked.replace('PATH', pathname));
    must(small.payloadRaw === 'abcde', small.payloadRaw);
    const body = Buffer.alloc(8 << 20, 'all the bytes\n');
    const head = `PUT ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
    const large = await deliver(Buffer.concat([Buffer.from(head), body]));
    must(large.payloadRaw === body.toString(), 'the large body came back changed');
    return undefined;
  });

  await checks.check('the source is the sender, and metrics stay closed through the proxy', async () => {
    const event = await deliver(
      `POST ${pathname} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\nContent-Length: 0\r\n\r\n`,
    );
    must(event.sourceIp !== '', 'no source');
    const metrics = await fetch(`${origin}/metrics`);
    must(metrics.status === 403, `/metrics was answered ${metrics.status}`);
    return `source ${event.sourceIp}`;
  });

  await checks.check('a live stream is not held back', async () => {
    const [endpoint] = await api.endpoints();
    const key = (await installation.run(['key', 'create', 'stream', '--account', 'owner@example.com'])).stdout.trim();
    const stream = await fetch(`${origin}/api/endpoints/${endpoint?.id}/stream`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(5000),
    });
    await deliver(`POST ${pathname}/streamed HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`);
    for await (const chunk of stream.body ?? []) if (Buffer.from(chunk).includes('/streamed')) return undefined;
    throw new Error('the stream ended without it');
  });
} finally {
  proxy.kill();
  await proxy.exited;
  await installation.remove();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(checks.close());
