/* The calls of redaction and of erasures. */

import type { Erasure } from '../../features/erasures/model.ts';
import type { Redaction, RedactionApplied, RedactionPreview } from '../../features/redaction/model.ts';
import { call, type Ok } from '../kit/api.ts';

export type { Erasure, Redaction, RedactionApplied };
export type Rule = Redaction['rules'][number];

const pathOf = (endpoint: string): string => `/api/endpoints/${encodeURIComponent(endpoint)}/redaction`;

export const redactionApi = {
  rules: (endpoint: string) => call<Redaction>('GET', pathOf(endpoint)),
  save: (endpoint: string, redaction: Redaction) => call<Redaction>('PUT', pathOf(endpoint), redaction),
  remove: (endpoint: string) => call<Ok>('DELETE', pathOf(endpoint)),
  preview: (endpoint: string, { rules, otherBodies }: Pick<Redaction, 'rules' | 'otherBodies'>, signal: AbortSignal) =>
    call<RedactionPreview>('POST', `${pathOf(endpoint)}/preview`, { rules, otherBodies, limit: 100 }, signal),
  apply: (endpoint: string, where: string, dryRun: boolean) =>
    call<RedactionApplied>('POST', `${pathOf(endpoint)}/apply`, { where, dryRun }),
  erase: (text: string, dryRun: boolean) => call<Erasure>('POST', '/api/erasures', { text, dryRun }),
  erasure: (id: string) => call<Erasure>('GET', `/api/erasures/${encodeURIComponent(id)}`),
};
