/* Compares the endpoints of a file with the existing ones. Pure: the plan lists the writes, which are one batch. */

import type { Plan } from '../../core/access/principal.ts';
import type { AnswerRules } from '../../core/answers/model.ts';
import { AppError } from '../../core/errors.ts';
import { readOwnRetention } from '../../core/events/retention.ts';
import type { FieldPath, FieldProblem } from '../../core/field-problems.ts';
import type { Guard } from '../../core/guard/model.ts';
import { checkGuard } from '../../core/guard/settings.ts';
import { noRedaction, type Redaction } from '../../core/redaction/model.ts';
import { type ForwardSettings, maxForwardsPerEndpoint } from '../../shared/forwards.ts';
import type { Declaration } from './document.ts';
import type { EndpointChange, EndpointRow, ForwardColumns, ForwardWrites, SecretInput, SecretRow } from './store.ts';

/** The fields that a file may give, besides name and account. */
export const managedFields = ['address', 'secrets', 'answers', 'redaction', 'forwards', 'guard', 'retention'] as const;
export type ManagedField = (typeof managedFields)[number];

/** The current values of an endpoint, or the defaults of a new one. */
export type Current = {
  row: EndpointRow;
  guard: Guard | null;
  answers: AnswerRules | null;
  redaction: Redaction | null;
  forwards: readonly CurrentForward[];
  /** Decrypted. */
  secrets: readonly (Pick<SecretRow, 'id' | 'platform' | 'confirmed' | 'declared'> & { secret: string })[];
};

export type PlanTools = {
  retentionLimitMs: (plan: Plan) => number;
  seal: (endpointId: string, guard: Guard | null) => Pick<EndpointRow, 'guard' | 'guardSecrets'>;
  newSecret: (secret: { platform: string | null; secret: string }) => SecretInput;
  newForwardId: () => string;
  /** The columns of a forward. */
  forwardColumns: (id: string, settings: ForwardSettings) => ForwardColumns;
  /** Sealed, for a new forward. */
  newForwardSecret: (id: string) => Buffer;
};

/** `fields`: the fields that differ, by their names in the file. `set`: columns to write, even if no field differs. */
export type Difference = EndpointChange & { fields: string[] };

/** Problems go to `report`. */
export function differenceOf(
  declared: Declaration,
  current: Current,
  { plan, tools, report }: { plan: Plan; tools: PlanTools; report: (problem: FieldProblem) => void },
): Difference {
  const { row } = current;
  const difference: Difference = {
    fields: [],
    set: {},
    answers: undefined,
    redaction: undefined,
    addSecrets: [],
    confirmSecrets: [],
    removeSecrets: [],
    forwards: { add: [], set: [], remove: [] },
  };
  const given = managedFields.filter(field => declared[field] !== undefined);
  /** Fields that were in the file before and no longer are count, too: they return to their defaults. */
  const isManaged = (field: ManagedField): boolean => given.includes(field) || row.declaredFields.includes(field);
  const differ = (field: string, set: Partial<EndpointRow>): void => {
    difference.fields.push(field);
    Object.assign(difference.set, set);
  };
  const attempt = <T>(path: FieldPath, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      for (const problem of error.problems) report({ ...problem, path: [...path, ...problem.path] });
      return undefined;
    }
  };

  if (row.name !== declared.name) differ('name', { name: declared.name });
  if (isManaged('retention')) {
    const retention = declared.retention ?? null;
    const retentionMs = attempt(declared.path, () => readOwnRetention(retention, tools.retentionLimitMs(plan)));
    if (retentionMs !== undefined && retention !== row.retention) differ('retention', { retention, retentionMs });
  }
  if (isManaged('guard')) {
    const guard = guardOf(declared, current.guard, report);
    if (guard !== undefined && !isSame(guard, current.guard)) differ('guard', tools.seal(row.id, guard));
  }
  if (isManaged('answers')) {
    const rules = declared.answers ?? null;
    const answers = rules === null || rules.rules.length === 0 ? null : rules;
    if (!isSame(answers, current.answers)) {
      differ('answers', {});
      difference.answers = answers;
    }
  }
  if (isManaged('redaction')) {
    const { redaction: given = noRedaction } = declared;
    const redaction = isSame(given, noRedaction) ? null : given;
    if (!isSame(redaction, current.redaction)) {
      differ('redaction', {});
      difference.redaction = redaction;
    }
  }
  if (isManaged('secrets')) compareSecrets(declared.secrets ?? [], current.secrets, difference, tools);
  if (isManaged('forwards')) {
    difference.forwards = forwardWrites(declared, current, tools, report);
    const { add, set, remove } = difference.forwards;
    if (add.length + set.length + remove.length > 0) difference.fields.push('forwards');
  }
  if (row.declaredName === null) difference.fields.push('declared');
  if (row.declaredName !== declared.name || !isSame(row.declaredFields, given))
    Object.assign(difference.set, { declaredName: declared.name, declaredFields: given });
  return difference;
}

function forwardWrites(
  { forwards = [], path }: Declaration,
  current: Current,
  { newForwardId, forwardColumns, newForwardSecret }: PlanTools,
  report: (problem: FieldProblem) => void,
): ForwardWrites {
  const { add, set, remove } = compareForwards(forwards, current.forwards);
  if (current.forwards.length - remove.length + add.length > maxForwardsPerEndpoint)
    report({ path: [...path, 'forwards'], message: `an endpoint has at most ${maxForwardsPerEndpoint} forwards` });
  return {
    add: add.map(settings => {
      const id = newForwardId();
      return { id, columns: { ...forwardColumns(id, settings), secret: newForwardSecret(id) } };
    }),
    set: set.map(({ id, settings, before }) => ({
      id,
      columns: forwardColumns(id, settings),
      isElsewhere: settings.url !== before.url,
    })),
    remove,
  };
}

/** @returns undefined if the guard cannot be used; `report` has the problem */
function guardOf(
  { guard: given, path }: Declaration,
  stored: Guard | null,
  report: (problem: FieldProblem) => void,
): Guard | null | undefined {
  if (given === undefined || given === null) return null;
  const read = checkGuard(given, stored);
  if ('guard' in read) return read.guard;
  for (const problem of read.problems) report({ ...problem, path: [...path, 'guard', ...problem.path] });
  return undefined;
}

/**
 * Only secrets that a file gave are removed. An equal secret that a person added or a handshake delivered counts as the file's.
 */
function compareSecrets(
  declared: NonNullable<Declaration['secrets']>,
  current: Current['secrets'],
  difference: Difference,
  { newSecret }: PlanTools,
): void {
  const isOne = (one: { platform: string | null; secret: string }) => (other: typeof one) =>
    one.platform === other.platform && one.secret === other.secret;
  for (const one of declared) {
    const same = current.find(isOne(one));
    if (!same) difference.addSecrets.push(newSecret(one));
    else if (!same.confirmed) difference.confirmSecrets.push(same.id);
  }
  for (const one of current) if (one.declared && !declared.some(isOne(one))) difference.removeSecrets.push(one.id);
  const { addSecrets, confirmSecrets, removeSecrets } = difference;
  if (addSecrets.length + confirmSecrets.length + removeSecrets.length > 0) difference.fields.push('secrets');
}

const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** JSON with sorted keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

export type CurrentForward = ForwardSettings & { id: string; declared: boolean };

/** `set`: the former settings, with the file's in their place. */
export type ForwardDifference = {
  add: ForwardSettings[];
  set: { id: string; settings: ForwardSettings; before: ForwardSettings }[];
  remove: string[];
};

/** Forwards are identified by their names. Only forwards that a file gave are removed. A forward of that name that a person made is taken over. */
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
