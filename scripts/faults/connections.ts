/* Too many connections, open files and large bodies at once. A dripping connection sends its body one byte at a time. */
import { connect as open, type Socket } from 'node:net';
import { openInbox } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { install } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { cpuMs, highestResident, openFiles, raiseOwnOpenFiles, until, withOpenFiles } from '../lib/process.ts';
import { ensureConsistent, startSenders } from '../lib/senders.ts';

const largeBodyBytes = 32 << 20;
const concurrentLargeBodies = 24;
/** The idle program plus several copies of its 256 MiB body budget: received, joined, encoded, in the writer, not yet collected. */
const maxResidentMegabytes = 1500;

/** Comparing the ledger with the server takes many requests. */
const settings = { HOOKTAPE_RATE_LIMIT: '1000000' };

/** Resolves with the socket once it is connected or has failed. */
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
  // This process and the program need a file for every connection, and one client address may use only a share of them.
  const neededFiles = Math.ceil((idle + dripping) * 1.2) + 1000;
  const manyFiles = withOpenFiles(neededFiles);
  const name = `${idle} idle and ${dripping} dripping connections do not stop deliveries`;
  if (!manyFiles || !raiseOwnOpenFiles(neededFiles))
    console.log(`skip  ${name}: a limit of ${neededFiles} open files cannot be set`);
  else
    await check(name, async () => {
      const installation = install(settings, manyFiles);
      let sockets: Socket[] = [];
      try {
        const { server, api, endpoint, address } = await openInbox(installation, 'connections');
        sockets = await dialMany(server.port, idle + dripping);
        const { pathname } = new URL(address);
        const drippingSockets = sockets.slice(idle);
        for (const socket of drippingSockets)
          socket.write(`POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n`);
        const dripTimer = setInterval(() => {
          for (const socket of drippingSockets) if (!socket.destroyed) socket.write('x');
        }, 500);
        const senders = startSenders(address, payloads, 16);
        try {
          ensure(openFiles(server.pid) > 0.9 * (idle + dripping), `only ${openFiles(server.pid)} files are open`);
          await until('1,000 deliveries are acknowledged', 30_000, () => senders.ledger.acknowledged.size > 1000);
          ensure((await fetch(`${server.origin}/readyz`)).ok, 'the server is not ready');
        } finally {
          clearInterval(dripTimer);
          await senders.stop();
        }
        await ensureConsistent(api, endpoint, senders.ledger, payloads);
        return `${senders.ledger.acknowledged.size} acknowledged in the meantime`;
      } finally {
        for (const socket of sockets) socket.destroy();
        await installation.remove();
      }
    });

  await checkFewFiles({ check }, payloads);

  await check(
    `${concurrentLargeBodies} bodies of ${largeBodyBytes >> 20} MiB at once stay within ${maxResidentMegabytes} MB`,
    async () => {
      const installation = install(settings);
      try {
        const { server, address } = await openInbox(installation, 'large');
        const block = crypto.getRandomValues(new Uint8Array(65_536));
        const body = Buffer.concat(Array.from({ length: largeBodyBytes / block.length }, () => block));
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
        const counts = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
        ensure((statuses.get(200) ?? 0) > 0, `none was stored: ${counts}`);
        ensure(
          [...statuses.keys()].every(status => [0, 200, 503].includes(status)),
          counts,
        );
        ensure(ledger.acknowledged.size > 0, 'no small delivery was stored in the meantime');
        ensure(highest < maxResidentMegabytes, `${highest.toFixed(0)} MB resident; ${counts}`);
        return `${counts}; at most ${highest.toFixed(0)} MB resident; ${ledger.acknowledged.size} small deliveries in the meantime`;
      } finally {
        await installation.remove();
      }
    },
  );
}

const fewOpenFiles = 200;

/** More connections than the program has file descriptors: it must keep some free and stay reachable. */
async function checkFewFiles({ check }: Pick<Checks, 'check'>, payloads: readonly Payload[]): Promise<void> {
  const filesLimit = withOpenFiles(fewOpenFiles);
  const connectionKinds: [name: string, request: string][] = [
    ['silent', ''],
    ['idle', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['stuck in their head', 'GET /healthz HTTP/1.1\r\nHost: local'],
    ['stuck in a body', 'POST INGEST HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{'],
  ];
  if (!filesLimit) console.log(`skip  ${fewOpenFiles} open files: prlimit is not available`);
  else
    for (const [name, request] of connectionKinds)
      await check(
        `with ${fewOpenFiles} open files, 1,000 connections that are ${name} do not block others`,
        async () => {
          const installation = install(settings, filesLimit);
          let sockets: Socket[] = [];
          try {
            const { server, api, endpoint, address } = await openInbox(installation, 'tight');
            const text = request.replace('INGEST', new URL(address).pathname);
            const senders = startSenders(address, payloads, 4);
            try {
              await until('some deliveries are stored', 10_000, () => senders.ledger.acknowledged.size > 50);
              sockets = await dialMany(server.port, 1000);
              for (const socket of sockets) if (!socket.destroyed) socket.write(text);
              const before = senders.ledger.acknowledged.size;
              const readyMs = await until('the server is ready', 10_000, async () => {
                const ready = await fetch(`${server.origin}/readyz`, { keepalive: false }).catch(() => undefined);
                return ready?.ok === true;
              });
              // Stalled bodies are cut after ten seconds.
              await until('more deliveries are stored', 20_000, () => senders.ledger.acknowledged.size > before + 50);
              await installation.command(['account', 'list']);
              const files = openFiles(server.pid);
              ensure(files < fewOpenFiles - 20, `${files} files are open`);
              await senders.stop();
              const busyMs = await cpuMs(server.pid, 2000);
              ensure(busyMs < 400, `${busyMs} ms of CPU in two seconds without any request`);
              const warnings = server.output().split('connection limit reached').length - 1;
              ensure(warnings === 1, `the warning was logged ${warnings} times`);
              // The comparison needs many connections.
              for (const socket of sockets) socket.destroy();
              await ensureConsistent(api, endpoint, senders.ledger, payloads);
              await server.stop();
              return `ready after ${readyMs.toFixed(0)} ms, ${files} files open, ${busyMs} ms of CPU in 2 s at rest`;
            } finally {
              await senders.stop();
            }
          } finally {
            for (const socket of sockets) socket.destroy();
            await installation.remove();
          }
        },
      );
}
