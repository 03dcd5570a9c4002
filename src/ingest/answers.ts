/* What a sender is told of its delivery (interface "Ingest"). */
import type { Answer } from '../core/answer.ts';
import type { HandshakeAnswer } from '../platforms/engine/model.ts';

const nosniff = { 'x-content-type-options': 'nosniff' };
const json = { 'content-type': 'application/json', ...nosniff };

/** @param wanted what the sender's platform wants to hear instead */
export const stored = (id: string, wanted: HandshakeAnswer | null): Answer =>
  wanted
    ? { status: wanted.status, headers: { ...wanted.headers, ...nosniff }, body: wanted.body }
    : { status: 200, headers: json, body: `{"ok":true,"id":"${id}"}` };

/** @param retryAfterSeconds when trying again may help */
export const refusal = (status: number, error: string, retryAfterSeconds?: number): Answer => ({
  status,
  headers: retryAfterSeconds === undefined ? json : { ...json, 'retry-after': String(retryAfterSeconds) },
  body: JSON.stringify({ error }),
});
