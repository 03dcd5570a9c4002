/* The calls of forwards. */

import type {
  Forward,
  ForwardChange,
  ForwardDelivery,
  ForwardDeliveryPage,
  ForwardDryRun,
  ForwardInput,
  ForwardPreview,
  ForwardPreviewRequest,
  ForwardSelection,
  ForwardStats,
} from '../../features/forwards/model.ts';
import { call, type Period, search } from '../kit/api.ts';

export type DeliveryState = ForwardDelivery['state'];
export type Verb = 'retry' | 'skip';

const id = encodeURIComponent;
const pathOf = (endpoint: string, forward?: string): string =>
  `/api/endpoints/${id(endpoint)}/forwards${forward === undefined ? '' : `/${id(forward)}`}`;

export const forwardsApi = {
  list: (endpoint: string) => call<{ forwards: Forward[] }>('GET', pathOf(endpoint)).then(({ forwards }) => forwards),
  forward: (endpoint: string, forward: string) => call<Forward>('GET', pathOf(endpoint, forward)),
  /** By default of the last 24 hours. */
  stats: (endpoint: string, forward: string, period: Period & { buckets?: number } = {}) =>
    call<ForwardStats>('GET', `${pathOf(endpoint, forward)}/stats${search(period)}`),
  create: (endpoint: string, given: ForwardInput) => call<Forward>('POST', pathOf(endpoint), given),
  change: (endpoint: string, forward: string, given: ForwardChange) =>
    call<Forward>('PATCH', pathOf(endpoint, forward), given),
  /** What a request would be for the newest events. */
  preview: (endpoint: string, given: ForwardPreviewRequest, signal: AbortSignal) =>
    call<ForwardPreview>('POST', `${pathOf(endpoint)}/preview`, given, signal),
  newSecret: (endpoint: string, forward: string) =>
    call<{ secret: string }>('POST', `${pathOf(endpoint, forward)}/secret`, {}).then(({ secret }) => secret),
  remove: (endpoint: string, forward: string) => call<unknown>('DELETE', pathOf(endpoint, forward)),
  setEnabled: (endpoint: string, forward: string, isEnabled: boolean) =>
    call<Forward>('POST', `${pathOf(endpoint, forward)}/${isEnabled ? 'resume' : 'pause'}`, {}),
  act: (endpoint: string, forward: string, verb: Verb, selection: ForwardSelection) =>
    call<Forward>('POST', `${pathOf(endpoint, forward)}/${verb}`, selection),
  /** How many events `act` would mean now. */
  count: (endpoint: string, forward: string, verb: Verb, selection: ForwardSelection, signal: AbortSignal) =>
    call<ForwardDryRun>('POST', `${pathOf(endpoint, forward)}/${verb}`, { ...selection, dryRun: true }, signal),
  deliveries: (endpoint: string, forward: string, state: DeliveryState, { limit = 50, cursor = '' } = {}) =>
    call<ForwardDeliveryPage>('GET', `${pathOf(endpoint, forward)}/deliveries${search({ state, limit, cursor })}`),
};

export const destinationsPath = (endpoint: string): string => `/app/endpoints/${id(endpoint)}/destinations`;
export const forwardPath = (endpoint: string, forward: string): string =>
  `${destinationsPath(endpoint)}/${id(forward)}`;
