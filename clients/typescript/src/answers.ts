/* The rules for an endpoint's custom answers. */
import type { Api, CallOptions } from './api.ts';
import type { AnswerRule, AnswerRules } from './api-types.ts';

export function createAnswers(api: Api, endpointId: string) {
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/answers`;
  return {
    get: (options: CallOptions = {}): Promise<AnswerRules> => api('GET', path, options),

    /**
     * Replaces all rules. The first matching rule answers a delivery; if none matches, senders get the default answer (200).
     */
    set: (rules: readonly AnswerRule[] | AnswerRules, options: CallOptions = {}): Promise<AnswerRules> =>
      api('PUT', path, { ...options, body: 'rules' in rules ? rules : { rules } }),

    clear: async (options: CallOptions = {}): Promise<void> => {
      await api('DELETE', path, options);
    },
  };
}
