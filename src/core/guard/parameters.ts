/* The parameters of a query as senders may have meant them: `+` is a plus sign in URLs and a space in forms. */

export type Parameter = {
  /** The pair as it was sent, and its part before the value: the name and `=`. */
  raw: string;
  prefix: string;
  /** Both readings; one when they are the same. */
  names: string[];
  values: string[];
};

export function readParameters(query: string | null): Parameter[] {
  if (query === null) return [];
  return query.split('&').map(raw => {
    const equals = raw.indexOf('=');
    const end = equals < 0 ? raw.length : equals;
    const prefix = raw.slice(0, end + 1);
    return { raw, prefix, names: readings(raw.slice(0, end)), values: readings(raw.slice(prefix.length)) };
  });
}

const readings = (text: string): string[] =>
  text.includes('+') ? [decode(text), decode(text.replaceAll('+', ' '))] : [decode(text)];

/** Anything that is not percent-encoded UTF-8 stays as it is. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
