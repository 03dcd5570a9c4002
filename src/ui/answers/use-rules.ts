/* The rules of an endpoint, for display. They are loaded only if the endpoint has some. */

import type { AnswerRule } from '../../features/answers/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { api } from '../kit/api.ts';
import { type Query, useQuery } from '../kit/use-query.ts';

export const useRules = ({ id, customAnswers }: Pick<Endpoint, 'id' | 'customAnswers'>): Query<readonly AnswerRule[]> =>
  useQuery(`${id} ${customAnswers}`, () =>
    customAnswers ? api.answers(id).then(({ rules }) => rules) : Promise.resolve([]),
  );
