/* The calls of alerts. */

import type { Alert, AlertChange, AlertInput, AlertList, AlertTest } from '../../features/alerts/model.ts';
import { call } from '../kit/api.ts';

const listPath = (endpoint: string): string => `/api/endpoints/${encodeURIComponent(endpoint)}/alerts`;
const pathOf = (endpoint: string, alert: string): string => `${listPath(endpoint)}/${encodeURIComponent(alert)}`;

export const alertsApi = {
  list: (endpoint: string) => call<AlertList>('GET', listPath(endpoint)),
  create: (endpoint: string, alert: AlertInput) => call<Alert>('POST', listPath(endpoint), alert),
  change: (endpoint: string, alert: string, change: AlertChange) =>
    call<Alert>('PATCH', pathOf(endpoint, alert), change),
  remove: (endpoint: string, alert: string) => call<unknown>('DELETE', pathOf(endpoint, alert)),
  test: (endpoint: string, alert: string) => call<AlertTest>('POST', `${pathOf(endpoint, alert)}/test`, {}),
};
