/* The fields of a filter, for the parser, for completion and for the documentation. */
import { nearest } from '../suggest.ts';
import { type ColumnName, states, verdicts } from './filter.ts';

export type FieldHelp = {
  /** As it is typed, with the dot that a name must follow. */
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly isComparable: boolean;
  /** All values there are, when they are few. */
  readonly values: readonly string[];
};

const columns: Record<ColumnName, Omit<FieldHelp, 'name'>> = {
  type: text('event type, as the platform calls it', 'type:invoice.*'),
  platform: text('detected sender', 'platform:stripe'),
  method: text('HTTP method', 'method:POST'),
  path: text('path after the ingest URL', 'path:/orders/*'),
  verdict: text('whether the signature holds; none without a signature', 'verdict:valid', verdicts),
  ip: text('address of the sender, or a network', 'ip:10.0.0.0/8'),
  size: number('bytes of the body; k, M and G are KiB, MiB and GiB', 'size>10k'),
  received: number('a time, a day, or how long ago; UTC', 'received>2h'),
  attempt: number('which attempt of its delivery', 'attempt>1'),
  answered: number('status that the sender was answered', 'answered:5xx'),
  tag: text('a tag that someone gave it', 'tag:golden'),
  is: text('a state', 'is:pinned', states),
};

const content: Record<'header' | 'query' | 'body', Omit<FieldHelp, 'name'>> = {
  header: number('a header; names ignore case', 'header.x-shop-domain:acme*'),
  query: number('a parameter of the query', 'query.page:2'),
  body: number('a field of a JSON or form body; [] is any item', 'body.items[].sku:"A-1"'),
};

export const fields: readonly FieldHelp[] = [
  ...Object.entries(columns).map(([name, help]) => ({ name, ...help })),
  ...Object.entries(content).map(([name, help]) => ({ name: `${name}.`, ...help })),
  { name: 'has', ...text('a header, parameter or field that is there, whatever its value', 'has:body.refund') },
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

/** The field that `name` was probably meant to be, with what follows a dot left out. */
export function nearestField(name: string): string | null {
  const [first = ''] = name.split(/[.[]/);
  const isDotted = first.length < name.length;
  const known = isDotted ? Object.keys(content) : [...Object.keys(columns), ...Object.keys(content), 'has'];
  const found = nearest(first.toLowerCase(), known);
  // Every name of two letters is near to `is`.
  return found !== undefined && sharesLetter(first.toLowerCase(), found) ? found : null;
}

const sharesLetter = (a: string, b: string): boolean => [...a].some(letter => b.includes(letter));
