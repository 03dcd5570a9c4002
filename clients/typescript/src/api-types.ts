/* Requests and responses of the API. Generated from /openapi.json by `bun scripts/client-types.ts`. Do not edit. */

export type AnswerRule = {
  /** unique; default `rule-N`, counted from 1 */
  name?: string | undefined;
  /** a filter: only events that match it */
  when?: string | undefined;
  /** count the attempts of each delivery separately, or all events of the endpoint together (default) */
  per?: 'delivery' | 'endpoint' | undefined;
  /** only the first N */
  first?: number | undefined;
  /** only every Nth: for 3, the 3rd, 6th, … */
  every?: number | undefined;
  /** with this probability, from 0 to 1 */
  chance?: number | undefined;
  /** only events beyond `max` in any `perS` seconds */
  rate?:
    | {
        max: number;
        perS: number;
      }
    | undefined;
  /** also before the handshakes of platforms */
  handshake?: boolean | undefined;
  answer: RuleAnswer;
};

export type AnswerRules = {
  /** the first one whose conditions all hold answers; at most 50; empty: every sender gets the default answer */
  rules: AnswerRule[];
};

export type AnswerRulesRequest = {
  /** the first one whose conditions all hold answers; at most 50; empty: every sender gets the default answer */
  rules: AnswerRule[];
};

/** the answer to the sender */
export type Answered = {
  /** null when the connection was closed, reset or stalled */
  status: number | null;
  /** the name of the rule that chose the answer; null for the usual one */
  rule: string | null;
  /** how long the answer was delayed */
  delayMs: number;
  fault: 'close' | 'reset' | 'stall' | null;
  /** answered at once, because too many delayed answers were waiting */
  limited: boolean;
};

/** the delivery of which an event is an attempt */
export type DeliveryPlace = {
  /** identifies the delivery in its endpoint: `GET /api/deliveries/{key}` */
  key: string;
  /** where the sender’s id of the delivery is; `content` when it gives none: then attempts are recognised by method, path, query, type and body, each at most 72 hours after the one before */
  basis: 'header' | 'body' | 'content';
  /** which attempt this event is, in order of receipt */
  attempt: number;
  /** how many attempts there are; both numbers stop at 100 */
  attempts: number;
};

export type Endpoint = {
  id: string;
  name: string;
  /** epoch milliseconds */
  createdAt: number;
  /** the URL to register as the webhook destination on the sending platform */
  url: string;
  /** the path of `url`, for senders that reach the server under another origin, such as a mapped port */
  path: string;
  eventCount: number;
  /** epoch milliseconds */
  lastReceivedAt: number | null;
  /** how long its events are kept, as written; null: as long as the plan says */
  retention: string | null;
  /** replaced URLs that still take deliveries, newest first */
  previousUrls: PreviousUrl[];
  /** a paused endpoint answers deliveries with 503 and does not store them */
  paused: boolean;
  /** epoch milliseconds */
  pausedAt: number | null;
  /** deliveries that this process has refused since the pause or its own start; null when the endpoint is not paused */
  refusedWhilePaused: number | null;
  /** whether it has rules for answers; without, senders get the usual one */
  customAnswers: boolean;
  guard: Guard | null;
  alerts: {
    /** how many are enabled */
    enabled: number;
    /** how many of them have fired and are not resolved */
    firing: number;
  } | null;
  /** whether a file declares it (`hooktape apply`), and may set it back */
  declared: boolean;
};

export type EndpointList = {
  endpoints: Endpoint[];
};

export type EndpointName = {
  /** 1 to 100 characters after trimming */
  name: string;
};

export type EventDetail = {
  id: string;
  eventType: string | null;
  /** the detected sender: the lower-case name of a platform */
  platform: string | null;
  method: string | null;
  /** epoch milliseconds */
  receivedAt: number;
  /** body bytes */
  size: number;
  /** the path after the ingest token as it was sent: it begins with / or is empty */
  path: string;
  signatureValid: boolean | null;
  pin: Pin | null;
  /** in the order in which they were given */
  tags: string[];
  delivery: DeliveryPlace;
  answered: Answered;
  refused: 401 | 403 | 405 | null;
  redacted: Redacted | null;
  endpointId: string;
  headers: Record<string, string>;
  /** in the order of arrival, names as they were sent */
  rawHeaders: [string, string][];
  query: string | null;
  params: [string, string][];
  /** parsed JSON; null when the body was empty or not valid JSON */
  payload: unknown;
  payloadRaw: string;
  payloadEncoding: 'utf8' | 'base64';
  /** hex, of the body */
  sha256: string;
  sourceIp: string;
  signature: Signature | null;
  replays: ReplayAttempt[];
  /** one for each forward that takes the event; delivered ones as long as their replay is kept; empty for apps */
  forwards: EventForward[];
};

export type EventForward = {
  id: string;
  name: string;
  /** waiting: not tried yet; failed: will be tried again; given_up: will not; skipped: by a person */
  state: 'waiting' | 'failed' | 'delivered' | 'given_up' | 'skipped';
  attempts: number;
  /** null without an answer */
  lastStatus: number | null;
  /** null: settled, given up, or behind another event of its lane */
  nextAt: number | null;
};

export type EventSummary = {
  id: string;
  eventType: string | null;
  /** the detected sender: the lower-case name of a platform */
  platform: string | null;
  method: string | null;
  /** epoch milliseconds */
  receivedAt: number;
  /** body bytes */
  size: number;
  /** the path after the ingest token as it was sent: it begins with / or is empty */
  path: string;
  signatureValid: boolean | null;
  pin: Pin | null;
  /** in the order in which they were given */
  tags: string[];
  delivery: DeliveryPlace;
  answered: Answered;
  refused: 401 | 403 | 405 | null;
  redacted: Redacted | null;
  verdict: 'valid' | 'invalid' | 'unchecked' | 'none' | null;
  payloadPreview: string;
  /** what happened, for platforms whose event types say little, such as `opened` for GitHub’s `pull_request`; from the payload, as `highlights` */
  action: string | null;
  /** what matters in the payload, as the sender wrote it: up to 4 texts of at most 60 characters; empty when nothing is known to matter */
  highlights: string[];
  /** in a list with `q`, words or terms about contents: where the event matches; whole values first; empty everywhere else */
  matched: Matched[];
};

export type FeedEvent = {
  id: string;
  eventType: string | null;
  /** the detected sender: the lower-case name of a platform */
  platform: string | null;
  method: string | null;
  /** epoch milliseconds */
  receivedAt: number;
  /** body bytes */
  size: number;
  /** the path after the ingest token as it was sent: it begins with / or is empty */
  path: string;
  signatureValid: boolean | null;
  pin: Pin | null;
  /** in the order in which they were given */
  tags: string[];
  delivery: DeliveryPlace;
  answered: Answered;
  refused: 401 | 403 | 405 | null;
  redacted: Redacted | null;
  verdict: 'valid' | 'invalid' | 'unchecked' | 'none' | null;
  payloadPreview: string;
  /** what happened, for platforms whose event types say little, such as `opened` for GitHub’s `pull_request`; from the payload, as `highlights` */
  action: string | null;
  /** what matters in the payload, as the sender wrote it: up to 4 texts of at most 60 characters; empty when nothing is known to matter */
  highlights: string[];
  /** in a list with `q`, words or terms about contents: where the event matches; whole values first; empty everywhere else */
  matched: Matched[];
  /** the position after this event, for readers that move on event by event */
  cursor: string;
  /** with `content=full`, as `GET /api/events/{id}` has it; null when there was none, or when the event is damaged */
  query?: string | null | undefined;
  /** with `content=full`; null when the event is damaged on disk */
  rawHeaders?: [string, string][] | null | undefined;
  /** with `content=full`; null when the event is damaged */
  payloadRaw?: string | null | undefined;
  payloadEncoding?: 'utf8' | 'base64' | null | undefined;
};

export type FeedPage = {
  /** in the order in which they were stored, oldest first */
  events: FeedEvent[];
  /** the position after these events: pass it as `after` */
  cursor: string;
  /** there are more already: call again at once. With `where` they may turn out not to match */
  more: boolean;
  /** events after the cursor are missing, because retention has removed them */
  truncated: boolean;
};

export type FilterTest = {
  /** a filter, such as `type:invoice.* size>10k` */
  where: string;
  /** how many events are tried, the newest ones */
  limit?: number | undefined;
};

export type FilterTestResult = {
  /** newest first */
  matched: EventSummary[];
  /** newest first */
  unmatched: {
    event: EventSummary;
    /** the term of the filter that decided, as written */
    clause: string;
  }[];
  /** events for which there was no time, the oldest ones */
  untested: number;
  /** how to change a filter with `type:` that matches no event of the endpoint, if `body.type:` in its place matches one; else null */
  hint: string | null;
};

export type Guard = {
  /** the HTTP methods that are accepted; others get 405 */
  methods?: string[] | undefined;
  /** the addresses and networks that may deliver; others get 403 */
  cidrs?: string[] | undefined;
  /** of HTTP Basic authentication; deliveries without it get 401 */
  basic?:
    | {
        user: string;
        /** always `[set]` */
        password: string;
      }
    | undefined;
  /** deliveries without it get 401 */
  token?:
    | {
        in: 'header' | 'query';
        /** of the header or the query parameter */
        name: string;
        /** always `[set]` */
        value: string;
      }
    | undefined;
  /** whether refused deliveries are stored */
  onRefuse: 'record' | 'drop';
};

/** the beginning of the destination’s answer; null when there was none or none was kept */
export type KeptResponse = {
  /** as they came; credentials are `[redacted]` */
  headers: [string, string][];
  /** the first 4 KiB */
  body: string;
  bodyEncoding: 'utf8' | 'base64';
  /** there was more */
  truncated: boolean;
};

export type Matched = {
  /** as in a filter, so that `FIELD:"TEXT"` finds the event; `body` where no single value matches, and in a body without fields */
  field: string;
  /** the decoded value, or the 80 characters of it around the match */
  text: string;
};

export type Ok = {
  ok: boolean;
};

/** a pinned event is exempt from retention */
export type Pin = {
  /** unique in the endpoint */
  name: string | null;
  note: string | null;
  /** epoch milliseconds */
  pinnedAt: number;
};

export type PreviousUrl = {
  id: string;
  /** the replaced URL */
  url: string;
  /** until when it takes deliveries, epoch milliseconds; then it answers 404 */
  until: number;
};

/** what rules took out of the event; null when they took nothing */
export type Redacted = {
  /** how many rules took something */
  rules: number;
  /** the names of the fields, 100 at most */
  fields: string[];
  /** of the body as it came, if the endpoint keeps it */
  sha256: string | null;
};

export type ReplayAnswer = ReplayResult | ReplayDryRun;

export type ReplayAttempt = {
  id: string;
  /** the URL that it was sent to; to a read-only key only the server, with `[set]` as its path */
  destination: string;
  /** null when the destination could not be reached */
  status: number | null;
  ok: boolean;
  /** from the start of the replay to the end of the response */
  durationMs: number;
  /** epoch milliseconds */
  createdAt: number;
  replayedBy: string | null;
  formerMember: boolean;
  /** who sent it: `listen` is `hooktape` on another machine */
  via: 'api' | 'dashboard' | 'mcp' | 'listen' | 'forward' | 'job';
  /** it was signed anew; false = with the signature as captured */
  signed: boolean;
  /** body, headers or the delivery id were changed */
  edited: boolean;
  response: KeptResponse | null;
  request: SentRequest | null;
  /** null, or that the signature no longer covers the body, because rules took something out of the event and it was not signed anew */
  note: string | null;
};

export type ReplayDryRun = {
  /** always true */
  dryRun: boolean;
  method: string;
  /** with the path and query that `appendPath` appends; `listener:NAME` for a listener, which decides itself */
  url: string;
  headers: [string, string][];
  /** `[signed]` stands for a signature that a stored secret would make */
  body: string;
  /** the encoding of `body` */
  bodyEncoding: 'utf8' | 'base64';
};

export type ReplayEdit = {
  /** JSON values by path, such as `items.0.sku`, in place of those in the body; every other byte stays. Of repeated keys the last is replaced */
  set?: Record<string, unknown> | undefined;
  /** paths of what to remove; of repeated keys all are removed */
  unset?: string[] | undefined;
  /** in place of the whole body */
  body?: string | undefined;
  /** the encoding of `body` */
  bodyEncoding?: 'utf8' | 'base64' | undefined;
  /** a value replaces all headers of that name, or adds one; null removes them */
  headers?: [string, string | null][] | undefined;
};

export type ReplayRequest = {
  /** an absolute http or https URL; give either this or `listener` */
  url?: string | undefined;
  /** in place of `url`: the name of a connected listener, which sends it to its own target */
  listener?: string | undefined;
  /** append the path and the query with which the event came to `url`; default false */
  appendPath?: boolean | undefined;
  edit?: ReplayEdit | undefined;
  sign?: ReplaySign | undefined;
  /** answer with the request instead of sending it */
  dryRun?: boolean | undefined;
};

export type ReplayResult = {
  /** true when the destination returned a 2xx status */
  ok: boolean;
  /** the destination’s HTTP status */
  status: number;
  durationMs: number;
  /** the first 500 characters of the response body */
  responsePreview: string;
  /** null, or that the signature no longer covers the body, because rules took something out of the event and it was not signed anew */
  note: string | null;
};

export type ReplaySign = {
  /** `none`: as captured; `fresh`: a new signature; `tamper`: a new signature that is broken */
  mode: 'none' | 'fresh' | 'tamper';
  /** used for this request only: never stored, logged or shown */
  secret?: string | undefined;
  /** a secret of the endpoint that may sign; without `secret` and `secretId`, the one with which the event is valid */
  secretId?: string | undefined;
  /** epoch milliseconds to sign for; default now */
  at?: number | undefined;
  /** a new delivery id, where the platform has a header for it */
  newId?: boolean | undefined;
};

export type RuleAnswer = {
  /** 200 to 599; default 200, with `rate` 429 */
  status?: number | undefined;
  headers?: [string, string][] | undefined;
  /** at most 64 KiB; placeholders are {{id}}, {{now}}, {{receivedAt}}, {{type}}, {{platform}}, {{verdict}}, {{header.X}}, {{query.X}}, {{body.a.b}}, {{json body.a.b}}, {{raw}} and {{truncate 200 raw}} */
  body?: string | undefined;
  bodyEncoding?: 'utf8' | 'base64' | undefined;
  /** at most 60000 */
  delayMs?: number | undefined;
  /** instead of an answer: the connection is closed, reset (TCP RST), or gets the head and then nothing for a minute */
  fault?: 'close' | 'reset' | 'stall' | undefined;
};

/** what was sent; null for `via: "listen"` and for attempts of earlier versions. `edit` is as it was asked for, with credentials `[redacted]`; null without one, and when it is larger than 64 KiB as JSON. `GET /api/events/{id}/replays/{replayId}/request` has the body */
export type SentRequest = {
  method: string;
  /** as `destination` */
  url: string;
  /** without those of the connection; credentials, the headers of a forward and a secret that came with the request are `[redacted]`, a signature by a stored secret `[signed]` */
  headers: [string, string][];
  edit: ReplayEdit | null;
  /** hex, of the body */
  sha256: string;
};

export type Signature = {
  platform: string | null;
  scheme: string;
  verdict: 'valid' | 'invalid' | 'unchecked';
  reason:
    | 'no_secret'
    | 'unconfirmed_secret'
    | 'wrong_secret_or_altered_body'
    | 'timestamp_out_of_tolerance'
    | 'malformed_header'
    | 'unsupported'
    | 'redacted'
    | null;
  proves: 'payload' | 'origin' | null;
  /** `arrival`: when the event came, because what is stored is not enough; secrets that change later do not change it. `read`: now */
  checked: 'arrival' | 'read';
};
