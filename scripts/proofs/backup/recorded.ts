/*
 * What the senders of this proof know: when each delivery was acknowledged, under which id, and what was in it. A restored server
 * is compared with that, byte for byte.
 */
import { type Api, type Endpoint, ingestAddress } from '../../lib/api.ts';
import { ensure } from '../../lib/checks.ts';
import { createRandom, githubPayloads, orderPayloads, type Payload } from '../../lib/payloads.ts';
import { payloadOf } from '../../lib/senders.ts';
import { type Connection, connect, deliveryRequest } from '../../lib/wire.ts';

type Acknowledged = { id: string; number: number; at: number };

export type Recorded = ReturnType<typeof createRecorded>;

/** Orders, GitHub's examples, and bodies up to 300 KB that cannot be compressed. */
export const mixedPayloads = (): readonly Payload[] => {
  const random = createRandom(7);
  const noise = Array.from({ length: 12 }, (_, n) => {
    const body = new Uint8Array(n === 0 ? 0 : random(n % 4 === 0 ? 300_000 : 3000));
    for (let at = 0; at < body.length; at++) body[at] = random(256);
    return { event: 'noise', body };
  });
  return [...orderPayloads(200), ...githubPayloads(), ...noise].sort(() => random(3) - 1);
};

/** The deliveries of one endpoint over all lives of its server. */
export function createRecorded(payloads: readonly Payload[]) {
  const acknowledged: Acknowledged[] = [];
  const digests = payloads.map(({ body }) => new Bun.CryptoHasher('sha256').update(body).digest('hex'));
  let next = 0;
  let refused = 0;

  return {
    acknowledged,
    refused: () => refused,
    /** Sends until it is stopped. @param perSecond of each of the senders */
    send(server: { origin: string }, endpoint: Endpoint, { senders = 8, perSecond = 50 } = {}) {
      const address = ingestAddress(server, endpoint);
      let running = true;
      const sender = async (): Promise<void> => {
        let connection: Connection | undefined;
        while (running) {
          try {
            connection ??= await connect(address);
            const number = next++;
            const answer = await connection.send(deliveryRequest(`${address}/${number}`, payloadOf(payloads, number)));
            const at = performance.now();
            if (answer.status !== 200) refused++;
            else acknowledged.push({ id: (JSON.parse(answer.body) as { id: string }).id, number, at });
          } catch {
            connection?.close();
            connection = undefined;
          }
          await Bun.sleep(1000 / perSecond);
        }
        connection?.close();
      };
      const all = Array.from({ length: senders }, sender);
      return async (): Promise<void> => {
        running = false;
        await Promise.all(all);
      };
    },

    /**
     * Compares everything that the server has with what was sent. Deliveries acknowledged after `until` may be missing.
     * @param forget them, because no later server can have them
     */
    async compare(api: Api, { id: endpointId }: Endpoint, { until = Number.POSITIVE_INFINITY, forget = false } = {}) {
      const bodies = new Map<string, string>();
      const response = await api.get(`/api/endpoints/${endpointId}/export?format=ndjson`);
      for (const line of (await response.text()).split('\n')) {
        if (line === '') continue;
        const event = JSON.parse(line) as { id: string; path: string; payloadRaw: string; payloadEncoding: string };
        const body = Buffer.from(event.payloadRaw, event.payloadEncoding === 'base64' ? 'base64' : 'utf8');
        const digest = new Bun.CryptoHasher('sha256').update(body).digest('hex');
        ensure(!bodies.has(event.id), `${event.id} is stored twice`);
        ensure(digest === digests[Number(event.path.slice(1)) % digests.length], `${event.id} has another body`);
        bodies.set(event.id, event.path);
      }
      const missing = acknowledged.filter(({ id, number }) => bodies.get(id) !== `/${number}`);
      const early = missing.filter(({ at }) => at <= until);
      const latest = early.reduce((most, { at }) => Math.max(most, at), 0);
      ensure(
        early.length === 0,
        `${early.length} of ${acknowledged.length} are missing, the newest acknowledged ${Math.round(until - latest)} ms before the limit, ids ${early.slice(0, 3).map(({ id }) => id)}`,
      );
      const isMissing = new Set(forget ? missing : []);
      const kept = acknowledged.filter(one => !isMissing.has(one));
      acknowledged.splice(0, acknowledged.length, ...kept);
      return { stored: bodies.size, lost: missing.length };
    },
  };
}
