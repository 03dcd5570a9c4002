/*
 * The messages and commands of a session of `hooktape listen`; lines, JSON and the terminal view use the same ones. Everything
 * in a captured event and in a response is hostile text: escape it before it is shown (client/output.ts).
 */
import type { HeaderPair } from '../../core/headers.ts';
import type { ReplayEdit } from '../../core/replay/edit-schema.ts';
import type { EventSummary } from '../../features/events/model.ts';

export type CapturedEvent = {
  id: string;
  endpointId: string;
  /** The endpoint's name. */
  endpoint: string;
  type: string | null;
  platform: string | null;
  method: string | null;
  /** The path after the ingest token: it begins with / or is empty. */
  path: string;
  /** Without `?`; null without a query, undefined if it was not requested. */
  query: string | null | undefined;
  /** Epoch ms. */
  receivedAt: number;
  /** Bytes of the body. */
  size: number;
  verdict: EventSummary['verdict'];
  preview: string;
  /** As captured; credentials are redacted. Empty in `skipped` and `settled`, like the body. */
  headers: readonly HeaderPair[];
  body: Uint8Array;
};

/** The response of a target; for a program, its exit code and output. */
export type TargetResponse = {
  /** The HTTP status or the exit code; null without a response. */
  status: number | null;
  ms: number;
  headers: readonly HeaderPair[];
  /** At most 1 MiB of it. */
  body: Uint8Array;
  /** Whether the body was longer. */
  isCut: boolean;
  isOk: boolean;
  /** Why it is not ok, as text; null if it is ok. */
  error: string | null;
};

/** Targets that are programs have an exit code instead of a status. @param target its name */
export const isProgram = (target: string): boolean => target.startsWith('exec:');

/** `200`, `exit 1`, `no response` */
export function statusText({ status }: Pick<TargetResponse, 'status'>, target: string): string {
  if (isProgram(target)) return status === null ? 'no exit code' : `exit ${status}`;
  return status === null ? 'no response' : String(status);
}

/** The cause of a delivery: the feed, the user at the terminal (again, edited), or a replay on the server. */
export type DeliveryCause = 'feed' | 'again' | 'edited' | 'replay';

/** The step after a failed delivery. `none`: it was sent manually, or the session ends. */
export type AfterFailure = 'retry' | 'hold' | 'skip' | 'stop' | 'none';

type Delivered = {
  event: CapturedEvent;
  /** The name of the target: a URL, or `exec:` and a program. */
  target: string;
  /** From 1. */
  attempt: number;
  answer: TargetResponse;
  cause: DeliveryCause;
};

/** `at` is epoch ms. */
export type ListenEvent = { at: number } & (
  | /** `targets`: names of the targets it goes to; none for an event that no map matches. */
  { kind: 'received'; event: CapturedEvent; targets: readonly string[] }
  /** With a 2xx, or exit code 0. */
  | ({ kind: 'answered' } & Delivered)
  /** `nextAt`: the time of the next attempt. `hint`: advice for the user. */
  | ({ kind: 'failed'; next: AfterFailure; nextAt: number | null; hint: string | null } & Delivered)
  /** By --on-fail skip, manually, or because it no longer exists. `target`: null for a damaged event. */
  | { kind: 'skipped'; event: CapturedEvent; target: string | null; attempt: number; reason: string }
  /** All matching targets have received it, or it was skipped. `target`: set if there was one. */
  | { kind: 'settled'; event: CapturedEvent; target: string | null; attempt: number; answer: TargetResponse | null }
  | { kind: 'connected'; server: string; endpoints: readonly string[] }
  | { kind: 'disconnected'; server: string; reason: string }
  /** The number of unsettled events; sent only after a change. */
  | { kind: 'behind'; behind: number }
  /** A message for the user. */
  | { kind: 'notice'; text: string }
);

type WithoutTime<E> = E extends unknown ? Omit<E, 'at'> : never;
/** A session event without its time. */
export type SessionEvent = WithoutTime<ListenEvent>;

/** A filter of the view. It hides events; it does not affect deliveries. */
export type ViewFilter =
  | { isOk: true; matches: (event: CapturedEvent) => boolean }
  /** `position`: in characters of the filter. */
  | { isOk: false; message: string; position: number };

export type SessionTarget = {
  name: string;
  /** null for a program. */
  url: string | null;
  /** The filter of its map; null for the target of events that no map matches. */
  where: string | null;
};

export type ListenSession = {
  targets: readonly SessionTarget[];
  /** @returns ends the subscription */
  subscribe: (on: (event: ListenEvent) => void) => () => void;
  behind: () => number;
  isConnected: () => boolean;
  isPaused: () => boolean;
  /** Starts no further deliveries; deliveries under way finish. */
  pause: () => void;
  resume: () => void;
  /**
   * Sends an event to its targets now, even if they already responded. If it was waiting or held there, success settles it. The
   * responses are also emitted as session events, with the cause `again`. @throws OperationError if the event no longer exists
   */
  again: (eventId: string) => Promise<TargetResponse[]>;
  /** Like `again`, with an edit; it never settles the event. @throws AppError for an edit that does not fit, OperationError */
  sendEdited: (eventId: string, edit: ReplayEdit) => Promise<TargetResponse[]>;
  /** Gives up an event for all targets that have not settled it. @returns whether there were any */
  skip: (eventId: string) => boolean;
  /** @throws RefusedError, UnreachableError */
  pin: (eventId: string) => Promise<void>;
  /** Reads a filter for the view; an empty one shows everything. */
  setFilter: (where: string) => ViewFilter;
  /** The URL of the event in the dashboard. */
  openUrl: (eventId: string) => string;
  /** The `hooktape send` command that sends an event as this session does. */
  command: (eventId: string) => string;
  /**
   * Ends the session: running deliveries finish, or are aborted after a few seconds. Resolves once the position is saved.
   * @param error makes the command fail
   */
  stop: (error?: Error) => Promise<void>;
};
