/* Large bodies are read in steps, and the size of a step changes no result. */
import { describe, expect, test } from 'bun:test';
import { createRandom, githubPayloads } from '../../../scripts/lib/payloads.ts';
import type { ContentTerm, HasTerm } from '../../shared/filter/filter.ts';
import { termsOf } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { parseMultipart, readMultipart } from '../../shared/multipart.ts';
import { factsWith, now } from '../../testing/filters/facts.ts';
import { createContentTest } from './content-test.ts';
import { decidingTerm, evaluate, evaluateInSteps, readInSteps } from './evaluate.ts';
import { findParameter } from './form-fields.ts';
import { countMatches, createJsonPaths } from './json-fields.ts';
import { result } from './steps.ts';

function counted<T>(steps: Generator<undefined, T>): { value: T; yields: number } {
  for (let yields = 0; ; yields++) {
    const step = steps.next();
    if (step.done) return { value: step.value, yields };
  }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const pathsOf = (where: string) =>
  createJsonPaths(
    termsOf(parseFilter(where).root)
      .filter((term): term is typeof term & (ContentTerm | HasTerm) & { field: 'body' } => 'path' in term)
      .map(term => ({ path: term.path, test: createContentTest(term) })),
  );

describe('steps of any size', () => {
  test('count the same values in JSON', () => {
    const random = createRandom(3);
    const paths = pathsOf(
      'has:body[] has:body.sender.login body.sender.id>5 body.commits[].author.name:* body.commits[0].id:* has:body.commits[].added[] ' +
        'body.repository.topics[]:* body.repository.private:false body.repository.owner.login:C* has:body.commits.1.author body.ref:""',
    );
    const extras = [
      '{"commits":[[],{"id":"a\\"\\\\","author":{"name":"b"}}],"commits":[{"id":""}]}',
      '[[1,2],{"a":"]"},"}"]',
      '[]',
      '{}',
    ];
    const bodies = [...extras.map(bytes), ...githubPayloads().map(({ body }) => body)];
    for (const body of bodies) {
      const whole = counted(countMatches(body, paths));
      expect(whole.yields).toBe(0);
      const step = 1 + random(random(2) ? 10 : 500);
      const { value, yields } = counted(countMatches(body, paths, step));
      expect(value).toEqual(whole.value);
      if (body.length > 20 * step) expect(yields).toBeGreaterThan(5);
    }
  });

  test('find the same parts and parameters', () => {
    const body = bytes(
      `--b\r\n${Array.from({ length: 30 }, (_, i) => `Content-Disposition: form-data; name="n${i}"\r\n\r\nline\n--bx\n${i}\r\n--b`).join('\r\n')}--`,
    );
    expect(parseMultipart(body, 'b')).toHaveLength(30);
    for (const step of [1, 10, 100]) {
      const { value, yields } = counted(readMultipart(body, 'b', step));
      expect(value).toEqual(parseMultipart(body, 'b'));
      expect(yields).toBeGreaterThan(3);
    }
    const [term] = termsOf(parseFilter('query.n29:29').root);
    if (term?.on !== 'content') throw new Error('not a parameter');
    const text = Array.from({ length: 30 }, (_, i) => `n${i}=${i}`).join('&');
    expect(counted(findParameter(text, 'n29', createContentTest(term), 20))).toMatchObject({ value: true, yields: 8 });
    expect(result(findParameter(text, 'n3', createContentTest(term), 20))).toBe(false);
  });
});

describe('evaluateInSteps', () => {
  const large = JSON.stringify({
    list: Array.from({ length: 150_000 }, (_, i) => ({ i, text: `number ${i}` })),
    last: 'x',
  });
  const facts = factsWith({ body: large });

  test.each([
    ['body.last:x', true],
    ['body.list[].i>149998', true],
    ['body.list[149999].text:"number 149999"', true],
    ['body.list[].i>149999', false],
    ['"number 149999\\"}"', true],
    ['"number 150000"', false],
    ['type:invoice.* body.last:y OR "number 150000"', false],
  ])('%s is %p after several steps', (where, expected) => {
    const filter = parseFilter(where);
    const { value, yields } = counted(evaluateInSteps(filter, facts, now));
    expect(value).toBe(expected);
    expect(yields).toBeGreaterThan(5);
    expect(evaluate(parseFilter(where), facts, now)).toBe(expected);
    // What was read is remembered.
    expect(counted(evaluateInSteps(filter, facts, now)).yields).toBe(0);
  });

  test('does not read a body that does not matter', () => {
    const other = factsWith({ body: large });
    expect(counted(evaluateInSteps(parseFilter('type:x body.last:x'), other, now))).toEqual({
      value: false,
      yields: 0,
    });
    expect(counted(evaluateInSteps(parseFilter('type:x OR verdict:none'), {}, now))).toEqual({
      value: undefined,
      yields: 0,
    });
    expect(counted(evaluateInSteps(parseFilter('has:query.a'), factsWith({ query: 'a' }), now))).toEqual({
      value: true,
      yields: 0,
    });
  });

  test('many terms take smaller steps, and `decidingTerm` finds the values that were read', () => {
    const where = Array.from({ length: 50 }, (_, i) => `body.list[]:${10_000 + i}`).join(' OR ');
    const filter = parseFilter(where);
    const given = factsWith({ body: JSON.stringify({ list: Array.from({ length: 2000 }, (_, i) => i) }) });
    expect(counted(readInSteps(filter, given.content)).yields).toBeGreaterThan(5);
    given.content.body.fill(0);
    expect(decidingTerm(filter, given, now)).toBeDefined();
    expect(counted(readInSteps(filter, given.content)).yields).toBe(0);
  });
});
