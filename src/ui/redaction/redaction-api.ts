/* The calls of redaction and of erasures. */

import type { Redaction, RedactionPreview } from '../../features/redaction/model.ts';
import { call, type Ok } from '../kit/api.ts';

export type { Redaction };
export type Rule = Redaction['rules'][number];

/** How many stored events match, and how many of them the rules change. */
export type Applied = { events: number; changed: number };

export type Erasure = {
  id: string;
  state: 'searching' | 'deleting' | 'done' | 'failed';
  dryRun: boolean;
  endpoints: { id: string; name: string; events: number; pinned: number }[];
  events: number;
};

const pathOf = (endpoint: string): string => `/api/endpoints/${encodeURIComponent(endpoint)}/redaction`;

export const redactionApi = {
  rules: (endpoint: string) => call<Redaction>('GET', pathOf(endpoint)),
  save: (endpoint: string, redaction: Redaction) => call<Redaction>('PUT', pathOf(endpoint), redaction),
  remove: (endpoint: string) => call<Ok>('DELETE', pathOf(endpoint)),
  preview: (endpoint: string, { rules, otherBodies }: Pick<Redaction, 'rules' | 'otherBodies'>, signal: AbortSignal) =>
    call<RedactionPreview>('POST', `${pathOf(endpoint)}/preview`, { rules, otherBodies, limit: 100 }, signal),
  apply: (endpoint: string, where: string, dryRun: boolean) =>
    call<Applied>('POST', `${pathOf(endpoint)}/apply`, { where, dryRun }),
  erase: (text: string, dryRun: boolean) => call<Erasure>('POST', '/api/erasures', { text, dryRun }),
  erasure: (id: string) => call<Erasure>('GET', `/api/erasures/${encodeURIComponent(id)}`),
};
