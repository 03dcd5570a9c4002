/* Fills an endpoint by sending deliveries over many keep-alive connections. */
import type { Payload } from './payloads.ts';
import { payloadOf } from './senders.ts';
import { connect, deliveryRequest } from './wire.ts';

export type Seeded = {
  /** Body bytes of all deliveries. */
  bytes: number;
  seconds: number;
  /** Ids of events spread evenly over the set. */
  sample: string[];
};

/** Sends `count` deliveries, cycling through the payloads and retrying after a 503. @throws on any other refusal */
export async function seed(
  address: string,
  payloads: readonly Payload[],
  count: number,
  sampleSize = 0,
): Promise<Seeded> {
  const requests = payloads.map(payload => deliveryRequest(address, payload));
  const every = Math.max(1, Math.floor(count / Math.max(1, sampleSize)));
  const seeded: Seeded = { bytes: 0, seconds: 0, sample: [] };
  const startedAt = performance.now();
  let next = 0;

  const sender = async () => {
    const connection = await connect(address);
    while (next < count) {
      const number = next++;
      const request = requests[number % requests.length] ?? new Uint8Array();
      let answer = await connection.send(request);
      while (answer.status === 503) {
        await Bun.sleep(20);
        answer = await connection.send(request);
      }
      if (answer.status !== 200) throw new Error(`delivery refused: ${answer.status} ${answer.body}`);
      seeded.bytes += payloadOf(payloads, number).body.length;
      if (sampleSize > 0 && number % every === 0) seeded.sample.push((JSON.parse(answer.body) as { id: string }).id);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 128 }, sender));
  seeded.seconds = (performance.now() - startedAt) / 1000;
  return seeded;
}
