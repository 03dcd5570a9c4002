/*
 * The gain from the fast path, alone and with the connection handling, and the cost of detection and of the search index: compares the complete program with builds that lack
 * one of them. Every measurement uses a new server and database, so that no background work is left from an earlier one. The variants
 * alternate, in a different order each round.
 */

import { freePort } from '../../src/testing/free-port.ts';
import { firstApi, ingestAddress } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import { install } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import type { Row } from './report.ts';
import { median } from './statistics.ts';
import { buildVariant, type Variant, variants } from './variants.ts';
import { fullLoad } from './wrk.ts';

const warmUpSeconds = 2;

type Rates = Record<Variant, number[]>;

/** @param sets payloads by their name in the table */
export async function switchRows(
  sets: Record<string, readonly Payload[]>,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<{ rows: Row[]; details: Record<string, Rates> }> {
  const binaries = new Map<Variant, string>();
  for (const variant of variants) binaries.set(variant, await buildVariant(variant));
  const rates: Record<string, Rates> = Object.fromEntries(
    Object.keys(sets).map(name => [
      name,
      { complete: [], 'no fast path': [], 'plain listener': [], 'no detection': [], 'no search index': [] },
    ]),
  );
  for (let round = 0; round < rounds; round++)
    for (const [name, payloads] of Object.entries(sets))
      for (let i = 0; i < variants.length; i++) {
        const variant = variants[(round + i) % variants.length] ?? 'complete';
        const rate = await saturate(variant, binaries.get(variant) ?? '', payloads, seconds);
        rates[name]?.[variant].push(rate);
        console.log(`round ${round + 1}  ${name}  ${variant.padEnd(15)}  ${rate.toFixed(0)}/s`);
      }
  const rows = Object.entries(rates).flatMap(([name, measured]): Row[] => [
    row(`fast path on / off, ${name}`, measured, 'no fast path', 1.1),
    row(`complete / plain listener, ${name}`, measured, 'plain listener', 1),
    row(`detection on / off, ${name}`, measured, 'no detection', 0.9),
    row(`search index on / off, ${name}`, measured, 'no search index', 0.85),
  ]);
  return { rows, details: rates };
}

const row = (what: string, rates: Rates, off: Variant, atLeast: number): Row => ({
  what,
  ours: median(rates.complete),
  baseline: median(rates[off]),
  unit: '/s',
  goal: { atLeast },
});

/** Durable deliveries per second. */
async function saturate(
  variant: Variant,
  binary: string,
  payloads: readonly Payload[],
  seconds: number,
): Promise<number> {
  const installation = install({ HOOKTAPE_LOG_LEVEL: 'warn' }, [], { built: binary });
  try {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const endpoint = await api.createEndpoint('bench');
    const address = ingestAddress(server, endpoint);
    await fullLoad(address, payloads, warmUpSeconds);
    const { perSecond } = await fullLoad(address, payloads, seconds);
    const page = await api.get(`/api/events?endpointId=${endpoint.id}&limit=1`);
    const { events } = (await page.json()) as { events: { platform: string | null }[] };
    const expected = variant === 'no detection' ? null : 'github';
    ensure(events[0]?.platform === expected, `${variant}: the platform of a delivery is ${events[0]?.platform}`);
    return perSecond;
  } finally {
    await installation.remove();
  }
}
