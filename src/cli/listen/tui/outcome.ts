/* The outcome of an event in a few words: in the list and above its answers. */
import { type Answer, statusText } from '../model.ts';
import type { Attempt, Row, TargetState } from './log.ts';
import type { Line, Span, Style } from './text.ts';
import { durationText, span, styles, waitText } from './theme.ts';

export const statusStyle = ({ isOk }: Answer): Style => (isOk ? styles.good : styles.bad);

const statusSpan = ({ answer, target }: Attempt): Span => span(statusText(answer, target), statusStyle(answer));

/** Of one target. */
export function stateLine(state: TargetState, now: number): Line {
  if (state.kind === 'waiting') return [span('waiting', styles.faint)];
  if (state.kind === 'skipped')
    return state.last ? [statusSpan(state.last), span('  skipped', styles.faint)] : [span('skipped', styles.faint)];
  const { last } = state;
  const status = statusSpan(last);
  if (state.kind === 'stopped') return [status, span('  stopped', styles.warning)];
  if (state.kind === 'retrying' || state.kind === 'held') {
    const waitMs = (state.nextAt ?? now) - now;
    const held = state.kind === 'held' ? ['held'] : [];
    const next = waitMs > 0 ? [`again in ${waitText(waitMs)}`] : [];
    const text = [...held, ...next].join(', ') || 'again now';
    return [status, span(`  ${text}`, styles.warning)];
  }
  const tries = last.attempt > 1 ? `, try ${last.attempt}` : '';
  return [status, span(`  ${durationText(last.answer.ms)}${tries}`, styles.faint)];
}

/** The states that need attention first. */
const urgency: readonly TargetState['kind'][] = ['held', 'stopped', 'retrying', 'failed', 'waiting', 'skipped', 'done'];

/** Of all targets: the one that needs attention, and how many there are. */
export function outcomeLine({ targets }: Row, now: number): Line {
  const states = [...targets.values()];
  if (states.length === 0) return [span('not wanted', styles.faint)];
  const [first] = states.toSorted((a, b) => urgency.indexOf(a.kind) - urgency.indexOf(b.kind));
  const line = first ? stateLine(first, now) : [];
  if (states.length === 1) return line;
  const done = states.filter(({ kind }) => kind === 'done').length;
  return [...line, span(`  ${done} of ${states.length}`, styles.faint)];
}
