/*
 * Answers on purpose: the rules that choose what the senders of an endpoint's deliveries get, what is kept of each event about its
 * answer, and what the capture path needs to know of an endpoint that has rules or a guard.
 */

export const faults = ['close', 'reset', 'stall'] as const;
export type Fault = (typeof faults)[number];

export const ruleScopes = ['delivery', 'endpoint'] as const;
/** What a rule counts: the attempts of each delivery, or all events of the endpoint. */
export type RuleScope = (typeof ruleScopes)[number];

export type RuleAnswer = {
  /** 200 when absent. */
  status?: number;
  headers?: [string, string][];
  body?: string;
  bodyEncoding?: 'utf8' | 'base64';
  delayMs?: number;
  fault?: Fault;
};

/** A rule as people write it. All conditions hold, and the first rule whose conditions hold answers. */
export type AnswerRule = {
  /** `rule-N` when absent, counted from 1. */
  name?: string;
  /** A filter (shared/filter). */
  when?: string;
  per?: RuleScope;
  first?: number;
  every?: number;
  chance?: number;
  rate?: { max: number; perS: number };
  handshake?: boolean;
  answer: RuleAnswer;
};
export type AnswerRules = { rules: AnswerRule[] };

/** What the sender of an event got. `status`: null with a fault. `rule`: the name of the one that chose the answer. */
export type Answered = {
  status: number | null;
  rule: string | null;
  delayMs: number;
  fault: Fault | null;
  limited: boolean;
};

/** An answer that no rule chose. */
export const answeredWith = (status: number): Answered => ({
  status,
  rule: null,
  delayMs: 0,
  fault: null,
  limited: false,
});

export const refusals = [401, 403, 405] as const;
/** The status with which the guard refused a delivery. */
export type Refusal = (typeof refusals)[number];

/**
 * One step of a sequence: the event was the `n`-th that a rule counted. Stored in the same commit as the event.
 * @see core/answers/sequences.ts
 */
export type Count = {
  /** Of the endpoint's rules: replaced rules start anew. */
  version: number;
  /** Which sequence of these rules. */
  slot: number;
  /** The number of the delivery (core/delivery-key.ts), or `allDeliveries`. */
  delivery: number;
  n: number;
  /** Epoch ms. */
  at: number;
  /** How many of the newest steps are needed later. */
  keep: number;
  /** The last step that was stored when this was decided; where other processes may store some meanwhile. */
  before?: number;
};
/** No delivery has this number. */
export const allDeliveries = -1;

/** What is stored with an event besides the event. Most events have none. */
export type Outcome = {
  /** null: the default, that is `answeredWith(200)`. */
  answered: Answered | null;
  refused: Refusal | null;
  counts: readonly Count[];
};

/** The answer of a stored event; null for the default. */
export type StoredOutcome = { answered: Answered; refused: Refusal | null } | null;

/** A stored event's answer as the API shows it. */
export const shownOutcome = (outcome: StoredOutcome): { answered: Answered; refused: Refusal | null } =>
  outcome ?? { answered: answeredWith(200), refused: null };

/** A delivery as the guard sees it, before anything is stored. */
export type GuardedRequest = {
  method: string;
  /** After trusted proxies. */
  sourceIp: string;
  /** Header fields as on the wire, each line with its CRLF (core/headers). */
  fields: Uint8Array;
  query: string | null;
};

/**
 * What the guard says. Undefined: accepted as it is. `stored`: query and fields to store, where the given ones contain its token.
 * `refused`: the status; `headers`: of the refusal, names in lower case.
 */
export type GuardVerdict = {
  stored?: Pick<GuardedRequest, 'query' | 'fields'> | undefined;
  refusal?: { status: Refusal; error: string; headers: Readonly<Record<string, string>> } | undefined;
};

export type GuardRefusal = NonNullable<GuardVerdict['refusal']>;

/** The guard of one endpoint, prepared when the endpoint is loaded. */
export type EndpointGuard = {
  check: (request: GuardedRequest) => GuardVerdict | undefined;
  onRefuse: 'record' | 'drop';
};
