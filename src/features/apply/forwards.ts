/* Compares the forwards of a file with the forwards of the endpoint. Forwards are identified by their names. */
import type { ForwardSettings } from '../../shared/forwards.ts';

export type CurrentForward = ForwardSettings & { id: string; declared: boolean };

/** `set`: the former settings, with the file's in their place. */
export type ForwardDifference = {
  add: ForwardSettings[];
  set: { id: string; settings: ForwardSettings; before: ForwardSettings }[];
  remove: string[];
};

/** Only forwards that a file gave are removed. A forward of that name that a person made is taken over. */
export function compareForwards(
  declared: readonly ForwardSettings[],
  current: readonly CurrentForward[],
): ForwardDifference {
  const difference: ForwardDifference = { add: [], set: [], remove: [] };
  for (const settings of declared) {
    const same = current.find(({ name }) => name === settings.name);
    if (!same) difference.add.push(settings);
    else {
      const { id, declared: isDeclared, ...before } = same;
      if (!isDeclared || !Bun.deepEquals(before, settings)) difference.set.push({ id, settings, before });
    }
  }
  const names = declared.map(({ name }) => name);
  for (const one of current) if (one.declared && !names.includes(one.name)) difference.remove.push(one.id);
  return difference;
}
