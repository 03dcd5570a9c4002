import { describe, expect, test } from 'bun:test';
import { emptyDraft, type JobDraft, problemsOf, requestOf } from './job-draft.ts';

const draft = (changed: Partial<JobDraft>): JobDraft => ({ ...emptyDraft, dest: 'localhost:3000/hook', ...changed });

describe('the request', () => {
  test.each<[Partial<JobDraft>, object]>([
    [
      {},
      {
        dest: 'http://localhost:3000/hook',
        where: 'type:x',
        pace: null,
        concurrency: 1,
        per: 'event',
        stopAfter: null,
      },
    ],
    [{ pace: 'rate', perSecond: '2.5' }, { pace: '2.5/s' }],
    [{ pace: 'original' }, { pace: 'original' }],
    [{ pace: 'faster', factor: '10' }, { pace: 'original*10' }],
    [
      { isPerDelivery: true, isSkipping: true, isSigned: true },
      { per: 'delivery', skipOk: true, sign: { mode: 'fresh' } },
    ],
    [
      { dest2: 'localhost:3001', ignore: 'body.a,\n body.b , ', headers: 'x-a' },
      { dest2: 'http://localhost:3001', ignore: ['body.a', 'body.b'], compareHeaders: ['x-a'] },
    ],
    [
      { stopAfter: '3', concurrency: '8' },
      { stopAfter: 3, concurrency: 8 },
    ],
  ])('of %j', (changed, expected) => {
    expect(problemsOf(draft(changed))).toEqual({});
    expect(requestOf(draft(changed), { endpointId: 'ep_1', where: 'type:x' })).toMatchObject(expected);
  });

  test('names selected events in place of the filter', () => {
    const request = requestOf(draft({}), { endpointId: 'ep_1', where: 'type:x', ids: ['evt_1'] });
    expect([request.eventIds, request.where]).toEqual([['evt_1'], undefined]);
  });
});

test.each<[keyof JobDraft, Partial<JobDraft>]>([
  ['dest', { dest: 'ftp://x' }],
  ['dest2', { dest2: 'http://user:secret@x/' }],
  ['perSecond', { pace: 'rate', perSecond: '0' }],
  ['factor', { pace: 'faster', factor: '-1' }],
  ['concurrency', { concurrency: '33' }],
  ['concurrency', { concurrency: '1.5' }],
  ['stopAfter', { stopAfter: 'all' }],
])('a problem stands at its field: %s', (field, changed) => {
  expect(Object.keys(problemsOf(draft(changed)))).toEqual([field]);
});
