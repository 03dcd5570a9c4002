/* Explains a handler's refusal by the age of the captured signature, which is the usual reason: senders' libraries allow minutes. */
import type { CapturedEvent } from './model.ts';

const units: readonly [ms: number, name: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** `3 h`, rounded down. */
export function spanText(ms: number): string {
  const [size, name] = units.find(([unit]) => ms >= unit) ?? [1000, 's'];
  return `${Math.floor(ms / size)} ${name}`;
}

/** @returns undefined when the signature has no time, or is still young enough */
export async function explainOldSignature(event: CapturedEvent, now: number): Promise<string | undefined> {
  if (event.platform === null) return undefined;
  // The catalog of platforms is large, and only a failure needs it.
  const { explain, findPlatform } = await import('../../platforms/platforms.ts');
  const { timestamp, toleranceSeconds } = explain({
    delivery: {
      method: event.method ?? 'POST',
      path: event.path,
      query: event.query ?? null,
      rawHeaders: event.headers,
      body: event.body,
    },
    platform: event.platform,
    scheme: undefined,
    secret: null,
    shown: null,
    receivedAt: event.receivedAt,
    urls: [],
  });
  if (!timestamp || timestamp.at === null || toleranceSeconds === null) return undefined;
  const age = now - timestamp.at;
  if (age <= toleranceSeconds * 1000) return undefined;
  const title = findPlatform(event.platform)?.title ?? event.platform;
  return `signed ${spanText(age)} ago, ${title} allows ${spanText(toleranceSeconds * 1000)}: try --resign`;
}
