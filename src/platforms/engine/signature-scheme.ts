/* How a platform signs its deliveries, and the inputs and results of verifiers and signers. */
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
  /** The allowed distance from the time of receipt, in both directions; if missing, the platform sets no limit. */
  toleranceSeconds?: number;
};

/** Created by the functions in `schemes.ts`. The verifier of a single platform's scheme is in the platform's file. */
export type SignatureScheme = {
  /** Shown as the `scheme` of a verdict. */
  label: string;
  verify: Verifier;
  /** Missing if only the platform can sign, with a private key. */
  sign?: Signer | undefined;
  /** The header with the signature; null = the signature is in the body. */
  header: string | null;
  /** Further headers that may contain the signature, with their own prefix if it differs. */
  alternativeHeaders?: readonly { header: string; prefix?: string }[];
  /** Further headers, by pattern. */
  headerPattern?: RegExp;
  /** Whether the delivery has this signature, for schemes where a non-empty header does not decide it. */
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
  /** The sender signs the first available `bodyVariants` of a delivery, not the raw body. */
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
  /** Called with each comparison, in order to explain a verdict. It does not change the verdict. */
  observe?: (comparison: Comparison) => void;
};

/** A text part is raw bytes (latin1). */
export type MessagePart = string | Uint8Array;

/** `message`: null for a fixed value, which signs nothing. `expected`: null with a public key. */
export type Comparison = {
  message: readonly MessagePart[] | null;
  received: readonly Uint8Array[];
  expected: Uint8Array | null;
};

/** `stale`: the signature is correct, but its timestamp is outside the tolerance. `unsupported`: it cannot be checked. */
export type Outcome = 'valid' | 'stale' | 'mismatch' | 'malformed' | 'unsupported';

export type Verifier = (check: SignatureCheck) => Outcome;

/** A request to sign with one scheme. Timestamps in headers and in the body are already set. */
export type SigningTask = {
  scheme: SignatureScheme;
  /** In the scheme's key format. */
  secret: string;
  method: string;
  /** The URL as sent. */
  url: string;
  /** Reads the request as it will be sent. */
  reader: DeliveryReader;
  /** Reads the original request, with its old signature. */
  original: DeliveryReader;
  /** Epoch ms. */
  at: number;
  isNewId: boolean;
  /** A random id in the form of `like`; equal for all calls of one request. */
  newId: (like: string | undefined) => string;
  /** Apply it to each digest. It corrupts the digest if the signature should be invalid. */
  seal: (digest: Buffer) => Sealed;
  /** Like `seal`, for fixed values. */
  sealText: (text: string) => string;
};

/** A digest that can only be encoded. */
export type Sealed = { toString: (encoding: 'hex' | 'base64' | 'base64url') => string };

export type SignedParts = { headers?: readonly HeaderPair[]; body?: Uint8Array; url?: string };
/** `reason`: the text of `cannotSign` without the code. */
export type CannotSign = { cannotSign: string; reason: string };

export type Signer = (task: SigningTask) => SignedParts | CannotSign;
