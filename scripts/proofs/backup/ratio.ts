/* How many bytes are uploaded for each byte by which the data directory grows under capture, from a clean start to a clean stop. */
import { type Checks, ensure } from '../../lib/checks.ts';
import { githubPayloads, orderPayloads, type Payload, stripePayloads } from '../../lib/payloads.ts';
import { createRecorded } from './recorded.ts';
import type { Store } from './stores.ts';
import { bytesIn, openWorld, startAgain, untilBackedUp } from './world.ts';

const mostBytes = 1.5;

const kinds: readonly (readonly [name: string, payloads: () => readonly Payload[], perSecond: number])[] = [
  ['orders at 20/s', () => orderPayloads(2000), 20],
  ['orders at 400/s', () => orderPayloads(20_000), 400],
  ['Stripe-like events at 200/s', () => stripePayloads(20_000), 200],
  ['GitHub examples at 200/s', githubPayloads, 200],
];

export async function checkRatio({ check }: Checks, store: Store, seconds: number): Promise<void> {
  for (const [name, payloads, perSecond] of kinds)
    await check(`${store.name}: ${name}, at most ${mostBytes} bytes are uploaded for a stored one`, async () => {
      const world = await openWorld(store, `ratio-${store.name}-${name.replaceAll(/\W+/g, '-')}`, { every: '10s' });
      try {
        await untilBackedUp(world);
        await world.server.stop();
        const [storedBefore, sentBefore] = [bytesIn(world.installation.dataDir), store.proxy.uploadedBytes()];
        await startAgain(world);
        const recorded = createRecorded(payloads());
        const senders = Math.ceil(perSecond / 50);
        const stop = recorded.send(world.server, world.endpoint, { senders, perSecond: perSecond / senders });
        await Bun.sleep(seconds * 1000);
        await stop();
        await world.server.stop();
        const stored = bytesIn(world.installation.dataDir) - storedBefore;
        const sent = store.proxy.uploadedBytes() - sentBefore;
        ensure(sent <= mostBytes * stored, `${sent} bytes were uploaded for ${stored}: ${(sent / stored).toFixed(2)}`);
        return `${recorded.acknowledged.length} deliveries, ${sent} bytes for ${stored}: ${(sent / stored).toFixed(2)}`;
      } finally {
        await world.installation.remove();
      }
    });
}
