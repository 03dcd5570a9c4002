/* Too many of everything: idle and dripping connections, open files, large bodies at once. */
import { connect as open, type Socket } from 'node:net';
import { firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { freePort, install } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { cpuMs, highestResident, openFiles, raiseOwnOpenFiles, until, withOpenFiles } from '../lib/process.ts';
import { compareWithServer, isConsistent, startSenders } from '../lib/senders.ts';

const largeBodyBytes = 32 << 20;
const concurrentLargeBodies = 24;
/** The program at rest, and its 256 MiB of bodies in several forms: as received, joined, packed, with the writer, uncollected. */
const maxResidentMegabytes = 1500;

/** The comparison afterwards reads everything back. */
const often = { HOOKTAPE_RATE_LIMIT: '1000000' };

/** Resolves with the socket once it is connected, or has failed. */
const dial = (port: number): Promise<Socket> =>
  new Promise(resolve => {
    const socket = open({ port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => resolve(socket));
    socket.once('connect', () => resolve(socket));
    socket.resume();
  });

async function dialMany(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(200, count - sockets.length) }, () => dial(port)))),
    );
  return sockets;
}

export async function checkConnections(
  { check }: Checks,
  payloads: readonly Payload[],
  { idle, dripping }: { idle: number; dripping: number },
): Promise<void> {
  // This process and the program each need one for every connection, and one client address has a share of them only.
  const wanted = Math.ceil((idle + dripping) * 1.2) + 1000;
  const roomy = withOpenFiles(wanted);
  const name = `${idle} idle and ${dripping} dripping connections do not stop deliveries`;
  if (!roomy || !raiseOwnOpenFiles(wanted)) console.log(`skip  ${name}: ${wanted} open files are not allowed here`);
  else
    await check(name, async () => {
      const installation = install(often, roomy);
      let sockets: Socket[] = [];
      try {
        const server = await installation.start(await freePort());
        const api = await firstApi(installation, server);
        const endpoint = await api.createEndpoint('crowd');
        const address = ingestAddress(server, endpoint);
        sockets = await dialMany(server.port, idle + dripping);
        const { pathname } = new URL(address);
        const drips = sockets.slice(idle);
        for (const socket of drips)
          socket.write(`POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n`);
        const drip = setInterval(() => {
          for (const socket of drips) if (!socket.destroyed) socket.write('x');
        }, 500);
        const senders = startSenders(address, payloads, 16);
        try {
          ensure(openFiles(server.pid) > 0.9 * (idle + dripping), `only ${openFiles(server.pid)} files are open`);
          await until('1,000 deliveries are acknowledged', 30_000, () => senders.ledger.acknowledged.size > 1000);
          ensure((await fetch(`${server.origin}/readyz`)).ok, 'it is not ready');
        } finally {
          clearInterval(drip);
          await senders.stop();
        }
        const comparison = await compareWithServer(api, endpoint, senders.ledger, payloads);
        ensure(isConsistent(senders.ledger, comparison), JSON.stringify(comparison));
        return `${senders.ledger.acknowledged.size} acknowledged meanwhile`;
      } finally {
        for (const socket of sockets) socket.destroy();
        await installation.remove();
      }
    });

  await checkFewFiles({ check }, payloads);

  await check(
    `${concurrentLargeBodies} bodies of ${largeBodyBytes >> 20} MiB at once stay within ${maxResidentMegabytes} MB`,
    async () => {
      const installation = install(often);
      try {
        const server = await installation.start(await freePort());
        const api = await firstApi(installation, server);
        const endpoint = await api.createEndpoint('large');
        const address = ingestAddress(server, endpoint);
        const piece = crypto.getRandomValues(new Uint8Array(65_536));
        const body = Buffer.concat(Array.from({ length: largeBodyBytes / piece.length }, () => piece));
        const small = startSenders(address, payloads, 4);
        const statuses = new Map<number, number>();
        const highest = await highestResident(server.pid, async () => {
          await Promise.all(
            Array.from({ length: concurrentLargeBodies }, async () => {
              const answer = await fetch(`${address}/0`, { method: 'POST', body }).catch(() => undefined);
              const status = answer?.status ?? 0;
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
            }),
          );
        });
        const ledger = await small.stop();
        const shown = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
        ensure((statuses.get(200) ?? 0) > 0, `none was stored: ${shown}`);
        ensure(
          [...statuses.keys()].every(status => [0, 200, 503].includes(status)),
          shown,
        );
        ensure(ledger.acknowledged.size > 0, 'no small delivery came through meanwhile');
        ensure(highest < maxResidentMegabytes, `${highest.toFixed(0)} MB resident; ${shown}`);
        return `${shown}; at most ${highest.toFixed(0)} MB resident; ${ledger.acknowledged.size} small ones meanwhile`;
      } finally {
        await installation.remove();
      }
    },
  );
}

const fewOpenFiles = 200;

/** More connections than the program has file descriptors for: it must never run out of them, and stay reachable. */
async function checkFewFiles({ check }: Pick<Checks, 'check'>, payloads: readonly Payload[]): Promise<void> {
  const tight = withOpenFiles(fewOpenFiles);
  const crowds: [name: string, request: string][] = [
    ['silent', ''],
    ['idle', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['stuck in their head', 'GET /healthz HTTP/1.1\r\nHost: local'],
    ['stuck in a body', 'POST INGEST HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{'],
  ];
  if (!tight) console.log(`skip  ${fewOpenFiles} open files: prlimit is not there`);
  else
    for (const [name, request] of crowds)
      await check(`with ${fewOpenFiles} open files, 1,000 connections that are ${name} keep nobody out`, async () => {
        const installation = install(often, tight);
        let sockets: Socket[] = [];
        try {
          const server = await installation.start(await freePort());
          const api = await firstApi(installation, server);
          const endpoint = await api.createEndpoint('tight');
          const address = ingestAddress(server, endpoint);
          const text = request.replace('INGEST', new URL(address).pathname);
          const senders = startSenders(address, payloads, 4);
          try {
            await until('some are stored', 10_000, () => senders.ledger.acknowledged.size > 50);
            sockets = await dialMany(server.port, 1000);
            for (const socket of sockets) if (!socket.destroyed) socket.write(text);
            const before = senders.ledger.acknowledged.size;
            const readyMs = await until('it is ready', 10_000, async () => {
              const ready = await fetch(`${server.origin}/readyz`, { keepalive: false }).catch(() => undefined);
              return ready?.ok === true;
            });
            // Bodies give way after ten seconds.
            await until('deliveries go on', 20_000, () => senders.ledger.acknowledged.size > before + 50);
            const { exitCode, stderr } = await installation.run(['account', 'list']);
            ensure(exitCode === 0, `a command failed: ${stderr}`);
            const files = openFiles(server.pid);
            ensure(files < fewOpenFiles - 20, `${files} files are open`);
            await senders.stop();
            const busyMs = await cpuMs(server.pid, 2000);
            ensure(busyMs < 400, `${busyMs} ms of CPU in two seconds without any request`);
            const told = server.output().split('too many open connections').length - 1;
            ensure(told === 1, `told ${told} times in the log`);
            // It reads with many connections at once.
            for (const socket of sockets) socket.destroy();
            const comparison = await compareWithServer(api, endpoint, senders.ledger, payloads);
            ensure(isConsistent(senders.ledger, comparison), JSON.stringify(comparison));
            ensure((await server.end('SIGTERM')) === 0, `it ended badly:\n${server.output()}`);
            return `ready after ${readyMs.toFixed(0)} ms, ${files} files open, ${busyMs} ms of CPU in 2 s at rest`;
          } finally {
            await senders.stop();
          }
        } finally {
          for (const socket of sockets) socket.destroy();
          await installation.remove();
        }
      });
}
