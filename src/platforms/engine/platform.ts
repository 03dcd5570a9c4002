/* A row of the catalog: everything that Hooktape knows about one platform. `../README.md` shows how to add one. */

import type { DeliveryReader } from './delivery-reader.ts';
import type { HandshakeAnswer, RawDelivery } from './model.ts';
import type { SignatureScheme } from './signature-scheme.ts';

export type Platform = {
  /** Lowercase, as the API shows it. */
  name: string;
  /** Other names under which a secret may be registered. */
  aliases?: readonly string[];
  /** The name in the platform's own spelling. */
  title: string;
  docsUrl: string;
  /** A delivery that matches one of the rules comes from this platform. */
  detect: readonly DetectionRule[];
  /** The places of the event type, tried in order: the first non-empty text counts. */
  eventType: readonly EventTypeSource[];
  /**
   * The places of the sender's delivery id, tried in order: the first with a text counts. It must be equal in every automatic
   * retry. Leave it out if the documentation names none: attempts are then recognised by their content.
   */
  deliveryId?: readonly DeliveryIdRule[];
  /** One or several paths of the action, if the event type alone says little, such as GitHub's `pull_request`. */
  action?: readonly string[];
  /**
   * The texts that a list shows of a delivery, at most four: amount, person, subject, number, branch, then the rest. An id is shown
   * only if it comes first. If left out, a few well-known fields are shown.
   */
  preview?: readonly PreviewText[];
  /** Any valid signature is enough. Empty = the platform does not sign. */
  signatures: readonly SignatureScheme[];
  /** Where a user enters the endpoint's URL; if left out, see `docsUrl`. */
  setup?: PlatformSetup;
  /** Which secret to register and where to find it; null if there is no secret. */
  secretHint: string | null;
  /** A verify token for the handshake may also be registered, although it signs nothing. */
  takesVerifyToken?: true;
  handshakes?: readonly Handshake[];
  notes?: string;
};

/** `where`: the path through the menus, or the call of the API. `url`: the page of the documentation that describes it. */
export type PlatformSetup = { where: string; url: string };

/** All conditions of a rule must match. A rule needs at least one condition on headers, query, User-Agent or body. */
export type DetectionRule = {
  /** At least one of these headers is present. */
  anyHeader?: readonly string[];
  /** All of these headers are present. */
  allHeaders?: readonly string[];
  /** All of these headers are missing. */
  absentHeaders?: readonly string[];
  /** These headers are present and match the patterns. */
  headerValues?: Readonly<Record<string, RegExp>>;
  methods?: readonly string[];
  /** These query parameters are present (names in lower case) and match the patterns. */
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
 * true: present and not null; a string: exactly this value; a list: one of these values; a RegExp: a string that matches.
 */
export type BodyShape = Readonly<Record<string, true | string | readonly string[] | RegExp>>;

export type EventTypeSource =
  | `header:${string}`
  | `query:${string}`
  | `json:${string}`
  | `form:${string}`
  /** A constant text. */
  | `text:${string}`
  | ValueReader;

export type ValueReader = {
  /** For `hooktape platforms`. */
  description: string;
  read: (reader: DeliveryReader) => unknown;
};

/** According to the documentation at `source`, the value identifies the delivery or the event in it. */
export type DeliveryIdRule =
  /** A header, or several that form the id together. Case does not matter: spell them as the documentation does. */
  | { header: string | readonly string[]; source: string }
  /** A path in the JSON, or the name of a form field; several of them form the id together. */
  | { body: string | readonly string[] | ValueReader; source: string };

/**
 * A path in the JSON or the name of a form field, or a template such as `{amount} {currency}`, which needs all its fields. Of a
 * list, the first that the delivery has counts. Values are shown as the platform sends them: an amount in cents stays in cents.
 */
export type PreviewText = string | readonly string[];

/** A request with which a platform checks the endpoint before it delivers, and the expected answer. */
export type Handshake = {
  /** The request and the answer, for `hooktape platforms`. */
  description: string;
  when: HandshakeTrigger;
  /** Other platforms send the same request. It counts as this platform's if a secret of this platform is registered. */
  shared?: true;
  /** The request contains the secret that the platform will sign with. */
  deliversSecret?: true;
  /** Null = the default answer. */
  answer: (request: HandshakeRequest) => HandshakeReply | null;
};

/** Must be a cheap condition, because it is checked on every delivery. Names in lower case. */
export type HandshakeTrigger =
  | { method: 'GET' | 'POST' | 'OPTIONS'; header: string; value?: RegExp }
  /** All of these query parameters are present. */
  | { method: 'GET' | 'POST'; query: readonly string[] }
  /** A body of at most 8 KiB contains this key in quotes. */
  | { method: 'POST'; jsonKey: string }
  /** Every POST that is detected as this platform. */
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
  /** The one of `secrets` that signed this request; null if none did. */
  signingSecret: () => string | null;
  /** Candidates of the public URL this was sent to, exact first. */
  urls: readonly string[];
};

/** `deliveredSecret`: for a handshake with `deliversSecret`. */
export type HandshakeReply = Omit<HandshakeAnswer, 'learnedSecret'> & { deliveredSecret?: string };
