/* The env file. A line that cannot be read is a problem, because the operator assumes that its setting applies. */

export type EnvFile = {
  readonly values: ReadonlyMap<string, string>;
  /** Each starts with `line N: `. */
  readonly problems: readonly string[];
};

const assignmentForm = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=[ \t]*(.*)$/s;
const commentOrBlank = /^\s*(#.*)?$/;

/** The value of an unquoted right-hand side. A comment needs a space before its `#`. */
function unquoted(text: string): string | undefined {
  const value = text.replace(/(^|\s)#.*$/, '').trim();
  return value.includes('#') ? undefined : value;
}

/** Single quotes and backticks are literal, double quotes know `\n`; all may span lines. The last of two names wins. */
export function parseEnvFile(text: string): EnvFile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const values = new Map<string, string>();
  const problems: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (commentOrBlank.test(line)) continue;
    const lineNumber = at + 1;
    const [, name, right = ''] = assignmentForm.exec(line) ?? [];
    if (name === undefined) {
      problems.push(`line ${lineNumber}: expected NAME=VALUE`);
      continue;
    }
    const quote = /^["'`]/.exec(right)?.[0];
    if (quote === undefined) {
      const value = unquoted(right);
      if (value === undefined) problems.push(`line ${lineNumber}: put the value of ${name} in quotes, it contains #`);
      else values.set(name, value);
      continue;
    }
    let quoted = right.slice(1);
    let last = at;
    while (!quoted.includes(quote) && last + 1 < lines.length) quoted += `\n${lines[++last] ?? ''}`;
    const end = quoted.indexOf(quote);
    if (end < 0) {
      problems.push(`line ${lineNumber}: the value of ${name} has no closing ${quote}`);
      continue;
    }
    at = last;
    if (!commentOrBlank.test(quoted.slice(end + 1))) {
      problems.push(`line ${lineNumber}: unexpected text after the closing ${quote} of ${name}`);
      continue;
    }
    const value = quoted.slice(0, end);
    values.set(name, quote === '"' ? value.replaceAll('\\n', '\n') : value);
  }
  return { values, problems };
}
