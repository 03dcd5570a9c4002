/* The JUnit file of a run: one test suite with one test case. Text in it may be hostile, and XML has characters that it cannot contain. */
import { escapeUnsafe } from '../../log.ts';

export type TestCase = {
  name: string;
  durationMs: number;
  /** `failure`: the expectation was not met; `error`: the result is unknown, for example without a server. */
  problem?: { kind: 'failure' | 'error'; type: string; message: string; text: string };
};

export function toJunit({ name, durationMs, problem }: TestCase): string {
  const time = (durationMs / 1000).toFixed(3);
  const counts = `tests="1" failures="${problem?.kind === 'failure' ? 1 : 0}" errors="${problem?.kind === 'error' ? 1 : 0}"`;
  const body = problem
    ? `>\n      <${problem.kind} message="${xmlText(problem.message)}" type="${xmlText(problem.type)}">${xmlText(problem.text)}</${problem.kind}>\n    </testcase>`
    : '/>';
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hooktape" ${counts} time="${time}">
  <testsuite name="hooktape expect" ${counts} time="${time}">
    <testcase classname="hooktape.expect" name="${xmlText(name)}" time="${time}"${body}
  </testsuite>
</testsuites>
`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
};

/** For an attribute or an element. Controls, which XML 1.0 forbids, become `\uXXXX`, lone surrogates U+FFFD. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .split('\n')
    .map(line => escapeUnsafe(line).replace(/[\ufffe\uffff]/g, '\ufffd'))
    .join('\n')
    .replace(/[&<>"'\n]/g, character => entities[character] ?? character);
