import { describe, expect, test } from 'bun:test';
import type { Forward } from '../../features/forwards/model.ts';
import { ApiError } from '../kit/api.ts';
import { draftOf, emptyDraft, hasMore, problemOfError, problemsOf, requestOf } from './forward-draft.ts';

const draft = { ...emptyDraft, name: ' one ', url: 'localhost:3000/hook' };
const request = {
  ...{ name: 'one', url: 'http://localhost:3000/hook', where: null, mode: 'parallel' as const, orderBy: null },
  ...{ sign: 'as-captured' as const, headers: [], timeoutS: 30, retry: { for: '24h', first: '5s', max: '1h' } },
  ...{ per: 'event' as const, enabled: true },
};

describe('a draft', () => {
  test('becomes a request with every field, so that an edited one loses what was taken out', () => {
    expect(requestOf(draft)).toEqual(request);
    const ordered = { ...draft, mode: 'ordered' as const, orderBy: ' body.id ', where: ' type:push ' };
    expect(requestOf(ordered)).toEqual({ ...request, mode: 'ordered', orderBy: 'body.id', where: 'type:push' });
    expect(requestOf({ ...ordered, mode: 'parallel' }).orderBy).toBeNull();
    expect(
      requestOf({
        ...draft,
        headers: [
          ['', ''],
          [' X-A ', ' b '],
        ],
      }).headers,
    ).toEqual([['X-A', ' b ']]);
  });

  test('of a forward becomes the same forward', () => {
    const forward: Omit<Forward, 'id' | 'waiting' | 'failed' | 'givenUp' | 'lagS' | 'state' | 'createdAt'> = {
      ...{
        name: 'a',
        url: 'https://example.com/',
        where: 'type:a',
        mode: 'ordered',
        orderBy: 'body.id',
        sign: 'fresh',
      },
      ...{ headers: [], timeoutS: 5, retry: { for: '1h', first: '1s', max: '2m' }, per: 'delivery', enabled: false },
      ...{ failingSince: null, probeAt: null, lastStatus: null, lastError: null },
    };
    const { failingSince, probeAt, lastStatus, lastError, ...settings } = forward;
    expect(requestOf(draftOf(forward as Forward))).toEqual(settings);
    expect(hasMore(draftOf(forward as Forward))).toBe(true);
    expect(hasMore(draft)).toBe(false);
  });

  test('has problems at its fields; empty ones count once it is sent', () => {
    expect(problemsOf(emptyDraft, false)).toEqual({});
    expect(Object.keys(problemsOf(emptyDraft, true)).sort()).toEqual(['name', 'url']);
    const wrong = { ...draft, url: 'ftp://x', where: 'nope:1', timeoutS: '121', retryFor: 'long', retryMax: '' };
    expect(Object.keys(problemsOf(wrong, false)).sort()).toEqual(['retryFor', 'retryMax', 'timeoutS', 'url', 'where']);
    const signed = { ...draft, isSigned: true, headers: [['X-A', 'b']] as const };
    expect(Object.keys(problemsOf(signed, false))).toEqual(['headers']);
  });
});

describe('a problem that the server found', () => {
  test.each<[string, string | undefined, string]>([
    ['Url: the destination is not a public address.', 'url', 'Url: the destination is not a public address.'],
    ['Retry.max must not be shorter than retry.first.', 'retryMax', 'Retry.max must not be shorter than retry.first.'],
    ['OrderBy goes with mode "ordered".', 'orderBy', 'OrderBy goes with mode "ordered".'],
    ['Headers: the value of X must be printable ASCII.', 'headers', 'Headers: the value of X must be printable ASCII.'],
    [
      'Invalid body: name: Expected string length less or equal to 100.',
      'name',
      'Expected string length less or equal to 100.',
    ],
    [
      'An endpoint has at most 5 forwards: delete one first.',
      undefined,
      'An endpoint has at most 5 forwards: delete one first.',
    ],
  ])('%s', (message, field, words) => {
    expect(problemOfError(new ApiError(400, message))).toEqual({ message: words, ...(field && { field }) } as never);
  });

  test('in the filter has its place', () => {
    const error = new ApiError(400, 'Invalid where: there is no field "tpye".', { position: 0, nearest: 'type' });
    expect(problemOfError(error)).toMatchObject({ field: 'where', filter: { position: 0, nearest: 'type' } });
  });
});
