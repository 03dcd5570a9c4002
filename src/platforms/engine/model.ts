/*
 * The words of this room: what comes in (a raw delivery), what a table row description about a platform, what goes out.
 * Everything in `src/platforms/` is pure: no I/O, no clock; the same delivery always gives the same answer.
 */
import type { DeliveryReader } from './delivery-reader.ts';

/** What came off the wire, before the header rules are applied. Header values are latin1 strings, as node gives them. */
export type RawDelivery = {
  method: string;
  /** Raw, after the token: with its leading '/', or ''. */
  path: string;
  /** Raw, without '?'; null when there was no '?'. */
  query: string | null;
  rawHeaders: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
};

export type Detection = { platform: string | null; eventType: string | null };

/**
 * `platform` null = serves any platform. `unconfirmed`: it came with a handshake, which anybody can send, and no person has
 * confirmed it: it makes no verdict `valid` or `invalid` and answers no handshake.
 */
export type SigningSecret = { platform: string | null; secret: string; unconfirmed?: true };

export const isConfirmed = ({ unconfirmed }: SigningSecret): boolean => unconfirmed !== true;

export type Reason =
  | null
  | 'no_secret'
  | 'unconfirmed_secret'
  | 'wrong_secret_or_altered_body'
  | 'timestamp_out_of_tolerance'
  | 'malformed_header'
  | 'unsupported';

export type Verdict = {
  platform: string | null;
  scheme: string;
  verdict: 'valid' | 'invalid' | 'unchecked';
  reason: Reason;
  /** What a valid verdict shows: the whole payload is as sent, or only that the sender knows the secret. */
  proves: 'payload' | 'origin' | null;
};

export type HandshakeAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** A secret that this handshake delivers, to be registered. */
  learnedSecret?: { platform: string; secret: string };
};

/**
 * Conditions on a parsed JSON body or on form fields: path (dots, numbers index arrays) -> what must be there.
 * true = present and not null; a string = exactly this; a list = one of these; a RegExp = matches (a string value).
 */
export type BodyShape = Readonly<Record<string, true | string | readonly string[] | RegExp>>;

/** All the conditions that are given must hold. A rule needs at least one header, query, agent or body condition. */
export type DetectionRule = {
  /** One of these headers is there. */
  anyHeader?: readonly string[];
  /** All of these are. */
  allHeaders?: readonly string[];
  /** None of these is. */
  absentHeaders?: readonly string[];
  /** The header's value looks like this. */
  headerValues?: Readonly<Record<string, RegExp>>;
  /** One of these methods only. */
  methods?: readonly string[];
  /** These query parameters are there (names in any letter case) and look like this. */
  query?: Readonly<Record<string, true | RegExp>>;
  /** The User-Agent starts with this. */
  userAgent?: string;
  json?: BodyShape;
  /** The JSON object, or the form, has exactly this many keys. */
  keyCount?: number;
  form?: BodyShape;
  /** The body, as text, has this in its first 16 KiB. */
  bodyText?: RegExp;
  /** What no other condition can say. */
  when?: { description: string; test: (reader: DeliveryReader) => boolean };
  /** The lower, the earlier it is tried: 19-26 own headers, 27-45 shared header and shape, 45-80 body or agent, 84+ generic. */
  order: number;
};

/** Where the event type stands: tried in order, the first text that is not empty wins. */
export type EventTypeSource =
  | `header:${string}`
  | `query:${string}`
  | `json:${string}`
  | `form:${string}`
  /** A fixed text. */
  | `text:${string}`
  | { description: string; read: (reader: DeliveryReader) => unknown };

/** How the text of a secret becomes a key. `secrets.ts` reads each form and description in words what it looks like. */
export type KeyFormat =
  | 'text'
  | 'hex'
  | 'base64'
  | 'whsec'
  | 'whsec-or-text'
  | 'after-colon'
  | 'nfkd'
  | 'pair'
  | 'id-and-certificate'
  | 'ed25519'
  | 'public-key';

export type Hash = 'sha1' | 'sha256' | 'sha384' | 'sha512';
export type Encoding = 'hex' | 'base64' | 'base64url' | 'hex-or-base64';

export type SignedTimestamp = {
  from: `header:${string}` | `value:${string}` | `json:${string}` | `claim:${string}`;
  unit: 's' | 'ms' | 'rfc3339' | 'http-date' | 'auto';
  /** Allowed distance from the time of receipt, both sides; absent = the platform sets no window. */
  toleranceSeconds?: number;
};

export type SignatureScheme = {
  /** The routine that checks it: `hmac` is the general one, the others are for one family or platform. */
  kind: SchemeKind;
  /** What the verdict calls it. */
  label: string;
  /** Where the signature is; null = in the body. */
  header: string | null;
  /** Further headers that may hold it, with a prefix of their own when it differs. */
  alternativeHeaders?: readonly { header: string; prefix?: string }[];
  /** Further headers by pattern. */
  headerPattern?: RegExp;
  /** Literal text before the value. */
  prefix?: string;
  /** The value is a list of `name=value`: names of the signature (may repeat) and of the timestamp. */
  list?: { separator: ',' | ';'; signature: string; timestamp?: string };
  hash?: Hash;
  encoding?: Encoding;
  /** What is signed: `{body}`, `{url}`, `{<header>}`, `{<name in the list>}`; all other text is literal. */
  message?: string;
  /** The sender signs this variant of the body rather than its bytes. */
  bodyVariant?: 'json-text' | 'ascii-json' | 'float-weights';
  /** Names of the id and timestamp headers of a Standard Webhooks delivery share this prefix. */
  family?: 'webhook' | 'svix';
  /** Which construction, where a routine knows several. */
  version?: string;
  keyFormat: KeyFormat;
  time?: SignedTimestamp;
  proves: 'payload' | 'origin';
  note?: string;
};

export type SchemeKind =
  | 'hmac'
  | 'standard-webhooks'
  | 'token'
  | 'public-key'
  | 'body-hmac'
  | 'websub'
  | 'recurly'
  | 'hook0'
  | 'twilio'
  | 'mandrill'
  | 'hubspot-v3'
  | 'hubspot-hash'
  | 'contentful'
  | 'adyen-items'
  | 'braintree'
  | 'mailgun'
  | 'dropbox-sign'
  | 'mercadopago'
  | 'client-state'
  | 'jwt'
  | 'jwt-body-hash'
  | 'jwt-body'
  | 'aws-sns'
  | 'paypal'
  | 'travis'
  | 'paddle-classic'
  | 'ebay';

export type Platform = {
  /** Lowercase, as the API shows it. */
  name: string;
  /** Other names under which a secret may be registered. */
  aliases?: readonly string[];
  title: string;
  docsUrl: string;
  detect: readonly DetectionRule[];
  eventType: readonly EventTypeSource[];
  /** Any valid one wins; empty = the platform does not sign. */
  signatures: readonly SignatureScheme[];
  /** Which secret to paste and where to find it; null when there is none. */
  secretHint: string | null;
  /** A verify token for the handshake may be registered too, although no signature is checked with it. */
  takesVerifyToken?: true;
  /** In words: the registration check that is answered, and what it needs. */
  handshake?: string;
  notes?: string;
};
