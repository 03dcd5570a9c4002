/* A form as a schema: for each field of a request, by its path, how its value becomes a draft and the draft a value again. Pure. */

import type { ComponentChildren, VNode } from 'preact';

/** What a form keeps of a field while it is edited. Pairs are such as headers. */
export type FieldDraft = string | boolean | readonly string[] | readonly Pair[];
export type Pair = readonly [name: string, value: string];

// Its methods are written as methods, so that an Input<string> fits where an Input<FieldDraft> is wanted.
export type Input<D> = { value: D; problem: string; change(value: D): void };

/** In place of what the schema says about a field, where it depends on another field. */
export type FieldTexts = {
  label?: string;
  hint?: ComponentChildren;
  placeholder?: string;
  /** Shows a secret, such as a just generated one. */
  isReadable?: boolean;
};

export type FormField<D extends FieldDraft = FieldDraft, V = unknown> = {
  /** @param value of what is saved; null or undefined for an empty field */
  from(value: V | null | undefined): D;
  /** undefined leaves the field out of the request. */
  to(draft: D): V | undefined;
  /** What is wrong with the draft; undefined when nothing is. */
  problem?(draft: D): string | undefined;
  /** For a secret: the draft without it. Only this is kept in the browser, and it is what remains once the secret is saved. */
  withoutSecret?(draft: D): D;
  /** Without it, the form shows the field with a component of its own. */
  View?(props: { input: Input<D>; texts: FieldTexts }): VNode;
};

export type Schema = Readonly<Record<string, FormField>>;
export type DraftOf<S extends Schema> = { [P in keyof S]: ReturnType<S[P]['from']> };
export type Problems<P extends PropertyKey = string> = { [N in P]?: string | undefined };

type PathsOf<T> = { [K in keyof T & string]-?: K | InnerPaths<K, NonNullable<T[K]>> }[keyof T & string];
type InnerPaths<K extends string, T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? `${K}.${PathsOf<T>}`
    : never;
type ValueAt<T, P> = P extends `${infer K}.${infer Rest}` ? ValueAt<NonNullable<T[K & keyof T]>, Rest> : T[P & keyof T];

/** The fields of a request: a schema that `satisfies` it has only paths of the request, and values of their types. */
export type SchemaOf<T> = { readonly [P in PathsOf<T>]?: FormField<FieldDraft, ValueAt<T, P>> };

export type Rules<S extends Schema> = {
  schema: S;
  /** Whether a field is shown and sent. By default every field is. */
  applies?: ((path: keyof S & string, draft: DraftOf<S>) => boolean) | undefined;
  check?: ((draft: DraftOf<S>) => Problems<keyof S & string>) | undefined;
};

const pathsOf = <S extends Schema>(schema: S): (keyof S & string)[] => Object.keys(schema);

/** @param saved the thing that is edited, or the defaults of a new one */
export function draftOf<S extends Schema>(schema: S, saved: object): DraftOf<S> {
  const drafts = pathsOf(schema).map(path => [path, schema[path]?.from(valueAt(saved, path))]);
  return Object.fromEntries(drafts) as DraftOf<S>;
}

export const withoutSecrets = <S extends Schema>(schema: S, draft: DraftOf<S>): DraftOf<S> =>
  Object.fromEntries(
    pathsOf(schema).map(path => [path, schema[path]?.withoutSecret?.(draft[path]) ?? draft[path]]),
  ) as DraftOf<S>;

const valueAt = (object: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], object);

export const appliedPaths = <S extends Schema>(
  { schema, applies }: Rules<S>,
  draft: DraftOf<S>,
): (keyof S & string)[] => pathsOf(schema).filter(path => applies?.(path, draft) ?? true);

export function requestOf<S extends Schema>(rules: Rules<S>, draft: DraftOf<S>): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  for (const path of appliedPaths(rules, draft)) {
    const value = rules.schema[path]?.to(draft[path]);
    if (value !== undefined) setAt(request, path.split('.'), value);
  }
  return request;
}

function setAt(object: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    object[name] = value;
    return;
  }
  const inner = (object[name] ?? {}) as Record<string, unknown>;
  object[name] = inner;
  setAt(inner, rest, value);
}

/** The fields of a request that differ from one before. A field that is not in it any more becomes null. */
export function differenceOf(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differing = [...names].filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map(name => [name, after[name] ?? null]));
}

/** What is wrong with a draft, as far as it is known without the server. */
export function problemsOf<S extends Schema>(rules: Rules<S>, draft: DraftOf<S>): Problems<keyof S & string> {
  const checked = Object.entries<string | undefined>(rules.check?.(draft) ?? {});
  const problems: Problems = Object.fromEntries(checked.filter(([, problem]) => problem !== undefined));
  for (const path of appliedPaths(rules, draft)) {
    const problem = rules.schema[path]?.problem?.(draft[path]);
    if (problem !== undefined) problems[path] = problem;
  }
  return problems as Problems<keyof S & string>;
}

/**
 * The problem of a field while the form is edited: nothing is held against an empty field until saving was tried.
 * @param own of `problemsOf()`
 */
export const isShown = (own: string | undefined, draft: FieldDraft, isTried: boolean): boolean =>
  own !== undefined && (isTried || (draft !== '' && draft !== false && !(Array.isArray(draft) && draft.length === 0)));

/** The field that shows a problem at a path of the request: the field itself, else one that contains the path, else one inside it. */
export const fieldFor = <P extends string>(paths: readonly P[], path: string): P | undefined =>
  paths.find(one => one === path) ??
  paths.find(one => path.startsWith(`${one}.`) || path.startsWith(`${one}[`)) ??
  paths.find(one => path !== '' && one.startsWith(`${path}.`));
