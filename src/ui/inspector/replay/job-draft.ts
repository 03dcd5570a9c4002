/* The fields of the dialog for a new job, and the request that it makes. */

import type { ReplayJobInput } from '../../../features/replay-jobs/model.ts';
import { readDestination } from '../../kit/destination.ts';

/** `ids`: in place of the filter. */
export type ChosenEvents = { endpointId: string; where: string; ids?: readonly string[] | undefined };

export const chosenIn = ({ endpointId, where, ids }: ChosenEvents) => ({
  endpointId,
  ...(ids ? { eventIds: [...ids] } : where !== '' && { where }),
});

export type PaceKind = 'none' | 'rate' | 'original' | 'faster';

export type JobDraft = {
  dest: string;
  dest2: string;
  ignore: string;
  headers: string;
  pace: PaceKind;
  perSecond: string;
  factor: string;
  concurrency: string;
  isPerDelivery: boolean;
  isSkipping: boolean;
  stopAfter: string;
  isSigned: boolean;
};

export const emptyDraft: JobDraft = {
  dest: '',
  dest2: '',
  ignore: '',
  headers: '',
  pace: 'none',
  perSecond: '5',
  factor: '10',
  concurrency: '1',
  isPerDelivery: false,
  isSkipping: false,
  stopAfter: '',
  isSigned: false,
};

export type JobProblems = Partial<Record<keyof JobDraft, string>>;

const listOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map(one => one.trim())
    .filter(one => one !== '');

const isNumber = (text: string, least: number, most: number): boolean =>
  /^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) >= least && Number(text) <= most;
const isWhole = (text: string, least: number, most: number): boolean =>
  /^\d{1,6}$/.test(text) && isNumber(text, least, most);

export function problemsOf(draft: JobDraft): JobProblems {
  const [dest, dest2] = [readDestination(draft.dest), readDestination(draft.dest2)];
  const problems: JobProblems = {
    ...(dest.problem && { dest: dest.problem }),
    ...(dest2.problem && { dest2: dest2.problem }),
    ...(draft.pace === 'rate' &&
      !isNumber(draft.perSecond, 0.001, 10_000) && { perSecond: 'A number from 0.001 to 10000.' }),
    ...(draft.pace === 'faster' && !isNumber(draft.factor, 0.001, 999_999) && { factor: 'A number above 0.' }),
    ...(!isWhole(draft.concurrency, 1, 32) && { concurrency: 'A whole number from 1 to 32.' }),
    ...(draft.stopAfter !== '' && !isWhole(draft.stopAfter, 1, 999_999) && { stopAfter: 'A whole number.' }),
  };
  return problems;
}

const paceOf = ({ pace, perSecond, factor }: JobDraft): string | null =>
  ({ none: null, rate: `${perSecond}/s`, original: 'original', faster: `original*${factor}` })[pace];

/** Of a draft without problems. */
export function requestOf(draft: JobDraft, chosen: ChosenEvents): ReplayJobInput {
  const dest2 = readDestination(draft.dest2).url;
  return {
    ...chosenIn(chosen),
    dest: readDestination(draft.dest).url,
    ...(dest2 !== '' && { dest2, ignore: listOf(draft.ignore), compareHeaders: listOf(draft.headers) }),
    pace: paceOf(draft),
    concurrency: Number(draft.concurrency),
    per: draft.isPerDelivery ? 'delivery' : 'event',
    skipOk: draft.isSkipping,
    stopAfter: draft.stopAfter === '' ? null : Number(draft.stopAfter),
    ...(draft.isSigned && { sign: { mode: 'fresh' as const } }),
  };
}
