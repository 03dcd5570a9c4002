/* Too many of everything: idle and dripping connections, open files, large bodies at once. */
import { connect as open, type Socket } from 'node:net';
import { firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, must } from '../lib/checks.ts';
import { freePort, install } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { highestResident, openFiles, raiseOwnOpenFiles, until, withOpenFiles } from '../lib/process.ts';
import { prove, sound, startSenders } from '../lib/senders.ts';

const LARGE_BODY = 32 << 20;
const LARGE_AT_ONCE = 24;
/** The program at rest, and its 256 MiB of bodies in several forms: as received, joined, packed, with the writer, uncollected. */
const MAX_RESIDENT_MB = 1500;

/** The proof afterwards reads everything back. */
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
  // This process and the program each need one for every connection.
  const wanted = idle + dripping + 1000;
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
          must(openFiles(server.pid) > 0.9 * (idle + dripping), `only ${openFiles(server.pid)} files are open`);
          await until('1,000 deliveries are acknowledged', 30_000, () => senders.ledger.acknowledged.size > 1000);
          must((await fetch(`${server.origin}/readyz`)).ok, 'it is not ready');
        } finally {
          clearInterval(drip);
          await senders.stop();
        }
        const proof = await prove(api, endpoint, senders.ledger, payloads);
        must(sound(senders.ledger, proof), JSON.stringify(proof));
        return `${senders.ledger.acknowledged.size} acknowledged meanwhile`;
      } finally {
        for (const socket of sockets) socket.destroy();
        await installation.remove();
      }
    });

  const tight = withOpenFiles(128);
  if (!tight) console.log('skip  out of open files: prlimit is not there');
  else
    await check('out of open files it lives on, and is well when they are back', async () => {
      const installation = install(often, tight);
      let sockets: Socket[] = [];
      try {
        const server = await installation.start(await freePort());
        const api = await firstApi(installation, server);
        const endpoint = await api.createEndpoint('tight');
        const address = ingestAddress(server, endpoint);
        const senders = startSenders(address, payloads, 4);
        try {
          await until('some are stored', 10_000, () => senders.ledger.acknowledged.size > 50);
          sockets = await dialMany(server.port, 300);
          await until('it has no file left', 10_000, () => openFiles(server.pid) >= 126);
          await Bun.sleep(500);
        } finally {
          for (const socket of sockets) socket.destroy();
        }
        const before = senders.ledger.acknowledged.size;
        const backMs = await until('it takes deliveries again', 20_000, async () => {
          const ready = await fetch(`${server.origin}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => {});
          return ready?.ok === true && senders.ledger.acknowledged.size > before;
        });
        const ledger = await senders.stop();
        const proof = await prove(api, endpoint, ledger, payloads);
        must(sound(ledger, proof), JSON.stringify(proof));
        must((await server.end('SIGTERM')) === 0, `it ended badly:\n${server.output()}`);
        return `${ledger.acknowledged.size} acknowledged, all there; well again after ${backMs.toFixed(0)} ms`;
      } finally {
        await installation.remove();
      }
    });

  await check(
    `${LARGE_AT_ONCE} bodies of ${LARGE_BODY >> 20} MiB at once stay within ${MAX_RESIDENT_MB} MB`,
    async () => {
      const installation = install(often);
      try {
        const server = await installation.start(await freePort());
        const api = await firstApi(installation, server);
        const endpoint = await api.createEndpoint('large');
        const address = ingestAddress(server, endpoint);
        const piece = crypto.getRandomValues(new Uint8Array(65_536));
        const body = Buffer.concat(Array.from({ length: LARGE_BODY / piece.length }, () => piece));
        const small = startSenders(address, payloads, 4);
        const statuses = new Map<number, number>();
        const highest = await highestResident(server.pid, async () => {
          await Promise.all(
            Array.from({ length: LARGE_AT_ONCE }, async () => {
              const answer = await fetch(`${address}/0`, { method: 'POST', body }).catch(() => undefined);
              const status = answer?.status ?? 0;
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
            }),
          );
        });
        const ledger = await small.stop();
        const shown = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
        must((statuses.get(200) ?? 0) > 0, `none was stored: ${shown}`);
        must(
          [...statuses.keys()].every(status => [0, 200, 503].includes(status)),
          shown,
        );
        must(ledger.acknowledged.size > 0, 'no small delivery came through meanwhile');
        must(highest < MAX_RESIDENT_MB, `${highest.toFixed(0)} MB resident; ${shown}`);
        return `${shown}; at most ${highest.toFixed(0)} MB resident; ${ledger.acknowledged.size} small ones meanwhile`;
      } finally {
        await installation.remove();
      }
    },
  );
}
