/*
 * Concurrent senders that keep a ledger. Each delivery has a number as its sub-path and is sent once; a sender whose
 * connection breaks goes on with the next number on a new connection. The proof afterwards compares ledger and server.
 */
import type { Api, Endpoint } from './api.ts';
import type { Payload } from './payloads.ts';
import { type Connection, connect, deliveryRequest } from './wire.ts';

export type Ledger = {
  /** Event id -> number of the delivery it was the answer to. */
  acknowledged: Map<string, number>;
  sent: number;
  /** Answered, but not with 200. */
  refused: number;
  /** Not answered: whether such a delivery is stored is open. */
  unanswered: number;
  /** Ids that were given out twice. */
  repeatedIds: number;
};

export type Comparison = { stored: number; missing: number; twice: number; damaged: number; strange: number };

export type Senders = { ledger: Ledger; stop: () => Promise<Ledger> };

/** Starts `count` senders at an ingest address; they cycle through the payloads until stopped. */
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

/** Notes the answer to delivery `number`. */
export function recordAnswer(ledger: Ledger, number: number, answer: { status: number; body: string }): void {
  if (answer.status !== 200) {
    ledger.refused++;
    return;
  }
  const { id } = JSON.parse(answer.body) as { id: string };
  if (ledger.acknowledged.has(id)) ledger.repeatedIds++;
  ledger.acknowledged.set(id, number);
}

/** Reads every event of the endpoint back, body included, and holds it against the ledger. */
export async function compareWithServer(
  api: Api,
  endpoint: Endpoint,
  ledger: Ledger,
  payloads: readonly Payload[],
): Promise<Comparison> {
  const proof: Comparison = { stored: 0, missing: 0, twice: 0, damaged: 0, strange: 0 };
  const digests = payloads.map(({ body }) => sha256(body));
  const idByNumber = new Map<number, string>();
  for await (const { events } of api.events(endpoint.id)) {
    const bodies = await Promise.all(events.map(({ id }) => api.raw(id)));
    for (const [at, { id, path }] of events.entries()) {
      const number = Number(path.slice(1));
      proof.stored++;
      if (!/^\/\d+$/.test(path) || number >= ledger.sent) proof.strange++;
      if (idByNumber.has(number)) proof.twice++;
      idByNumber.set(number, id);
      if (sha256(bodies[at] ?? new Uint8Array()) !== digests[number % digests.length]) proof.damaged++;
    }
  }
  for (const [id, number] of ledger.acknowledged) if (idByNumber.get(number) !== id) proof.missing++;
  return proof;
}

export const isConsistent = (ledger: Ledger, { missing, twice, damaged, strange }: Comparison): boolean =>
  missing + twice + damaged + strange + ledger.repeatedIds === 0;

export function payloadOf(payloads: readonly Payload[], number: number): Payload {
  const payload = payloads[number % payloads.length];
  if (!payload) throw new Error('no payloads');
  return payload;
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
}
