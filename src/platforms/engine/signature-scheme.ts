/* How a platform signs its deliveries, and what verifiers and signers of a scheme are given and return. A signer is the counterpart of a verifier. */
import type { HeaderPair } from '../../core/headers.ts';
import type { DeliveryReader } from './delivery-reader.ts';

/** How the text of a secret becomes a key. `secrets.ts` decodes each format and describes it. */
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

/** Made by the functions in `schemes.ts`; a scheme of one platform only has its verifier in the platform's file. */
export type SignatureScheme = {
  /** Shown as the `scheme` of a verdict. */
  label: string;
  verify: Verifier;
  /** Left out = only the platform can sign: with a private key. */
  sign?: Signer | undefined;
  /** The header with the signature; null = the signature is in the body. */
  header: string | null;
  /** Further headers that may hold the signature, with a prefix of their own when it differs. */
  alternativeHeaders?: readonly { header: string; prefix?: string }[];
  /** Further headers, by pattern. */
  headerPattern?: RegExp;
  /** Whether the delivery carries this signature, where a non-empty header does not decide it. */
  isPresent?: (reader: DeliveryReader, scheme: SignatureScheme) => boolean;
  /** Literal text before the value. */
  prefix?: string;
  /** The value is a list of `name=value`: the names of the signature (may repeat) and of the timestamp. */
  list?: { separator: ',' | ';'; signature: string; timestamp?: string };
  hash?: Hash;
  encoding?: Encoding;
  /** What is signed: `{body}`, `{url}`, `{<header>}`, `{<name in the list>}`; all other text is literal. */
  message?: string;
  /** Other byte sequences that the sender may have signed in place of the raw body. */
  bodyVariants?: (reader: DeliveryReader) => Iterable<Uint8Array>;
  /** The sender signs the first of the `bodyVariants` that a delivery has, not the raw body. */
  signsVariant?: true;
  keyFormat: KeyFormat;
  timestamp?: SignedTimestamp;
  proves: 'payload' | 'origin';
  note?: string;
};

/** One secret tried against one signature. `receivedAt` is epoch ms; `urls` are candidates of the URL it was sent to. */
export type SignatureCheck = {
  scheme: SignatureScheme;
  reader: DeliveryReader;
  secret: string;
  receivedAt: number;
  urls: readonly string[];
  /** Called with each comparison, so that a verdict can be explained. It does not change the verdict. */
  observe?: (comparison: Comparison) => void;
};

/** A text part is raw bytes (latin1). */
export type MessagePart = string | Uint8Array;

/** `message`: what was signed; null for a fixed value, which signs nothing. `expected`: null with a public key, which computes nothing. */
export type Comparison = {
  message: readonly MessagePart[] | null;
  received: readonly Uint8Array[];
  expected: Uint8Array | null;
};

/** `stale`: the signature is right, but its timestamp is outside the window. `unsupported`: it cannot be checked. */
export type Outcome = 'valid' | 'stale' | 'mismatch' | 'malformed' | 'unsupported';

export type Verifier = (check: SignatureCheck) => Outcome;

/** A request to sign by one scheme. Timestamps in headers and in the body are set before. */
export type SigningTask = {
  scheme: SignatureScheme;
  /** In the scheme's key format. */
  secret: string;
  method: string;
  /** As it goes over the wire. */
  url: string;
  /** Over the request as it will be sent. */
  reader: DeliveryReader;
  /** Over the request as it came, with its old signature. */
  original: DeliveryReader;
  /** Epoch ms. */
  at: number;
  isNewId: boolean;
  /** A random id in the form of another one; the same for one request. */
  newId: (like: string | undefined) => string;
  /** To be applied to each digest: breaks it when the signature is to be wrong. */
  seal: (digest: Buffer) => Sealed;
  /** The same for fixed values. */
  sealText: (text: string) => string;
};

/** A digest that can only be written. */
export type Sealed = { toString: (encoding: 'hex' | 'base64' | 'base64url') => string };

export type SignedParts = { headers?: readonly HeaderPair[]; body?: Uint8Array; url?: string };
export type CannotSign = { cannotSign: string };

export type Signer = (task: SigningTask) => SignedParts | CannotSign;
