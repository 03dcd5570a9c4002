/*
 * The deliveries of the power-cut check. The number of a delivery determines what is sent and what must be stored. They vary in size,
 * have header fields to which the header rules apply, and some are handshakes.
 */

export type HeaderPair = [name: string, value: string];
export type NumberedDelivery = { request: Buffer; headers: HeaderPair[]; body: Buffer };

/** A power of ten for each size class; most deliveries are small. */
const sizes = [0, 300, 900, 900, 1600, 1600, 1600, 5000, 9000, 20_000];
const [largeEvery, hugeEvery, handshakeEvery, secretEvery] = [97, 499, 23, 211];
/** One delivery is larger than a journal segment. */
const [oversized, oversizedBytes] = [150, 9_000_000];

/** The effect of the header rules on these fields, written independently of the program. */
const dropped = /^(?:cf-|x-forwarded-|x-real-ip$|true-client-ip$)/i;
const redacted = /^(?:authorization|cookie|proxy-authorization)$/i;

/** @param path the path of the ingest URL */
export function numberedDelivery(number: number, { host, path }: { host: string; path: string }): NumberedDelivery {
  const body = bodyOf(number);
  const sent: HeaderPair[] = [
    ['Host', host],
    ['content-type', number % 3 === 0 ? 'application/octet-stream' : 'application/json'],
    ['Content-Length', String(body.length)],
    ['X-Number', String(number)],
    ['x-Repeated', 'one'],
    ['X-REPEATED', `two \xe9 ${number % 7}`],
    ...(number % 5 === 0 ? ([['Authorization', `Bearer secret-${number}`]] as HeaderPair[]) : []),
    ...(number % 7 === 0 ? ([['Cookie', 'session=secret']] as HeaderPair[]) : []),
    ...(number % 4 === 0 ? ([['CF-Ray', `ray-${number}`]] as HeaderPair[]) : []),
    ...(number % secretEvery === 1 ? ([['X-Hook-Secret', `hook-secret-${number}`]] as HeaderPair[]) : []),
  ];
  const head = [`POST ${path}/${number} HTTP/1.1`, ...sent.map(([name, value]) => `${name}: ${value}`)];
  const headers = sent
    .filter(([name]) => !dropped.test(name))
    .map(([name, value]): HeaderPair => [name, redacted.test(name) ? '[redacted]' : value]);
  return { request: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]), headers, body };
}

/** Whether the response has no event id. */
export const isHandshake = (number: number): boolean =>
  number % secretEvery === 1 || (number % handshakeEvery === 2 && number % 3 !== 0);

function bodyOf(number: number): Buffer {
  if (number % secretEvery === 1) return Buffer.from('{}');
  if (isHandshake(number))
    return Buffer.from(JSON.stringify({ type: 'url_verification', token: 'x', challenge: `challenge-${number}` }));
  if (number % hugeEvery === 77) return noise(number, 1_500_000);
  if (number % largeEvery === 33) return noise(number, 150_000);
  const size = number === oversized ? oversizedBytes : (sizes[(number * 7919) % sizes.length] ?? 0);
  if (number % 3 === 0 && number !== oversized) return noise(number, size);
  const items = Array.from({ length: Math.ceil(size / 60) }, (_, i) => ({ id: `${number}-${i}`, text: 'a few words' }));
  return Buffer.from(JSON.stringify({ number, items }));
}

/** Incompressible bytes (mulberry32). */
function noise(seed: number, size: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil(size / 4) * 4);
  let state = seed;
  for (let at = 0; at < bytes.length; at += 4) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    bytes.writeInt32LE(mixed ^ (mixed >>> 14), at);
  }
  return bytes.subarray(0, size);
}
