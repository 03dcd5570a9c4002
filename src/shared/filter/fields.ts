/* The fields of a filter, for the parser, for completion and for the documentation. */
import { nearest } from '../suggest.ts';
import { type ColumnName, states, verdicts } from './filter.ts';

export type FieldHelp = {
  /** The field as it is typed. A dot at its end must be followed by a name. */
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly isComparable: boolean;
  /** All possible values, if there are only a few. */
  readonly values: readonly string[];
};

const columns: Record<ColumnName, Omit<FieldHelp, 'name'>> = {
  type: text('event type, as named by the platform', 'type:invoice.*'),
  platform: text('detected sender', 'platform:stripe'),
  method: text('HTTP method', 'method:POST'),
  path: text('path after the ingest URL', 'path:/orders/*'),
  verdict: text('signature verdict; none: no signature', 'verdict:valid', verdicts),
  ip: text('IP address of the sender, or a network', 'ip:10.0.0.0/8'),
  size: number('body size in bytes; k, M and G are KiB, MiB and GiB', 'size>10k'),
  received: number('a time or date (UTC), or how long ago', 'received>2h'),
  attempt: number('number of the attempt within its delivery', 'attempt>1'),
  answered: number('status that the sender got', 'answered:5xx'),
  tag: text('a tag of the event', 'tag:golden'),
  is: text('a state of the event', 'is:pinned', states),
};

const content: Record<'header' | 'query' | 'body', Omit<FieldHelp, 'name'>> = {
  header: number('a header; names are not case-sensitive', 'header.x-shop-domain:acme*'),
  query: number('a query parameter', 'query.page:2'),
  body: number('a field of a JSON or form body; [] means any item', 'body.items[].sku:"A-1"'),
};

export const fields: readonly FieldHelp[] = [
  ...Object.entries(columns).map(([name, help]) => ({ name, ...help })),
  ...Object.entries(content).map(([name, help]) => ({ name: `${name}.`, ...help })),
  { name: 'has', ...text('a header, parameter or field exists, with any value', 'has:body.refund') },
];

function text(description: string, example: string, values: readonly string[] = []): Omit<FieldHelp, 'name'> {
  return { description, example, isComparable: false, values };
}

function number(description: string, example: string): Omit<FieldHelp, 'name'> {
  return { description, example, isComparable: true, values: [] };
}

export type ContentName = keyof typeof content;

export const isColumn = (name: string): name is ColumnName => Object.hasOwn(columns, name);
export const isContent = (name: string): name is ContentName => Object.hasOwn(content, name);
export const isComparable = (name: ColumnName): boolean => columns[name].isComparable;

/** The field that `name` was probably meant to be, without the part after a dot. */
export function nearestField(name: string): string | null {
  const [first = ''] = name.split(/[.[]/);
  const isDotted = first.length < name.length;
  const known = isDotted ? Object.keys(content) : [...Object.keys(columns), ...Object.keys(content), 'has'];
  const found = nearest(first.toLowerCase(), known);
  // By edit distance, every name of two letters is near `is`.
  return found !== undefined && sharesLetter(first.toLowerCase(), found) ? found : null;
}

const sharesLetter = (a: string, b: string): boolean => [...a].some(letter => b.includes(letter));
