/* The rules of an endpoint, for display. They are loaded only if the endpoint has some. */

import type { AnswerRule } from '../../features/answers/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { api } from '../kit/api.ts';
import { useQuery } from '../kit/use-query.ts';

export function useRules({ id, customAnswers }: Pick<Endpoint, 'id' | 'customAnswers'>): {
  /** Undefined until they are loaded. */
  rules: readonly AnswerRule[] | undefined;
  problem: string;
} {
  const { value, problem } = useQuery(`${id} ${customAnswers}`, () =>
    customAnswers ? api.answers(id) : Promise.resolve({ rules: [] }),
  );
  return { rules: value?.rules, problem };
}
