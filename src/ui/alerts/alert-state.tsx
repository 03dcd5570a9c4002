/* The state of an alert as a badge, and its condition as a sentence. */

import type { Alert } from '../../features/alerts/model.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { type Condition, conditionParts, isReporting, stateOf } from './wording.ts';

export function AlertState({ alert }: { alert: Alert }) {
  const { label, tone, hint } = stateOf(alert);
  return (
    <span class={`badge ${tone}`} title={hint}>
      {label}
    </span>
  );
}

export function ConditionSentence({ condition }: { condition: Condition }) {
  const [before, where, after] = conditionParts(condition);
  return (
    <>
      {isReporting(condition) ? 'Reports when' : 'Fires when'} {before}
      {where !== '' && (
        <>
          {' '}
          <code>{visibleLine(where)}</code>
        </>
      )}
      {after !== '' && ` ${after}`}.
    </>
  );
}
