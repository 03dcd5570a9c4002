/* The calls of replay jobs. */

import type {
  ReplayJob,
  ReplayJobAnswers,
  ReplayJobDryRun,
  ReplayJobInput,
  ReplayJobItemPage,
  ReplayJobPage,
} from '../../../features/replay-jobs/model.ts';
import { call, search } from '../../kit/api.ts';

export type Outcome = ReplayJobItemPage['items'][number]['outcome'];

const pathOf = (job: string): string => `/api/replay-jobs/${encodeURIComponent(job)}`;

export const jobPath = ({ id, endpointId }: Pick<ReplayJob, 'id' | 'endpointId'>): string =>
  `/app/endpoints/${endpointId}/jobs/${id}`;

export const jobsApi = {
  list: (endpointId: string | undefined, cursor?: string) =>
    call<ReplayJobPage>('GET', `/api/replay-jobs${search({ endpointId, cursor })}`),
  job: (job: string) => call<ReplayJob>('GET', pathOf(job)),
  count: (wanted: ReplayJobInput, signal: AbortSignal) =>
    call<ReplayJobDryRun>('POST', '/api/replay-jobs', { ...wanted, dryRun: true }, signal),
  create: (wanted: ReplayJobInput) => call<ReplayJob>('POST', '/api/replay-jobs', wanted),
  act: (job: string, verb: 'pause' | 'resume' | 'cancel') => call<ReplayJob>('POST', `${pathOf(job)}/${verb}`, {}),
  items: (job: string, outcome: Outcome | undefined, cursor: string | undefined, limit = 100) =>
    call<ReplayJobItemPage>('GET', `${pathOf(job)}/items${search({ outcome, cursor, limit: `${limit}` })}`),
  answers: (job: string, event: string) =>
    call<ReplayJobAnswers>('GET', `${pathOf(job)}/items/${encodeURIComponent(event)}`),
};
