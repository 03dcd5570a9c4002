/* How two events differ at a glance: type, signature, size, time and answer. Pure. */

import type { EventDetail } from '../../../features/events/model.ts';
import { platformTitle } from '../../kit/format/platforms.ts';
import { formatBytes } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { formatGap } from '../event/answered.ts';

export type Fact = {
  text: string;
  isDifferent: boolean;
  /** Only the second event has an invalid signature, or only it was refused or got a status outside 2xx. */
  tone?: 'bad' | 'warn';
};

export type Compared = Pick<
  EventDetail,
  'eventType' | 'platform' | 'signature' | 'size' | 'receivedAt' | 'answered' | 'refused'
>;

export const verdictLine = (one: Compared, other: Compared): Fact[] => [
  ...typeFact(typeOf(one), typeOf(other)),
  signatureFact(verdictOf(one), verdictOf(other)),
  sizeFact(one.size, other.size),
  { text: gapText(other.receivedAt - one.receivedAt), isDifferent: false },
  answerFact(one, other),
];

const typeOf = ({ eventType, platform }: Compared): string =>
  visibleLine([platformTitle(platform), eventType?.slice(0, 60) ?? 'no type'].join(' '));

const typeFact = (one: string, other: string): Fact[] =>
  one === other ? [] : [{ text: `${one} → ${other}`, isDifferent: true }];

const verdictOf = ({ signature }: Compared): string =>
  signature === null ? 'none' : signature.verdict === 'unchecked' ? 'not checked' : signature.verdict;

const signatureFact = (one: string, other: string): Fact =>
  one === other
    ? { text: one === 'none' ? 'Both without a signature' : `Signature ${one} in both`, isDifferent: false }
    : { text: `Signature ${one} → ${other}`, isDifferent: true, ...(other === 'invalid' && { tone: 'bad' }) };

function sizeFact(one: number, other: number): Fact {
  if (one === other) return { text: `${formatBytes(one)} each`, isDifferent: false };
  const more = other - one;
  const change = `${more > 0 ? '+' : '−'}${formatBytes(Math.abs(more))}`;
  return { text: `${formatBytes(one)} → ${formatBytes(other)} (${change})`, isDifferent: true };
}

const gapText = (ms: number): string =>
  ms === 0 ? 'Received at the same time' : `Received ${formatGap(Math.abs(ms))} ${ms > 0 ? 'later' : 'earlier'}`;

const answerOf = ({ answered: { status }, refused }: Compared): string =>
  refused === null ? String(status ?? 'nothing') : `refused ${refused}`;
const isFine = ({ answered: { status }, refused }: Compared): boolean =>
  refused === null && status !== null && status >= 200 && status < 300;

function answerFact(one: Compared, other: Compared): Fact {
  const [before, after] = [answerOf(one), answerOf(other)];
  return before === after
    ? { text: `Answered ${before} both times`, isDifferent: false }
    : {
        text: `Answered ${before} → ${after}`,
        isDifferent: true,
        ...(isFine(one) && !isFine(other) && { tone: 'warn' }),
      };
}
