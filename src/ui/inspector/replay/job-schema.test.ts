import { expect, test } from 'bun:test';
import { type DraftOf, draftOf, problemsOf, requestOf } from '../../kit/schema.ts';
import { jobRules } from './job-schema.tsx';

type Draft = DraftOf<typeof jobRules.schema>;

const empty = draftOf(jobRules.schema, { dest: 'localhost:3000/hook', concurrency: 1, per: 'event', skipOk: false });
const draft = (changed: Partial<Draft>): Draft => ({ ...empty, ...changed });

test.each<[Partial<Draft>, object]>([
  [
    {},
    {
      dest: 'http://localhost:3000/hook',
      pace: null,
      concurrency: 1,
      per: 'event',
      skipOk: false,
      sign: { mode: 'none' },
      stopAfter: null,
    },
  ],
  [{ pace: ['rate', '2.5', ''] }, { pace: '2.5/s' }],
  [{ pace: ['original', '', ''] }, { pace: 'original' }],
  [{ pace: ['faster', '', '10'] }, { pace: 'original*10' }],
  [
    { per: true, skipOk: true, 'sign.mode': true },
    { per: 'delivery', skipOk: true, sign: { mode: 'fresh' } },
  ],
  [
    { dest2: 'localhost:3001', ignore: 'body.a,\n body.b , ', compareHeaders: 'x-a' },
    { dest2: 'http://localhost:3001', ignore: ['body.a', 'body.b'], compareHeaders: ['x-a'] },
  ],
  [
    { stopAfter: '3', concurrency: '8' },
    { stopAfter: 3, concurrency: 8 },
  ],
])('the request of %j', (changed, expected) => {
  expect(problemsOf(jobRules, draft(changed))).toEqual({});
  expect(requestOf(jobRules, draft(changed))).toMatchObject(expected);
});

test('a job without a second destination has nothing to compare, and is not signed unless that is chosen', () => {
  expect(Object.keys(requestOf(jobRules, draft({ ignore: 'body.a' })))).toEqual([
    ...['dest', 'pace', 'concurrency', 'per', 'skipOk', 'sign', 'stopAfter'],
  ]);
});

test.each<[keyof Draft, Partial<Draft>]>([
  ['dest', { dest: '' }],
  ['dest', { dest: 'ftp://x' }],
  ['dest2', { dest2: 'http://user:secret@x/' }],
  ['pace', { pace: ['rate', '0', ''] }],
  ['pace', { pace: ['faster', '', '-1'] }],
  ['concurrency', { concurrency: '33' }],
  ['concurrency', { concurrency: '1.5' }],
  ['stopAfter', { stopAfter: 'all' }],
])('a problem stands at its field: %s', (field, changed) => {
  expect(Object.keys(problemsOf(jobRules, draft(changed)))).toEqual([field]);
});
