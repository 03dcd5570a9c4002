import type { EventSummary } from '../../features/events/model.ts';
export type Fault = 'close' | 'reset' | 'stall';
export type Answer = {
  status?: number;
  headers?: [string, string][];
  body?: string;
  bodyEncoding?: 'utf8' | 'base64';
  delayMs?: number;
  fault?: Fault;
};
export type AnswerRule = {
  name?: string;
  when?: string;
  per?: 'endpoint' | 'delivery';
  first?: number;
  every?: number;
  chance?: number;
  rate?: { max: number; perS: number };
  handshake?: boolean;
  answer: Answer;
};
export type AnswerRules = { rules: AnswerRule[] };
export type AnswerPreview = { events: { event: EventSummary; rule: string | null; status: number | null }[] };
