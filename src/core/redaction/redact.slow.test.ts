/* Bodies of 1 MB that a hostile sender makes: with an algorithm that is not linear, each would take minutes. */
import { expect, test } from 'bun:test';
import { isJson } from '../json/validator.ts';
import { compileRedaction } from './redact.ts';
import { readRedaction } from './schema.ts';

const bytes = 1 << 20;
const fill = (text: string): string => text.repeat(Math.floor(bytes / text.length));
const inString = (text: string): string => JSON.stringify(fill(text));

const redact = compileRedaction(
  readRedaction({
    rules: [
      { in: 'body', path: '*.a', with: 'hash' },
      { in: 'body', path: 'items[].card', with: 'remove' },
      { detect: 'card', with: 'hash' },
      { detect: 'email', with: 'mask' },
      { detect: 'ip', with: 'remove' },
    ],
    otherBodies: 'keep',
  }),
  Buffer.alloc(32, 1),
);

test.each([
  ['nesting', `${'['.repeat(1000)}"${fill('x')}"${']'.repeat(1000)}`],
  ['endless nesting', fill('[')],
  ['deep keys', `${'{"kkkkkkkk":'.repeat(900)}[${fill('{"a":1},')}1]${'}'.repeat(900)}`],
  ['repeated keys', `{${fill('"a":1,"b":[1],')}"c":1}`],
  ['removed members', `{"items":[${fill('{"card":1,"card":2},')}1]}`],
  ['digits', inString('1')],
  ['separated digits', inString('0 ')],
  ['at signs', inString('a@')],
  ['letters beyond ASCII', inString(`${'é'.repeat(120)}—@`)],
  ['long domains', JSON.stringify(`a@${fill('b-')}`)],
  ['addresses', inString('1.2.3.4 a::b:')],
  ['colons', inString(':')],
  ['escapes', `"${fill('\\u0031')}"`],
  ['lone surrogates', `"${fill('\\ud800')}"`],
  ['nested escapes', `"${fill('\\\\\\\\')}"`],
  ['nested percent encodings', inString('%2525')],
  ['pairs', fill('a=1&')],
  ['empty pairs', `a=1${fill('&')}`],
  ['invalid percent encodings', `a=${fill('%zz%')}`],
  ['long names', `${fill('a[')}=1`],
])('%s', (_, text) => {
  const body = Buffer.from(text);
  const { event } = redact({ path: '/', query: null, headers: [], body, sourceIp: '' });
  if (isJson(body) && event.body.length > 0) expect(isJson(event.body)).toBe(true);
  expect(event.body.length).toBeLessThan(5 * bytes);
});
