/* What reading events takes and returns: stored events, their verdicts, and searches. */
import type { Reader } from '../../core/concurrency/content-reads.ts';
import type { OwnRetention } from '../../core/events/retention.ts';
import type { HeaderPair } from '../../core/headers.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { Signature } from './model.ts';
import type { DetailRow } from './store.ts';

/** A verdict on a signature. */
export type VerifiedSignature = Omit<Signature, 'checked'>;

/** A stored event in full: the bytes as received, after the header rules. */
export type StoredEvent = {
  row: Omit<DetailRow, 'content'>;
  endpointId: string;
  token: string;
  /** Events of the endpoint received before this time are visible only if they are pinned. */
  since: number;
  headers: HeaderPair[];
  body: Uint8Array;
};

export type VerifiableEvent = Pick<DetailRow, 'method' | 'path' | 'query' | 'platform' | 'receivedAt' | 'verdict'> & {
  headers: readonly HeaderPair[];
  body: Uint8Array;
};

/** Signature verdicts, computed when an event is read. */
export type Verdicts = {
  /** Whether the endpoint has a secret to verify with. */
  canVerify: (endpoint: number) => Promise<boolean>;
  /** The verdict that was stored at capture, null if it was that there is no signature; undefined if none was stored. */
  storedVerdict: (verdict: string | null) => VerifiedSignature | null | undefined;
  /** Whether the verdict was stored at capture. */
  isFinal: (verdict: string | null) => boolean;
  verify: (endpoint: IngestAddress, events: readonly VerifiableEvent[]) => Promise<(VerifiedSignature | null)[]>;
};

/** What decides which events of an endpoint are read. */
export type ReadableEndpoint = IngestAddress & OwnRetention;

/** What the list needs of search. */
export type Search = {
  /** @throws invalid when the term is too long */
  checkTerm: (q: string) => void;
  /**
   * The next positions of the list whose events contain `q` and match `where`, newest first. `next`: what is listed after it has not
   * been searched, because the budget of one request was spent.
   */
  find: (search: {
    endpoint: number;
    q: string;
    where?: { filter: Filter; endpoint: IngestAddress } | undefined;
    since: number;
    after: Position | undefined;
    limit: number;
    reader: Reader;
  }) => Promise<{ found: Position[]; next: Position | undefined }>;
  /** The events among these that contain `q` and match `where`. */
  matching: (
    search: { endpoint: number; q: string; where: { filter: Filter; endpoint: IngestAddress }; reader: Reader },
    seqs: readonly number[],
  ) => Promise<Position[]>;
};
