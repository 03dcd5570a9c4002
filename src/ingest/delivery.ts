/* A delivery before it is stored. */
import type { Refusal } from '../core/answers/model.ts';
import type { EndpointPolicy } from '../core/answers/rules.ts';
import type { SigningSecret } from '../platforms/engine/model.ts';

/** A delivery as received: path and query are not decoded. */
export type Delivery = {
  method: string;
  path: string;
  query: string | null;
  /** Header fields as on the wire, each line with its CRLF (core/headers). */
  fields: Uint8Array;
  body: Uint8Array;
  sourceIp: string;
  receivedAt: number;
  /** Stored instead of `query` and `fields` if these contain the token of a guard. */
  stored?: { query: string | null; fields: Uint8Array };
};

/** The data about the endpoint that recognition needs. */
export type Destination = {
  seq: number;
  /** The public address, for signatures that cover it. */
  url: string;
  secrets: readonly SigningSecret[];
  /** The token of the URL to which it was sent, if that is not the endpoint's current token. */
  sentTo?: string;
  /** Only for endpoints with rules, a guard or redaction. */
  policy?: EndpointPolicy;
};

/** Whether a rule may choose the answer, or the guard may have refused the delivery. */
export const hasAnswers = ({ policy }: Destination): boolean =>
  policy?.rules !== undefined || policy?.guard !== undefined;

/** `refused`: the guard refused it, so neither a rule nor a handshake answers it. */
export type PendingDelivery = { destination: Destination; delivery: Delivery; refused?: Refusal };
