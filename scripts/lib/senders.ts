/*
 * Concurrent senders that record every response in a ledger, and the comparison of the ledger with what the server stored. Each
 * delivery is sent once, with its number as the sub-path. When a connection breaks, its sender continues with the next number on
 * a new connection.
 */
import type { Api, Endpoint } from './api.ts';
import { ensure } from './checks.ts';
import type { Payload } from './payloads.ts';
import { type Connection, connect, deliveryRequest } from './wire.ts';

export type Ledger = {
  /** Event id -> number of the delivery. */
  acknowledged: Map<string, number>;
  sent: number;
  /** Responses other than 200. */
  refused: number;
  /** No response: such a delivery may or may not be stored. */
  unanswered: number;
  /** Responses with an id that an earlier response had. */
  repeatedIds: number;
};

/** Counts of stored events: `strange`: their number was never sent; `twice`: another event has the same number. */
export type Comparison = { stored: number; missing: number; twice: number; damaged: number; strange: number };

export type Senders = { ledger: Ledger; stop: () => Promise<Ledger> };

/** Starts `count` senders to an ingest URL; they cycle through the payloads until stopped. */
export function startSenders(address: string, payloads: readonly Payload[], count = 64): Senders {
  const ledger: Ledger = { acknowledged: new Map(), sent: 0, refused: 0, unanswered: 0, repeatedIds: 0 };
  let running = true;

  const sender = async () => {
    let connection: Connection | undefined;
    while (running) {
      try {
        connection ??= await connect(address);
      } catch {
        await Bun.sleep(5);
        continue;
      }
      const number = ledger.sent++;
      try {
        recordAnswer(
          ledger,
          number,
          await connection.send(deliveryRequest(`${address}/${number}`, payloadOf(payloads, number))),
        );
      } catch {
        ledger.unanswered++;
        connection.close();
        connection = undefined;
      }
    }
    connection?.close();
  };
  const all = Array.from({ length: count }, sender);

  return {
    ledger,
    stop: async () => {
      running = false;
      await Promise.all(all);
      return ledger;
    },
  };
}

/** Adds the response to delivery `number` to the ledger. */
export function recordAnswer(ledger: Ledger, number: number, answer: { status: number; body: string }): void {
  if (answer.status !== 200) {
    ledger.refused++;
    return;
  }
  const { id } = JSON.parse(answer.body) as { id: string };
  if (ledger.acknowledged.has(id)) ledger.repeatedIds++;
  ledger.acknowledged.set(id, number);
}

/** Reads every event of the endpoint with its body, and compares it with the ledger. */
async function compareWithServer(
  api: Api,
  endpoint: Endpoint,
  ledger: Ledger,
  payloads: readonly Payload[],
): Promise<Comparison> {
  const comparison: Comparison = { stored: 0, missing: 0, twice: 0, damaged: 0, strange: 0 };
  const digests = payloads.map(({ body }) => sha256(body));
  const idByNumber = new Map<number, string>();
  for await (const { events } of api.events(endpoint.id)) {
    const bodies = await Promise.all(events.map(({ id }) => api.raw(id)));
    for (const [at, { id, path }] of events.entries()) {
      const number = Number(path.slice(1));
      comparison.stored++;
      if (!/^\/\d+$/.test(path) || number >= ledger.sent) comparison.strange++;
      if (idByNumber.has(number)) comparison.twice++;
      idByNumber.set(number, id);
      if (sha256(bodies[at] ?? new Uint8Array()) !== digests[number % digests.length]) comparison.damaged++;
    }
  }
  for (const [id, number] of ledger.acknowledged) if (idByNumber.get(number) !== id) comparison.missing++;
  return comparison;
}

/** Whether no acknowledged delivery is missing, and none is duplicated or damaged. */
const isConsistent = (ledger: Ledger, { missing, twice, damaged, strange }: Comparison): boolean =>
  missing + twice + damaged + strange + ledger.repeatedIds === 0;

/** @throws with the counts if an acknowledged delivery is missing, duplicated or damaged */
export async function ensureConsistent(
  api: Api,
  endpoint: Endpoint,
  ledger: Ledger,
  payloads: readonly Payload[],
): Promise<Comparison> {
  const comparison = await compareWithServer(api, endpoint, ledger, payloads);
  const counts = { ...ledger, ...comparison, acknowledged: ledger.acknowledged.size };
  ensure(isConsistent(ledger, comparison), JSON.stringify(counts));
  return comparison;
}

export function payloadOf(payloads: readonly Payload[], number: number): Payload {
  const payload = payloads[number % payloads.length];
  if (!payload) throw new Error('no payloads');
  return payload;
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
}
