/* The outcome of an event in a few words, for the list and above its responses. */
import { statusText, type TargetResponse } from '../model.ts';
import { durationText, waitText } from './format.ts';
import type { Attempt, Row, TargetState } from './log.ts';
import { concat, type Line, type Style, span } from './text.ts';

export const statusStyle = ({ isOk }: TargetResponse): Style => (isOk ? 'good' : 'bad');

const statusSpan = ({ answer, target }: Attempt): Line => span(statusText(answer, target), statusStyle(answer));

/** The state of one target. */
export function stateLine(state: TargetState, now: number): Line {
  if (state.kind === 'waiting') return span('waiting', 'faint');
  if (state.kind === 'skipped')
    return state.last ? concat(statusSpan(state.last), span('  skipped', 'faint')) : span('skipped', 'faint');
  const { last } = state;
  const status = statusSpan(last);
  if (state.kind === 'stopped') return concat(status, span('  stopped', 'warning'));
  if (state.kind === 'retrying' || state.kind === 'held') {
    const waitMs = (state.nextAt ?? now) - now;
    const held = state.kind === 'held' ? ['held'] : [];
    const next = waitMs > 0 ? [`retry in ${waitText(waitMs)}`] : [];
    const text = [...held, ...next].join(', ') || 'retrying';
    return concat(status, span(`  ${text}`, 'warning'));
  }
  const tries = last.attempt > 1 ? `, attempt ${last.attempt}` : '';
  return concat(status, span(`  ${durationText(last.answer.ms)}${tries}`, 'faint'));
}

/** The states that need attention first. */
const urgency: readonly TargetState['kind'][] = ['held', 'stopped', 'retrying', 'failed', 'waiting', 'skipped', 'done'];

/** The outcome of all targets: the outcome that needs most attention, and the number of targets. */
export function outcomeLine({ targets }: Row, now: number): Line {
  const states = [...targets.values()];
  const [first] = states.toSorted((a, b) => urgency.indexOf(a.kind) - urgency.indexOf(b.kind));
  if (!first) return span('no target', 'faint');
  const line = stateLine(first, now);
  if (states.length === 1) return line;
  const done = states.filter(({ kind }) => kind === 'done').length;
  return concat(line, span(`  ${done} of ${states.length}`, 'faint'));
}
