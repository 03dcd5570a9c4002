/*
 * Builds the samples in `../samples/`: requests as JSON, with placeholders for what is new in each. `{uuid}`, `{hex 32}`,
 * `{iso -60}` call a function of `Fresh`, `{name}` is one of the sample's `values`, and `{text 17|upper}` changes the result. A text
 * that is only a placeholder becomes its value, which may be a number or an object.
 */
import { type Fresh, formRequest, jsonRequest, type Sample, type SampleRequest } from './sample.ts';

type Values = Readonly<Record<string, unknown>>;

export type SampleParts = {
  /** Texts and objects that placeholders name. Each is filled once in a request, so that an id is the same everywhere. */
  values?: Values;
  query?: string;
  headers?: Values;
  json?: unknown;
  /** A field that is an object is sent as JSON. */
  form?: Values;
  /** The lines of any other body. */
  text?: readonly string[];
};

/** `shared` is merged into each sample. */
export type SampleFile = {
  shared?: SampleParts;
  samples: readonly (SampleParts & Pick<Sample, 'name' | 'title'>)[];
};

export const documentedSamples = ({ shared = {}, samples }: SampleFile): Sample[] =>
  samples.map(({ name, title, ...own }) => ({ name, title, build: fresh => buildRequest(merge(shared, own), fresh) }));

function buildRequest(
  { values = {}, query, headers = {}, json, form, text }: SampleParts,
  fresh: Fresh,
): SampleRequest {
  const fill = createFill(values, fresh);
  const filled = asTexts(fill(headers));
  const request = form ? formRequest(filled, asTexts(fill(form))) : jsonRequest(filled, fill(json));
  return {
    ...request,
    query: query === undefined ? null : String(fill(query)),
    body: text ? String(fill(text.join('\n'))) : request.body,
  };
}

/** Objects are merged; of anything else, the second counts. */
export function merge<Whole>(shared: Whole, own: Whole): Whole {
  if (!isRecord(shared) || !isRecord(own)) return own;
  const merged = Object.entries(own).map(([key, value]) => [key, key in shared ? merge(shared[key], value) : value]);
  return { ...shared, ...Object.fromEntries(merged) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asTexts = (fields: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields as Values).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );

const filters: Readonly<Record<string, (text: string) => string>> = {
  text: text => text,
  upper: text => text.toUpperCase(),
  lower: text => text.toLowerCase(),
  base64: text => Buffer.from(text).toString('base64'),
  /** An RFC 3339 time without milliseconds and time zone. */
  local: time => time.slice(0, 19),
};

const placeholder = /\{(\w+)(?: (-?\d+))?(?:\|(\w+))?\}/;
const placeholders = new RegExp(placeholder, 'g');
const onlyPlaceholder = new RegExp(`^${placeholder.source}$`);

function createFill(values: Values, fresh: Fresh): (part: unknown) => unknown {
  const made = new Map<string, (argument: never) => unknown>(Object.entries(fresh));
  const filled = new Map<string, unknown>();
  const find = (name: string, argument: string | undefined): unknown => {
    if (!Object.hasOwn(values, name)) return made.get(name)?.((argument && Number(argument)) as never);
    if (!filled.has(name)) filled.set(name, fill(values[name]));
    return filled.get(name);
  };
  const read = ([text, name = '', argument, filter]: readonly string[]): unknown => {
    const value = find(name, argument);
    const result = filter === undefined ? value : filters[filter]?.(String(value));
    if (result === undefined) throw new Error(`a sample has the unknown placeholder ${text}`);
    return result;
  };
  function fill(part: unknown): unknown {
    if (typeof part === 'string') {
      const only = onlyPlaceholder.exec(part);
      return only ? read(only) : part.replace(placeholders, (...match: string[]) => String(read(match)));
    }
    if (Array.isArray(part)) return part.map(fill);
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fill(value)]));
  }
  return fill;
}
