/* The paths of rules for bodies, by their steps. Of several rules for one value, the first counts. */
import { readBodyPath } from '../../shared/filter/body-path.ts';
import { FilterError, type Step } from '../../shared/filter/filter.ts';
import { endOfQuoted, unquote } from '../../shared/filter/tokens.ts';
import { anyDepth } from '../../shared/redaction.ts';

/** `rule`: the number of the rule whose path ends here. */
export type Branch = { keys: Map<string, Branch>; item: Branch | undefined; hasIndexes: boolean; rule: number };

export const noRule = Number.POSITIVE_INFINITY;

export type BodyPaths = {
  root: Branch;
  /** For paths that may begin anywhere. */
  anywhere: Branch;
  /** The rule for a field of a form; `noRule` without one. */
  ruleOfName: (names: readonly string[]) => number;
};

const createBranch = (): Branch => ({ keys: new Map(), item: undefined, hasIndexes: false, rule: noRule });

export function createBodyPaths(paths: readonly { path: RulePath; rule: number }[]): BodyPaths {
  const root = createBranch();
  const anywhere = createBranch();
  const fields = new Map<string, number>();
  for (const { path, rule } of paths) {
    let branch = path.isAnyDepth ? anywhere : root;
    for (const step of path.steps) branch = 'key' in step ? childOf(branch, step.key) : itemOf(branch);
    branch.rule = Math.min(branch.rule, rule);
    if (!fields.has(path.name)) fields.set(path.name, rule);
  }
  const deep = paths.flatMap(({ path: { isAnyDepth, steps }, rule }) =>
    isAnyDepth ? [{ keys: steps.flatMap(step => ('key' in step ? [step.key] : [])), rule }] : [],
  );
  const ruleOf = (name: string): number => {
    const whole = fields.get(name) ?? noRule;
    if (deep.length === 0 || !/[.[]/.test(name)) return whole;
    const keys = name.split(/[.[\]]+/);
    return Math.min(whole, ...deep.filter(one => isWithin(one.keys, keys)).map(({ rule }) => rule));
  };
  return { root, anywhere, ruleOfName: names => Math.min(...names.map(ruleOf)) };
}

function childOf(branch: Branch, key: string): Branch {
  const child = branch.keys.get(key) ?? createBranch();
  branch.keys.set(key, child);
  if (/^(?:0|[1-9]\d{0,8})$/.test(key)) branch.hasIndexes = true;
  return child;
}

function itemOf(branch: Branch): Branch {
  branch.item ??= createBranch();
  return branch.item;
}

/** Whether the keys follow one another somewhere in `user[address][email]`, which is inside all of its keys. */
const isWithin = (keys: readonly string[], all: readonly string[]): boolean =>
  keys.length > 0 && all.some((_, at) => keys.every((key, i) => all[at + i] === key));

export function branchesOfKey(branches: readonly Branch[], anywhere: Branch, key: string): readonly Branch[] {
  let found: Branch[] = none;
  for (const { keys } of branches) found = withBranch(found, keys.get(key));
  return withBranch(found, anywhere.keys.get(key));
}

export function branchesOfItem(branches: readonly Branch[], anywhere: Branch, index: number): readonly Branch[] {
  let found: Branch[] = none;
  for (const branch of branches) found = withItem(found, branch, index);
  return withItem(found, anywhere, index);
}

function withItem(found: Branch[], { item, keys, hasIndexes }: Branch, index: number): Branch[] {
  const more = withBranch(found, item);
  return hasIndexes ? withBranch(more, keys.get(String(index))) : more;
}

/** Most values have no branches, so that no list is made for them. */
const none: Branch[] = [];

function withBranch(found: Branch[], branch: Branch | undefined): Branch[] {
  if (!branch) return found;
  return found === none ? [branch] : [...found, branch];
}

export const ruleOf = (branches: readonly Branch[]): number => {
  let rule = noRule;
  for (const branch of branches) if (branch.rule < rule) rule = branch.rule;
  return rule;
};

/** The name of a header or a query parameter, which may be in quotes. @throws FilterError */
export function readFieldName(path: string): string {
  const characters = [...path];
  if (characters[0] !== '"' || endOfQuoted(characters, 0) !== characters.length) return path;
  return unquote(characters, { start: 0, end: characters.length });
}

/** `name`: of a field of a form. */
export type RulePath = { isAnyDepth: boolean; steps: readonly Step[]; name: string };

/** @throws FilterError */
export function readRulePath(path: string): RulePath {
  const isAnyDepth = path.startsWith(anyDepth);
  const rest = isAnyDepth ? path.slice(anyDepth.length) : path;
  const characters = [...(rest.startsWith('[') ? rest : `.${rest}`)];
  for (let at = 0; at < characters.length; at++) {
    if (characters[at] !== '"') continue;
    const end = endOfQuoted(characters, at);
    if (end === undefined) throw new FilterError('this quote is not closed', at);
    at = end - 1;
  }
  const { path: steps, name } = readBodyPath(characters, { start: 0, end: characters.length });
  if (steps.length === 0) throw new FilterError('a key is missing here', 0);
  if (steps.some(step => 'key' in step && step.key === '*') && !path.includes('"*"'))
    throw new FilterError('"*." is only for the beginning; items[] means all items of a list', 0);
  return { isAnyDepth, steps, name };
}
