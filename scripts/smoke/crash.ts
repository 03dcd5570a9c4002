/*
 * Kills the server with SIGKILL, repeatedly: under load, while it switches from one journal file to the next, while it starts
 * after the last kill, and while it stops. Every acknowledged delivery is stored exactly once and undamaged.
 */

import { freePort } from '../../src/testing/free-port.ts';
import { type Api, firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { type Installation, install, type Server } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { ensureConsistent, type Senders, startSenders } from '../lib/senders.ts';

/** It reads every event of all rounds. */
const checkTimeoutMs = 600_000;

const anyTime = (fromMs: number, toMs: number): Promise<void> => Bun.sleep(fromMs + Math.random() * (toMs - fromMs));

/** Twenty of them fill a journal file; they cannot be compressed. */
const largePayloads: Payload[] = Array.from({ length: 4 }, () => ({
  event: 'large',
  body: Buffer.concat(Array.from({ length: 7 }, () => crypto.getRandomValues(new Uint8Array(60_000)))),
}));

type Crash = {
  what: string;
  payloads: (usual: readonly Payload[]) => readonly Payload[];
  senders: number;
  /** Kills the loaded server. */
  kill: (server: Server, installation: Installation) => Promise<void>;
};

const usual = (payloads: readonly Payload[]): readonly Payload[] => payloads;

const crashes: Crash[] = [
  { what: 'under load', payloads: usual, senders: 64, kill: async server => void (await server.end('SIGKILL')) },
  {
    what: 'while journal files are changed',
    payloads: () => largePayloads,
    senders: 16,
    kill: async server => void (await server.end('SIGKILL')),
  },
  {
    what: 'and again while it starts',
    payloads: usual,
    senders: 64,
    kill: async (server, installation) => {
      await server.end('SIGKILL');
      for (let again = 0; again < 3; again++) {
        const starting = installation.startWithoutWaiting(server.port);
        await anyTime(20, 2 * server.startupMs);
        await starting.end('SIGKILL');
      }
    },
  },
  {
    what: 'while it stops',
    payloads: usual,
    senders: 64,
    kill: async server => {
      const ended = server.end('SIGTERM');
      await anyTime(0, 40);
      await server.end('SIGKILL');
      await ended;
    },
  },
];

export async function checkCrashes({ check }: Checks, payloads: readonly Payload[], rounds: number): Promise<void> {
  const installation = install({ HOOKTAPE_RATE_LIMIT: '1000000' });
  let server: Server;
  let api: Api;

  const round = async (name: string, crash: Crash): Promise<string> => {
    const endpoint = await api.createEndpoint(name);
    const sent = crash.payloads(payloads);
    const senders: Senders = startSenders(ingestAddress(server, endpoint), sent, crash.senders);
    await anyTime(50, 400);
    try {
      await crash.kill(server, installation);
      server = await installation.start(server.port);
      // The senders continue on the restarted server.
      await Bun.sleep(200);
    } finally {
      await senders.stop();
    }
    const { ledger } = senders;
    const acknowledged = ledger.acknowledged.size;
    ensure(acknowledged > 0, `nothing was acknowledged:\n${server.output()}`);
    const comparison = await ensureConsistent(api, endpoint, ledger, sent);
    return `${acknowledged} acknowledged, ${ledger.unanswered} unanswered, ${comparison.stored} stored, restarted in ${server.startupMs.toFixed(0)} ms`;
  };

  try {
    server = await installation.start(await freePort());
    api = await firstApi(installation, server);
    for (let number = 1; number <= rounds; number++) {
      const crash = crashes[(number - 1) % crashes.length] as Crash;
      await check(`kill -9 ${crash.what}, round ${number} of ${rounds}`, () => round(`round ${number}`, crash));
    }
    await check('eventCount equals the number of stored events', async () => {
      for (const endpoint of await api.endpoints()) {
        let stored = 0;
        for await (const page of api.events(endpoint.id)) stored += page.events.length;
        ensure(stored === endpoint.eventCount, `${endpoint.id}: ${stored} stored, eventCount ${endpoint.eventCount}`);
      }
      return undefined;
    });
    await check('hooktape check finds nothing after all that', () => installation.command(['check'], checkTimeoutMs));
  } finally {
    await installation.remove();
  }
}
