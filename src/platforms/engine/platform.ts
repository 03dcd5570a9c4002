/* A row of the catalog: everything there is to know about one platform. `../README.md` shows how to add one. */

import type { DeliveryReader } from './delivery-reader.ts';
import type { HandshakeAnswer, RawDelivery } from './model.ts';
import type { SignatureScheme } from './signature-scheme.ts';

export type Platform = {
  /** Lowercase, as the API shows it. */
  name: string;
  /** Other names under which a secret may be registered. */
  aliases?: readonly string[];
  /** As the platform writes its name. */
  title: string;
  docsUrl: string;
  /** A delivery that matches one of the rules comes from this platform. */
  detect: readonly DetectionRule[];
  /** Where the event type is: tried in order, the first non-empty text wins. */
  eventType: readonly EventTypeSource[];
  /**
   * Where the sender's id of the delivery is: tried in order, the first with a text wins. It must be the same in every automatic retry.
   * Left out when the documentation names none: attempts are then recognised by their content.
   */
  deliveryId?: readonly DeliveryIdRule[];
  /** What happened, where the event type alone says little, such as GitHub's `opened` for `pull_request`: a path or one of several. */
  action?: readonly string[];
  /** What a list shows of a delivery, the most telling first; four of them at most. Left out = a few well-known fields. */
  preview?: readonly PreviewText[];
  /** Any valid signature is enough. Empty = the platform does not sign. */
  signatures: readonly SignatureScheme[];
  /** Where a person enters the endpoint's URL; left out = see `docsUrl`. */
  setup?: PlatformSetup;
  /** Which secret to register and where to find it; null when there is none. */
  secretHint: string | null;
  /** A verify token for the handshake may be registered too, although it signs nothing. */
  takesVerifyToken?: true;
  handshakes?: readonly Handshake[];
  notes?: string;
};

/** `where`: the way through the menus, or the call of the API. `url`: the page of the documentation that says so. */
export type PlatformSetup = { where: string; url: string };

/** All given conditions must hold. A rule needs at least one condition on headers, query, User-Agent or body. */
export type DetectionRule = {
  /** At least one of these headers is present. */
  anyHeader?: readonly string[];
  /** All of these headers are present. */
  allHeaders?: readonly string[];
  /** None of these headers is present. */
  absentHeaders?: readonly string[];
  /** These headers are present and match. */
  headerValues?: Readonly<Record<string, RegExp>>;
  methods?: readonly string[];
  /** These query parameters are present (names in lower case) and match. */
  query?: Readonly<Record<string, true | RegExp>>;
  /** The User-Agent starts with this. */
  userAgent?: string;
  json?: BodyShape;
  form?: BodyShape;
  /** The JSON object, or the form, has exactly this many keys. */
  keyCount?: number;
  /** The first 16 KiB of the body, as text, match. */
  bodyText?: RegExp;
  /** A condition that the others cannot express. */
  when?: { description: string; test: (reader: DeliveryReader) => boolean };
  /** Lower is tried first. 19-26: headers of one platform only, 27-45: shared header and shape, 45-80: body or User-Agent, 84+: generic. */
  order: number;
};

/**
 * Conditions on a JSON body or on form fields, by path (dots; numbers index lists).
 * true = present and not null; a string = exactly this; a list = one of these; a RegExp = a string that matches.
 */
export type BodyShape = Readonly<Record<string, true | string | readonly string[] | RegExp>>;

export type EventTypeSource =
  | `header:${string}`
  | `query:${string}`
  | `json:${string}`
  | `form:${string}`
  /** This text, always. */
  | `text:${string}`
  | EventTypeReader;

export type EventTypeReader = {
  /** For docs/platforms.md. */
  description: string;
  read: (reader: DeliveryReader) => unknown;
};

/** The documentation at `source` says that the value identifies the delivery, or the event in it. */
export type DeliveryIdRule =
  /** A header; all of several headers, together. Names as the documentation spells them: case does not matter. */
  | { header: string | readonly string[]; source: string }
  /** A path in the JSON, or the name of a form field; all of several, together. */
  | { body: string | readonly string[] | DeliveryIdReader; source: string };

/**
 * A path in the JSON or the name of a form field, or a template such as `{amount} {currency}`, which needs all its fields. Of a list,
 * the first that the delivery has. Shown as the platform sends it: an amount in cents stays one.
 */
export type PreviewText = string | readonly string[];

export type DeliveryIdReader = {
  /** For docs/platforms.md. */
  description: string;
  read: (reader: DeliveryReader) => unknown;
};

/** A request with which a platform checks the endpoint before it delivers, and the answer that it expects. */
export type Handshake = {
  /** The request and the answer, for docs/platforms.md. */
  description: string;
  when: HandshakeTrigger;
  /** Other platforms send the same request. It is taken for this platform's when a secret of this platform is registered. */
  shared?: true;
  /** The request contains the secret that the platform will sign with. */
  deliversSecret?: true;
  /** Null = Hooktape's normal answer. */
  answer: (request: HandshakeRequest) => HandshakeReply | null;
};

/** A cheap condition, because it is checked on every delivery. Names in lower case. */
export type HandshakeTrigger =
  | { method: 'GET' | 'POST' | 'OPTIONS'; header: string; value?: RegExp }
  /** All of these query parameters are present. */
  | { method: 'GET' | 'POST'; query: readonly string[] }
  /** A body of at most 8 KiB contains this key in quotes. */
  | { method: 'POST'; jsonKey: string }
  /** Every POST that was detected as this platform. */
  | { method: 'POST'; detected: true };

export type HandshakeRequest = {
  delivery: RawDelivery;
  reader: DeliveryReader;
  /** The parsed JSON of a body of at most 8 KiB. */
  json: () => unknown;
  /** A non-empty query parameter. */
  query: (name: string) => string | undefined;
  /** Confirmed secrets registered for this platform, oldest first. Secrets without a platform never answer a handshake. */
  secrets: readonly string[];
  /** The one of `secrets` with which this request is signed; null when there is none. */
  signingSecret: () => string | null;
  /** Candidates of the public URL this was sent to, exact first. */
  urls: readonly string[];
};

/** `deliveredSecret`: for a handshake with `deliversSecret`. */
export type HandshakeReply = Omit<HandshakeAnswer, 'learnedSecret'> & { deliveredSecret?: string };
