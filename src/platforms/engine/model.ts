/* The inputs and outputs of the engine, which is pure: no I/O, no clock; equal input always gives equal output. */

/** A delivery as received, before the header rules are applied. Header values are latin1 strings, as node gives them. */
export type RawDelivery = {
  method: string;
  /** The raw path after the endpoint's token: with its leading '/', or ''. */
  path: string;
  /** Raw, without '?'; null if there was no '?'. */
  query: string | null;
  rawHeaders: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
};

export type Detection = { platform: string | null; eventType: string | null };

/**
 * The sender's own id of a delivery, equal in all its attempts, and at best unique for its platform. It is not empty, can have
 * any length, and is untrusted like all content. `basis`: where it was found.
 */
export type DeliveryId = { id: string; basis: 'header' | 'body' };

/** A detection with the delivery's id; undefined if it has no id, or its platform documents none. */
export type IdentifiedDetection = Detection & { deliveryId: DeliveryId | undefined };

/**
 * `platform` null = may be used for any platform. `unconfirmed`: it arrived in a handshake, which anyone can send, and no user
 * has confirmed it; it never makes a verdict `valid` or `invalid`, and answers no handshake. `test`: it was created to sign
 * samples; it never makes the verdict of another delivery `invalid`, does not help to detect platforms, and answers no
 * handshake.
 */
export type SigningSecret = { platform: string | null; secret: string; unconfirmed?: true; test?: true };

/** Whether a user registered or confirmed it. */
export const isConfirmed = ({ unconfirmed, test }: SigningSecret): boolean => unconfirmed !== true && test !== true;

/** `redacted`: rules took something out of the event before it was imported. */
export type Reason =
  | null
  | 'no_secret'
  | 'unconfirmed_secret'
  | 'wrong_secret_or_altered_body'
  | 'timestamp_out_of_tolerance'
  | 'malformed_header'
  | 'unsupported'
  | 'redacted';

export type Verdict = {
  platform: string | null;
  scheme: string;
  verdict: 'valid' | 'invalid' | 'unchecked';
  reason: Reason;
  /** The meaning of a valid verdict: the payload is unchanged, or only that the sender knows the secret. */
  proves: 'payload' | 'origin' | null;
};

export type HandshakeAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** A signing secret that the handshake delivered, and that should be registered. */
  learnedSecret?: { platform: string; secret: string };
};
