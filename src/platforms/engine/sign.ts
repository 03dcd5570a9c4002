/*
 * What goes into a signature and what comes out. `sign` of `platforms.ts` signs by the row that verifies; a scheme of one platform
 * only has its signer in the platform's file, beside its verifier.
 */
import type { HeaderPair } from '../../core/headers.ts';

/** A request to sign, as it is to be sent. */
export type SignRequest = {
  /** The event's platform; null or an unknown one = by the signature headers that it has. */
  platform: string | null;
  /** The label of a scheme, for platforms with several; left out = those that the request has, else the platform's first. */
  scheme?: string | undefined;
  /** As registered. It is not part of the result, except where the scheme sends it: tokens. */
  secret: string;
  method: string;
  /** Where it will be sent. Schemes that cover the URL sign it as it goes over the wire, with path and query. */
  url: string;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  /** Epoch ms, for the timestamps of the scheme. */
  at: number;
  /** A new delivery id, where the platform has a header for it. */
  newId?: boolean | undefined;
  /** Breaks the signature, so that it is well-formed and wrong. */
  tamper?: boolean | undefined;
};

/** `url`: where to send it; another than in the request only where the sender puts the hash of the body into the query. */
export type SignedRequest = { headers: HeaderPair[]; body: Uint8Array; url: string };

/** `cannotSign` begins with `cannot_sign:` and says why. */
export type SignResult = SignedRequest | { cannotSign: string };

export type Sign = (request: SignRequest) => SignResult;
