/* Kills the server with SIGKILL under load, repeatedly: every acknowledged delivery is stored exactly once and undamaged. */
import { type Api, firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { freePort, install, type Server } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { compareWithServer, isConsistent, startSenders } from '../lib/senders.ts';

export async function checkCrashes({ check }: Checks, payloads: readonly Payload[], rounds: number): Promise<void> {
  const installation = install({ HOOKTAPE_RATE_LIMIT: '1000000' });
  let server: Server;
  let api: Api;

  const crash = async (name: string): Promise<string> => {
    const endpoint = await api.createEndpoint(name);
    const senders = startSenders(ingestAddress(server, endpoint), payloads);
    await Bun.sleep(100 + Math.random() * 700);
    await server.end('SIGKILL');
    try {
      server = await installation.start(server.port);
      // The senders continue on the restarted server.
      await Bun.sleep(200);
    } finally {
      await senders.stop();
    }
    const { ledger } = senders;
    const comparison = await compareWithServer(api, endpoint, ledger, payloads);
    const acknowledged = ledger.acknowledged.size;
    ensure(acknowledged > 0, `nothing was acknowledged:\n${server.output()}`);
    ensure(isConsistent(ledger, comparison), JSON.stringify({ ...ledger, ...comparison, acknowledged }));
    return `${acknowledged} acknowledged, ${ledger.unanswered} unanswered, ${comparison.stored} stored, restarted in ${server.startupMs.toFixed(0)} ms`;
  };

  try {
    server = await installation.start(await freePort());
    api = await firstApi(installation, server);
    for (let round = 1; round <= rounds; round++) {
      await check(`kill -9 under load, round ${round} of ${rounds}`, () => crash(`round ${round}`));
    }
    await check('eventCount equals the number of stored events', async () => {
      for (const endpoint of await api.endpoints()) {
        let stored = 0;
        for await (const page of api.events(endpoint.id)) stored += page.events.length;
        ensure(stored === endpoint.eventCount, `${endpoint.id}: ${stored} stored, eventCount ${endpoint.eventCount}`);
      }
      return undefined;
    });
  } finally {
    await installation.remove();
  }
}
