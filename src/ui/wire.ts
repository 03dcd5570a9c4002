/* The API's shapes as the dashboard reads them. Times are epoch milliseconds. */

export type Plan = 'free' | 'pro';
export type Account = { id: string; email: string; plan: Plan; createdAt: number };
export type Session = { account: Account; role: 'owner' | 'member'; sessionId: string; version: string };

export type Endpoint = {
  id: string;
  name: string;
  createdAt: number;
  url: string;
  eventCount: number;
  lastReceivedAt?: number | null;
};

export type EventSummary = {
  id: string;
  eventType: string | null;
  platform: string | null;
  method: string | null;
  receivedAt: number;
  payloadPreview: string;
  size: number;
  path: string;
  signatureValid: boolean | null;
};

export type Signature = {
  platform: string | null;
  scheme: string;
  verdict: 'valid' | 'invalid' | 'unchecked';
  reason:
    | null
    | 'no_secret'
    | 'unconfirmed_secret'
    | 'wrong_secret_or_altered_body'
    | 'timestamp_out_of_tolerance'
    | 'malformed_header'
    | 'unsupported';
  proves: 'payload' | 'origin' | null;
};

export type ReplayAttempt = {
  destination: string;
  status: number | null;
  ok: boolean;
  durationMs: number;
  createdAt: number;
  replayedBy: string | null;
  formerMember: boolean;
};

export type EventDetail = Omit<EventSummary, 'payloadPreview'> & {
  endpointId: string;
  query?: string | null;
  params: [name: string, value: string][];
  rawHeaders: [name: string, value: string][];
  payloadRaw: string;
  payloadEncoding: 'utf8' | 'base64';
  sha256: string;
  sourceIp: string | null;
  replays: ReplayAttempt[];
  signature: Signature | null;
};

export type EventPage = { events: EventSummary[]; nextCursor: string | null };
export type ReplayResult = { ok: boolean; status: number; durationMs: number; responsePreview: string };
export type ApiKey = {
  id: string;
  name: string;
  last4: string;
  createdAt: number;
  lastUsedAt?: number | null;
  /** The connected app that made it; null for a person. */
  app: { id: string; name: string } | null;
};
export type CreatedKey = ApiKey & { key: string };
export type Secret = { id: string; platform: string | null; last4: string; createdAt: number; confirmed: boolean };
export type ConnectedApp = { id: string; name: string; clientId: string; createdAt: number; lastUsedAt: number | null };
export type Member = { id: string; email: string; role: 'owner' | 'member'; createdAt: number };
/** 0 stands for "no limit" and "for ever". */
export type Limits = { endpoints: number; keys: number; retentionMs: number };
export type Team = { members: Member[]; plan: Plan; limits: Limits };
export type Invitation = { email: string; url: string; expiresAt: number };
export type Activity = { since: number; bucketMs: number; counts: number[] };
export type LoginSession = {
  id: string;
  current: boolean;
  userAgent: string | null;
  sourceIp: string | null;
  createdAt: number;
  lastSeenAt: number;
};
