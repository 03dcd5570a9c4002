/* Prepares a request: edited, then signed over the bytes that are sent, with a secret that stays on this machine. */
import { redacted } from '../../core/headers.ts';
import type { EditedRequest } from '../../core/replay/replay-edit.ts';
import { sentHeaders } from '../../core/replay/replay-headers.ts';
import { credentialsIn, type HiddenText } from '../../core/secrets/hidden-text.ts';
import { type Arguments, type Io, OperationError, UsageError } from '../io.ts';
import { variable } from '../parse-arguments.ts';
import type { PreparedRequest } from './deliver.ts';

export type Signing = {
  secret: string;
  /** The name of the environment variable with the secret. */
  variable: string;
  isTampered: boolean;
  hasNewId: boolean;
};

/** @throws UsageError if the secret's variable is missing or empty */
export function readSigning(io: Io, given: Arguments): Signing | undefined {
  const [isTampered, hasNewId] = [given.flag('tamper'), given.flag('new-id')];
  const name = given.option('secret-env');
  const wantsSignature = given.flag('resign') || isTampered;
  if (hasNewId && !wantsSignature) throw new UsageError('--new-id needs --resign, because the id is signed');
  if (!wantsSignature) {
    if (name !== undefined) throw new UsageError('--secret-env needs --resign or --tamper');
    return undefined;
  }
  if (name === undefined)
    throw new UsageError('signing needs --secret-env N, the name of the environment variable with the signing secret');
  const secret = variable(io, name);
  if (secret === undefined) throw new UsageError(`--secret-env: the environment variable ${name} is not set`);
  return { secret, variable: name, isTampered, hasNewId };
}

/** Texts that must not reach the server if the target echoes them. */
export const hiddenTexts = (
  signing: Signing | undefined,
  headers: readonly (readonly [name: string, value: string | null])[],
): HiddenText[] => [
  ...(signing ? [{ text: signing.secret.trim(), shownAs: redacted }] : []),
  ...credentialsIn(headers),
];

/** @throws CannotSignError if the event should be signed but its platform's signature cannot be made */
export async function prepareRequest(options: {
  io: Pick<Io, 'clock'>;
  event: { id: string; method: string | null; platform: string | null };
  request: EditedRequest;
  isEdited: boolean;
  url: string;
  signing: Signing | undefined;
}): Promise<PreparedRequest> {
  const { io, event, request, isEdited, url, signing } = options;
  const method = event.method ?? 'POST';
  const headersOf = ({ headers }: Pick<EditedRequest, 'headers'>) =>
    sentHeaders(headers, { eventId: event.id, isEdited });
  if (!signing) return { method, url, ...request, headers: headersOf(request) };
  // Loaded only for signing, because the catalog of platforms is large.
  const { sign } = await import('../../platforms/platforms.ts');
  const signed = sign({
    platform: event.platform,
    secret: signing.secret,
    method,
    url,
    headers: request.headers,
    body: request.body,
    at: io.clock.now(),
    newId: signing.hasNewId,
    tamper: signing.isTampered,
  });
  if ('cannotSign' in signed) throw new CannotSignError(signed.cannotSign);
  return { method, url: signed.url, body: signed.body, headers: headersOf(signed) };
}

/** The sender signs with a private key, or not at all. */
export class CannotSignError extends OperationError {}
