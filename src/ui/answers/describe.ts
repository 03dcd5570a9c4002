/* Describes a rule and its answer in words. Pure. Names are shown by the caller, as text. */

import type { AnswerRule } from '../../features/answers/model.ts';

/** `first 2 of each delivery, 30 % of the time`; empty for a rule that always matches. */
export function describeSequence({ per, first, every, chance, rate }: AnswerRule): string {
  const scope = per === 'delivery' ? 'each delivery' : '';
  const parts: string[] = [];
  if (first !== undefined)
    parts.push(
      scope
        ? `the first ${first === 1 ? 'attempt' : `${first} attempts`} of ${scope}`
        : `the first ${first === 1 ? 'request' : `${first} requests`}`,
    );
  if (every !== undefined && every > 1)
    parts.push(scope ? `every ${ordinal(every)} attempt of ${scope}` : `every ${ordinal(every)} request`);
  if (rate)
    parts.push(
      `more than ${rate.max} ${rate.max === 1 ? 'request' : 'requests'} in ${rate.perS} s${scope ? ` of ${scope}` : ''}`,
    );
  if (chance !== undefined && chance < 1) parts.push(`${Number((chance * 100).toPrecision(6))}% by chance`);
  return parts.join(', ');
}

/** `2nd`, `3rd`, `11th`. */
export function ordinal(n: number): string {
  const [tens, ones] = [n % 100, n % 10];
  if (tens >= 11 && tens <= 13) return `${n}th`;
  return `${n}${ones === 1 ? 'st' : ones === 2 ? 'nd' : ones === 3 ? 'rd' : 'th'}`;
}

/** The condition and the sequence: `type:push, the first 2 requests`; `every request` without either. */
export function describeCondition(rule: AnswerRule): string {
  const parts = [rule.when ?? '', describeSequence(rule)].filter(part => part !== '');
  return parts.length === 0 ? 'every request' : parts.join(', ');
}

const faults: Record<NonNullable<AnswerRule['answer']['fault']>, string> = {
  close: 'connection closed',
  reset: 'connection reset',
  stall: 'stalled answer',
};

/** `500`, `429 with Retry-After`, `200 after 15 s`, `connection closed`. */
export function describeAnswer(rule: AnswerRule): string {
  const { rate, answer } = rule;
  const status = statusOf(rule);
  const isLimit = rate !== undefined && (status === 429 || status === 503);
  const what = answer.fault ? faults[answer.fault] : `${status}${isLimit ? ' with Retry-After' : ''}`;
  return answer.delayMs ? `${what} after ${formatDelay(answer.delayMs)}` : what;
}

const statusOf = ({ rate, answer }: AnswerRule): number => answer.status ?? (rate ? 429 : 200);

/** `800 ms`, `1.5 s`, `15 s`. */
export const formatDelay = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

/** Whether the rule matches all requests that reach it, so that later rules never match. */
export const isCatchAll = ({ when, first, every, chance, rate }: AnswerRule): boolean =>
  !when?.trim() &&
  first === undefined &&
  (every === undefined || every === 1) &&
  (chance === undefined || chance >= 1) &&
  rate === undefined;

export const isSuccess = (rule: AnswerRule): boolean => {
  const status = statusOf(rule);
  return !rule.answer.fault && status >= 200 && status < 300;
};
