/* A change of the state of an alert as it is stored for agents. */
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import type { Change } from './conditions.ts';
import { linesOf } from './message.ts';
import type { AlertRow } from './store.ts';

/** @param at epoch ms */
export function toChangeRow(
  { id: alertId, name: alertName, endpoint, kind }: Pick<AlertRow, 'id' | 'name' | 'endpoint' | 'kind'>,
  { firing, ...lines }: Change,
  { at, random }: { at: number; random: RandomBytes },
) {
  const text = linesOf({ ...lines, held: 0 }).join('\n');
  return { id: newId('alc', at, random), endpoint, alertId, alertName, kind, firing, text, at };
}
