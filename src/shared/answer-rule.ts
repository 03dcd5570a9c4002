/* Describes a rule of custom answers in words, for the dashboard and the command line. Texts of the rule are not escaped. */

/** The parts of a rule that the description uses, as in the API. */
type DescribedRule = {
  when?: string;
  per?: string;
  first?: number;
  every?: number;
  chance?: number;
  rate?: { max: number; perS: number };
  handshake?: boolean;
  answer: { status?: number; delayMs?: number; fault?: 'close' | 'reset' | 'stall' };
};

/** `the first 2 attempts of each delivery that match type:push, with a chance of 30%`; `every request` without any condition. */
export function describeCondition(rule: DescribedRule): string {
  const { chance, rate, handshake } = rule;
  const { subject, isSingular } = describeSubject(rule);
  const when = rule.when?.trim();
  const parts = [when ? `${subject} that ${isSingular ? 'matches' : 'match'} ${when}` : subject];
  if (rate && isCounted(rule)) parts.push(`when above ${rate.max} per ${rate.perS} s`);
  if (chance !== undefined && chance < 1) parts.push(`${Number((chance * 100).toPrecision(6))}% of them, at random`);
  if (handshake) parts.push('handshakes included');
  return parts.join(', ');
}

const isCounted = ({ first, every = 1 }: DescribedRule): boolean => first !== undefined || every > 1;

function describeSubject(rule: DescribedRule): { subject: string; isSingular: boolean } {
  const { per, first, every = 1, rate } = rule;
  const [one, of] = per === 'delivery' ? ['attempt', ' of each delivery'] : ['request', ''];
  const many = `${one}s${of}`;
  if (!isCounted(rule))
    return rate
      ? { subject: `${many} above ${rate.max} per ${rate.perS} s`, isSingular: false }
      : { subject: 'every request', isSingular: true };
  if (first === undefined) return { subject: `every ${ordinal(every)} ${one}${of}`, isSingular: true };
  if (every > first) return { subject: `no ${one}`, isSingular: true };
  if (every > 1) return { subject: `every ${ordinal(every)} of the first ${first} ${many}`, isSingular: false };
  return first === 1
    ? { subject: `first ${one}${of}`, isSingular: true }
    : { subject: `first ${first} ${many}`, isSingular: false };
}

/** `2nd`, `3rd`, `11th`. */
export function ordinal(n: number): string {
  const [tens, ones] = [n % 100, n % 10];
  if (tens >= 11 && tens <= 13) return `${n}th`;
  return `${n}${ones === 1 ? 'st' : ones === 2 ? 'nd' : ones === 3 ? 'rd' : 'th'}`;
}

const faults: Record<NonNullable<DescribedRule['answer']['fault']>, string> = {
  close: 'close the connection',
  reset: 'reset the connection',
  stall: 'headers, then no body',
};

/** `500`, `429 with Retry-After`, `200 after 15 s`, `close the connection`. */
export function describeAnswer(rule: DescribedRule): string {
  const { rate, answer } = rule;
  const status = statusOf(rule);
  const isLimit = rate !== undefined && (status === 429 || status === 503);
  const what = answer.fault ? faults[answer.fault] : `${status}${isLimit ? ' with Retry-After' : ''}`;
  return answer.delayMs ? `${what} after ${formatDelay(answer.delayMs)}` : what;
}

const statusOf = ({ rate, answer }: DescribedRule): number => answer.status ?? (rate ? 429 : 200);

/** `800 ms`, `1.5 s`, `15 s`. */
const formatDelay = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

/** Whether the rule matches all requests that reach it, so that later rules never match. */
export const isCatchAll = ({ when, first, every, chance, rate }: DescribedRule): boolean =>
  !when?.trim() &&
  first === undefined &&
  (every === undefined || every === 1) &&
  (chance === undefined || chance >= 1) &&
  rate === undefined;

export const isSuccess = (rule: DescribedRule): boolean => {
  const status = statusOf(rule);
  return !rule.answer.fault && status >= 200 && status < 300;
};
