/* Forwards that a file declares. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openDeclaring } from '../../testing/declared.ts';
import { rowsOf } from '../../testing/events.ts';
import type { Forward } from '../forwards/model.ts';

type Declaring = Awaited<ReturnType<typeof openDeclaring>>;

let declaring: Declaring;
let run = 0;
beforeAll(async () => {
  declaring = await openDeclaring();
});
beforeEach(() => {
  run++;
});
afterAll(() => declaring.server.close());

const url = 'https://staging.example.com/hook';
const declare = (forwards: object[] | undefined) => declaring.declareAs(`shop ${run}`, forwards && { forwards });
const path = async (): Promise<string> => `/api/endpoints/${(await declaring.find(`shop ${run}`)).id}/forwards`;
const list = async (): Promise<Forward[]> =>
  (await declaring.ada.json<{ forwards: Forward[] }>(200, 'GET', await path())).forwards;

describe('declared forwards', () => {
  test('are made, changed by name, set back and removed; the second apply changes nothing', async () => {
    const one = { name: 'one', url, mode: 'ordered', orderBy: 'body.id', retry: { first: '1s' }, enabled: false };
    expect(await declare([one, { name: 'two', url, where: 'type:a', headers: [['x-a', 'b']] }])).toBe('1+ ~ 0- 0=');
    expect(await declare([one, { name: 'two', url, where: 'type:a', headers: [['x-a', 'b']] }])).toBe('0+ ~ 0- 1=');
    const queues = await rowsOf(declaring.server, 'SELECT team_id = (SELECT team_id FROM endpoints) FROM queues');
    expect(queues).toEqual([[1], [1]]);
    const [first, second] = await list();
    expect(first).toMatchObject({ ...one, retry: { for: '24h', first: '1s', max: '1h' }, state: 'paused' });
    expect(second).toMatchObject({ where: 'type:a', headers: [['x-a', 'b']], state: 'ok' });
    await declaring.ada.json(200, 'POST', `${await path()}/${first?.id}/resume`);
    await declaring.ada.json(200, 'POST', await path(), { name: 'three', url }).catch(() => {});
    expect(await declare([{ ...one, url: `${url}2` }])).toBe('0+ forwards~ 0- 0=');
    const [changed, own] = await list();
    expect(changed).toMatchObject({ id: first?.id, url: `${url}2`, state: 'paused' });
    expect(own?.name).toBe('three');
    expect(await list()).toHaveLength(2);
    expect(await declare(undefined)).toBe('0+ forwards~ 0- 0=');
    expect((await list()).map(({ name }) => name)).toEqual(['three']);
  });

  test('have a request of their own, whose placeholders are known', async () => {
    const request = { contentType: 'application/json', body: '{"of":"{{endpoint}}"}' };
    const one = { name: 'one', url, sign: 'own', request };
    expect(await declare([one])).toBe('1+ ~ 0- 0=');
    expect(await declare([one])).toBe('0+ ~ 0- 1=');
    expect(await list()).toMatchObject([{ sign: 'own', request: { method: 'POST', ...request } }]);
    expect(await rowsOf(declaring.server, "SELECT secret IS NOT NULL FROM forwards WHERE sign = 'own'")).toEqual([[1]]);
    expect(await declare([{ ...one, request: { ...request, method: 'PATCH' } }])).toBe('0+ forwards~ 0- 0=');
    expect(await declare([{ ...one, request: { ...request, body: '{{x}}' } }])).toBe(
      'endpoints.0.forwards.0.request.body: unknown placeholder {{x}}',
    );
    expect(await declare([{ name: 'one', url }])).toBe('0+ forwards~ 0- 0=');
    expect(await list()).toMatchObject([{ sign: 'as-captured', request: null }]);
  });

  test('a URL that is not allowed is a problem, unless the endpoint forwards to it already', async () => {
    const here = `http://localhost:4665/in/x`;
    expect(
      await declare([
        { name: 'a', url },
        { name: 'b', url: 'http://10.0.0.1/' },
        { name: 'c', url: here },
      ]),
    ).toBe(
      [
        'endpoints.0.forwards.1.url: the destination is not a public address',
        'endpoints.0.forwards.2.url: events would go in a circle, because it is an ingest URL of this server',
      ].join('; '),
    );
    // The address guard allows loopback while the server itself is reached by a loopback address.
    expect(await declare([{ name: 'a', url: 'http://127.0.0.1:3000/' }])).toBe('1+ ~ 0- 0=');
    const inside = { name: 'a', url: 'http://10.0.0.1/' };
    const [forward] = await list();
    await declaring.server.services.database.client.execute({
      sql: 'UPDATE forwards SET url = ? WHERE id = ?',
      args: [Buffer.from(inside.url), forward?.id ?? ''],
    });
    expect(await declare([inside])).toBe('0+ ~ 0- 1=');
    expect(await declare([{ ...inside, url: 'http://10.0.0.2/' }])).toContain('not a public address');
  });

  test('wrong ones are named with their place', async () => {
    for (const [wrong, place] of [
      [[{ name: 'a' }], 'forwards.0.url: required'],
      [[{ name: 'a', url, where: '(' }], 'forwards.0.where: this parenthesis is not closed'],
      [[{ name: 'a', url, timeoutS: '3' }], 'forwards.0.timeoutS: must be a whole number from 1 to 120'],
      [[{ name: 'a', url, retry: { until: '3s' } }], 'forwards.0.retry.until: no such field'],
      [
        [
          { name: 'a', url },
          { name: 'a', url },
        ],
        'forwards.1.name: another forward',
      ],
      [[...'abcdef'].map(name => ({ name, url })), 'forwards: must have at most 5'],
    ] as const)
      expect(await declare([...wrong])).toContain(place);
  });
});
