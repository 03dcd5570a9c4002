/* What the program needs of an object store. Names are relative to a prefix. Each method sends one request, `list` one a page. */
import { ExpectedError } from '../errors.ts';

export type StoreFailure =
  | 'missing'
  /** The condition of a write was not met: the object exists, or has changed. */
  | 'condition'
  /** The credentials are wrong or do not allow it, or the bucket does not exist: the operator has to change something. */
  | 'denied'
  | 'full'
  /** The store asks for fewer requests. */
  | 'busy'
  /** The store cannot be reached, is silent, has an error of its own, or its response makes no sense. */
  | 'unavailable'
  /** The store does not know this kind of request. */
  | 'unsupported'
  | 'refused';

/** A failed request. Its message names the request and the reason, and contains no credentials. */
export class ObjectStoreError extends ExpectedError {
  override name = 'ObjectStoreError';
  declare readonly failure: StoreFailure;
  /** HTTP status; undefined without a response. */
  declare readonly status: number | undefined;
  /** The store's own code, such as `NoSuchBucket`. */
  declare readonly code: string | undefined;
  declare readonly retryAfterMs: number | undefined;

  constructor(message: string, details: Pick<ObjectStoreError, 'failure'> & Partial<ObjectStoreDetails>) {
    super(message);
    Object.assign(this, details);
  }
}

type ObjectStoreDetails = Pick<ObjectStoreError, 'status' | 'code' | 'retryAfterMs'>;

/** Whether the same request may succeed later without anybody's help. */
export const mayPass = (error: unknown): error is ObjectStoreError =>
  error instanceof ObjectStoreError && ['full', 'busy', 'unavailable'].includes(error.failure);

export const isStoreFailure = (error: unknown, failure: StoreFailure): error is ObjectStoreError =>
  error instanceof ObjectStoreError && error.failure === failure;

/** `'absent'`: only if there is no such object. `{ etag }`: only if the object is still this one. */
export type WriteCondition = 'absent' | { readonly etag: string };

type Options = { readonly signal?: AbortSignal | undefined };

export type StoredObject = { readonly bytes: Buffer /** With its quotes. */; readonly etag: string | undefined };
export type ListedObject = {
  readonly name: string;
  readonly size: number;
  readonly etag: string | undefined;
  /** Epoch ms by the store's clock. */
  readonly modifiedAt: number;
};

/** All methods throw `ObjectStoreError`, and the signal's reason when it is aborted. Every request has a time limit. */
export type ObjectStore = {
  /** For messages: `s3://bucket/prefix`. */
  readonly location: string;
  /** After a failure other than `condition`, `denied` and `refused` it may have been written. @returns its ETag, with quotes */
  put: (
    name: string,
    bytes: Uint8Array,
    options?: Options & { readonly when?: WriteCondition | undefined },
  ) => Promise<string | undefined>;
  /** @throws `missing`; `unavailable` if the store returns more or other bytes than asked for */
  get: (
    name: string,
    options: Options & ({ readonly maxBytes: number } | { readonly range: readonly [from: number, length: number] }),
  ) => Promise<StoredObject>;
  /** @returns undefined if there is no such object */
  head: (name: string, options?: Options) => Promise<{ size: number; etag: string | undefined } | undefined>;
  /** In the order of their names. */
  list: (options?: Options & { readonly under?: string; readonly startAfter?: string }) => AsyncGenerator<ListedObject>;
  /** It does not matter whether there is such an object. */
  remove: (name: string, options?: Options) => Promise<void>;
  /** In one request for 1,000 names, or one by one if the store does not know such a request. */
  removeAll: (names: readonly string[], options?: Options) => Promise<void>;
  /** Whether the bucket keeps old versions of objects; undefined if the store does not say. */
  keepsVersions: (options?: Options) => Promise<boolean | undefined>;
};
