/*
 * Readers of event types and delivery ids that a path cannot express, for the rows of the catalog. A reader for a single platform is
 * in that platform's file. They return undefined for an unexpected body and never throw. They search text by position, never with a
 * pattern that can backtrack.
 */
import { firstFormValue, parseNestedJson, valueAt } from './delivery-reader.ts';
import type { ValueReader } from './platform.ts';

/** A path in JSON that is the value of a form field. */
export const formJson = (name: string, path: string): ValueReader => ({
  description: `form field \`${name}\`, JSON \`${path}\``,
  read: reader => valueAt(parseNestedJson(firstFormValue(reader.form(), name)), path),
});

/** The first key of the JSON that passes the test. */
export const jsonKey = (description: string, test: (key: string) => boolean): ValueReader => ({
  description,
  read: reader => objectKeys(reader.json()).find(test),
});

function objectKeys(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

export function textBetween(text: string, open: string, close: string, from = 0): string | undefined {
  const start = text.indexOf(open, from);
  if (start < 0) return undefined;
  const end = text.indexOf(close, start + open.length);
  return end < 0 || end - start > 1000 ? undefined : text.slice(start + open.length, end);
}

/** A list with several items has no id: a retry may contain others. @param list a path; if missing, the whole body */
export function ofOnlyItem(field: string, list?: string): ValueReader {
  const items = list === undefined ? '' : `${list}.`;
  return {
    description: `JSON \`${items}0.${field}\` when the list has one item`,
    read: reader =>
      reader.jsonValue(`${items}1.${field}`) === undefined ? reader.jsonValue(`${items}0.${field}`) : undefined,
  };
}
