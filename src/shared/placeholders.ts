/*
 * The placeholders in bodies of custom answers and of requests that forwards send: `{{id}}`, `{{header.X}}`, `{{query.X}}`,
 * `{{body.a.b}}`, `{{json body.a.b}}`, `{{truncate 100 raw}}`. Pure, for the server and the dashboard's forms.
 */

const facts = ['id', 'now', 'type', 'platform', 'verdict', 'receivedAt', 'raw', 'endpoint', 'link'] as const;
const places = ['header', 'query', 'body'] as const;

export type PlaceholderSource = (typeof facts)[number] | (typeof places)[number];
/** `name`: of a header or parameter, or the path in the body; empty for a fact, and for the whole body. */
export type Placeholder = {
  source: PlaceholderSource;
  name: string;
  isJson?: boolean;
  /** The most characters. */
  limit?: number;
};

/** Texts and placeholders, in order. */
export type Template = readonly (string | Placeholder)[];

const form = /\{\{([^{}]*)\}\}/g;

/** Who reads the text: the team, or senders, who are strangers. */
type Readers = 'team' | 'strangers';

/** Anything between braces that is not a placeholder stays text, and for strangers the placeholders of the team, too. */
export function readTemplate(text: string, readers: Readers): Template {
  const parts: (string | Placeholder)[] = [];
  let end = 0;
  for (const match of text.matchAll(form)) {
    const placeholder = readPlaceholder(match[1] ?? '');
    if (!placeholder || (readers === 'strangers' && isOfTeam(placeholder))) continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(placeholder);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Texts that look like placeholders but are unknown, each once. */
export const unknownPlaceholders = (text: string): string[] => placeholdersIn(text, found => found === undefined);
/** The placeholders that strangers may not read, each once. */
export const teamPlaceholders = (text: string): string[] =>
  placeholdersIn(text, found => found !== undefined && isOfTeam(found));

const isOfTeam = ({ source }: Placeholder): boolean => source === 'endpoint' || source === 'link';

const placeholdersIn = (text: string, is: (found: Placeholder | undefined) => boolean): string[] => [
  ...new Set([...text.matchAll(form)].flatMap(([whole, inner = '']) => (is(readPlaceholder(inner)) ? [whole] : []))),
];

function readPlaceholder(inner: string): Placeholder | undefined {
  const words = inner.split(/[ \t]+/).filter(word => word !== '');
  const [first = '', second = '', third = ''] = words;
  if (words.length === 1) return readSource(first);
  if (words.length === 2 && first === 'json') {
    if (second === 'body') return { source: 'body', name: '', isJson: true };
    const found = readSource(second);
    return found?.source === 'body' ? { ...found, isJson: true } : undefined;
  }
  if (words.length !== 3 || first !== 'truncate' || !/^[1-9][0-9]{0,5}$/.test(second)) return undefined;
  const cut = readSource(third);
  return cut && { ...cut, limit: Number(second) };
}

function readSource(word: string): Placeholder | undefined {
  const fact = facts.find(one => one === word);
  if (fact) return { source: fact, name: '' };
  const [, place, name = ''] = /^(\w+)\.(\S+)$/.exec(word) ?? [];
  const source = places.find(one => one === place);
  return source && { source, name };
}
