/* kill -9 at a random moment under load, again and again: every acknowledged delivery is there, whole, and once. */
import { type Api, firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, must } from '../lib/checks.ts';
import { freePort, type Installation, install, type Server } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { prove, sound, startSenders } from '../lib/senders.ts';

export async function checkCrashes({ check }: Checks, payloads: readonly Payload[], rounds: number): Promise<void> {
  const installation = install({ HOOKTAPE_RATE_LIMIT: '1000000' });
  let server: Server | undefined;
  let api: Api | undefined;
  try {
    const port = await freePort();
    server = await installation.start(port);
    api = await firstApi(installation, server);
    for (let round = 1; round <= rounds; round++) {
      await check(`kill -9 under load, round ${round} of ${rounds}`, async () => {
        if (!server || !api) throw new Error('no server since the last round');
        const running = server;
        server = undefined;
        const { note, next } = await crashRound(installation, running, api, payloads, `round ${round}`);
        server = next;
        return note;
      });
    }
    const last = server;
    if (last && api) {
      const counts = api;
      await check('the counters agree with what is stored', async () => {
        for (const endpoint of await counts.endpoints()) {
          let stored = 0;
          for await (const page of counts.events(endpoint.id)) stored += page.events.length;
          must(stored === endpoint.eventCount, `${endpoint.id}: ${stored} stored, eventCount ${endpoint.eventCount}`);
        }
        return undefined;
      });
    }
  } finally {
    await server?.end('SIGKILL');
    installation.remove();
  }
}

async function crashRound(
  installation: Installation,
  server: Server,
  api: Api,
  payloads: readonly Payload[],
  name: string,
): Promise<{ note: string; next: Server }> {
  const endpoint = await api.createEndpoint(name);
  const senders = startSenders(ingestAddress(server, endpoint), payloads);
  await Bun.sleep(100 + Math.random() * 700);
  await server.end('SIGKILL');
  const next = await installation.start(server.port);
  // The senders go on against the restarted server for a moment.
  await Bun.sleep(200);
  const ledger = await senders.stop();
  const proof = await prove(api, endpoint, ledger, payloads);
  const acknowledged = ledger.acknowledged.size;
  must(acknowledged > 0, `nothing was acknowledged:\n${next.output()}`);
  must(sound(ledger, proof), JSON.stringify({ ...ledger, ...proof, acknowledged }));
  const note = `${acknowledged} acknowledged, ${ledger.unanswered} unanswered, ${proof.stored} stored, back in ${next.startupMs.toFixed(0)} ms`;
  return { note, next };
}
