/* Explains a handler's refusal by the captured signature: the body was edited, or it is too old for most libraries. */
import type { HeaderPair } from '../../core/headers.ts';

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

/** A captured event. */
type SignedEvent = {
  platform: string | null;
  method: string | null;
  path: string;
  query?: string | null | undefined;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  /** Epoch ms. */
  receivedAt: number;
};

/** @param isBodyEdited if the handler got another body @returns undefined if the signature cannot be the reason */
export async function explainRefusal(
  event: SignedEvent,
  { status, isBodyEdited, now }: { status: number; isBodyEdited: boolean; now: number },
): Promise<string | undefined> {
  // Loaded only after a failure, because the catalog of platforms is large.
  const { explain, findPlatform } = await import('../../platforms/platforms.ts');
  const platform = event.platform === null ? undefined : findPlatform(event.platform);
  const { scheme, signed, timestamp, toleranceSeconds } = explain({
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
  const known = platform?.signatures.find(({ label }) => label === scheme);
  const coversBody = known ? known.proves === 'payload' : signed !== null;
  if (isBodyEdited && coversBody && status >= 400 && status <= 499) {
    const canSign = known === undefined || known.sign !== undefined;
    return `the signature no longer fits: ${canSign ? 'try --resign --secret-env N' : 'only the sender can sign an edited event'}`;
  }
  if (!platform || !timestamp || timestamp.at === null || toleranceSeconds === null) return undefined;
  const age = now - timestamp.at;
  if (age <= toleranceSeconds * 1000) return undefined;
  return `signed ${spanText(age)} ago, ${platform.title} allows ${spanText(toleranceSeconds * 1000)}: try --resign`;
}
