/* Ready-made rules for custom answers. A preset replaces all rules of the endpoint. */

/** A rule as the API accepts it. */
type PresetRule = {
  name: string;
  per?: 'delivery';
  first?: number;
  rate?: { max: number; perS: number };
  answer: { status: number; delayMs?: number };
};

export type AnswerPreset = {
  name: string;
  title: string;
  /** A sentence about the answer. */
  description: string;
  rules: readonly PresetRule[];
};

export const answerPresets: readonly AnswerPreset[] = [
  {
    name: 'flaky',
    title: 'Flaky',
    description: 'The first two attempts of each delivery get 500, later attempts get 200.',
    rules: [{ name: 'flaky', per: 'delivery', first: 2, answer: { status: 500 } }],
  },
  {
    name: 'rate-limited',
    title: 'Rate-limited',
    description: 'More than 5 requests in 60 seconds get 429 with Retry-After.',
    rules: [{ name: 'rate-limited', rate: { max: 5, perS: 60 }, answer: { status: 429 } }],
  },
  {
    name: 'gone',
    title: 'Gone',
    description: 'Every request gets 410, which tells senders to stop.',
    rules: [{ name: 'gone', answer: { status: 410 } }],
  },
  {
    name: 'slow',
    title: 'Slow',
    description: 'Every request gets 200 after 15 seconds, longer than many senders wait.',
    rules: [{ name: 'slow', answer: { status: 200, delayMs: 15_000 } }],
  },
];

export const presetNamed = (name: string): AnswerPreset | undefined => answerPresets.find(one => one.name === name);
