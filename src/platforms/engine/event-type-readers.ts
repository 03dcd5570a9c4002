/*
 * Readers of event types that a path in the body cannot express, for the rows of the catalog. A reader for a single platform is
 * in that platform's file. All return undefined for an unexpected body, and never throw. They search text by position, never
 * with a pattern that can backtrack.
 */
import { firstFormValue, parseNestedJson, valueAt } from './delivery-reader.ts';
import type { EventTypeReader } from './platform.ts';

/** A path in JSON that is the value of a form field. */
export const formJson = (name: string, path: string): EventTypeReader => ({
  description: `form field \`${name}\`, JSON \`${path}\``,
  read: reader => valueAt(parseNestedJson(firstFormValue(reader.form(), name)), path),
});

/** The first key of the JSON that passes the test. */
export const jsonKey = (description: string, test: (key: string) => boolean): EventTypeReader => ({
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
