/* Notes what the rules take out of one event. */
import type { Redacted, RedactionChange } from './model.ts';

const maxFields = 100;
/** Field names can be as long as a body. */
const maxFieldCharacters = 300;
const maxShownCharacters = 500;
const maxChanges = 100;

/** `before`: the value as text; it is read only for a preview. `after`: null for something that was removed. */
type Note = { rule: number; field: () => string; before: () => string; after: string | null };

export type Taken = ReturnType<typeof createTaken>;

/** @param onChange gets the first changes */
export function createTaken(onChange: ((change: RedactionChange) => void) | undefined) {
  const rules = new Set<number>();
  const fields = new Set<string>();
  let changes = 0;
  return {
    note: ({ rule, field, before, after }: Note): void => {
      changes++;
      rules.add(rule);
      if (fields.size < maxFields) fields.add(field());
      if (onChange && changes <= maxChanges)
        onChange({ field: field(), before: shown(before()), after: after === null ? null : shown(after) });
    },
    redacted: (sha256: () => string | null): Redacted | null =>
      changes === 0
        ? null
        : { rules: rules.size - Number(rules.has(noRuleButBody)), fields: [...fields], sha256: sha256() },
  };
}

/** The number for `otherBodies`, which is not a rule. */
export const noRuleButBody = -1;

const shown = (text: string): string =>
  text.length <= maxShownCharacters ? text : `${text.slice(0, maxShownCharacters).toWellFormed()}…`;

export const shortField = (name: string): string =>
  name.length <= maxFieldCharacters ? name : `${name.slice(0, maxFieldCharacters).toWellFormed()}…`;
