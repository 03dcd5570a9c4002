import { describe, expect, test } from 'bun:test';
import { type AnyElysia, Elysia } from 'elysia';
import type { AuditTarget } from '../core/access/audit-actions.ts';
import { createRequestAudit } from './audit-requests.ts';
import { type AuditRule, operation } from './operation.ts';
import { createRouteTable } from './route-table.ts';

const recorded: [string, AuditTarget][] = [];
const declared = (operationId: string, audit: `${string}.${string}` | AuditRule) =>
  operation({ operationId, permission: 'endpoints', audit, summary: '', description: '' });

/** One part of the body, made when it is read. */
const reads: string[] = [];
const streamed = (id: string): Response =>
  new Response(
    new ReadableStream(
      {
        pull(controller) {
          reads.push(id);
          controller.enqueue(Buffer.from(`{"id":"${id}"}`));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    ),
  );

const match = createRouteTable(() => app.routes);
const audit = createRequestAudit({
  match,
  actorOf: async () => ({ accountId: 'acc_1' }),
  endpointOfEvent: async () => undefined,
  record: async (_actor, action, target) => void recorded.push([action, target]),
});
const ifMade: AuditRule = { action: ({ made }) => (made === true ? 'thing.created' : null) };
const app: AnyElysia = new Elysia()
  .onAfterHandle(({ request, responseValue }) => audit.keepResult(request, responseValue))
  .post('/things', () => ({ id: 'thg_1' }), declared('a', 'thing.created'))
  .post('/things/status', ({ status }) => status(201, { id: 'thg_2' }), declared('b', 'thing.created'))
  .post('/things/promise', () => Promise.resolve({ id: 'thg_3' }), declared('c', 'thing.created'))
  .post('/things/made', () => ({ made: true, id: 'thg_4' }), declared('d', ifMade))
  .post('/things/dry', () => ({ made: false, id: 'thg_5' }), declared('e', ifMade))
  .post('/things/:id/file', ({ params }) => streamed(params.id), declared('f', 'thing.exported'))
  .post('/things/refused', ({ status }) => status(409, { id: 'thg_7' }), declared('g', 'thing.created'));
const fetch = audit.wrap(app.fetch);

const entryOf = async (path: string): Promise<[string, AuditTarget] | undefined> => {
  recorded.length = 0;
  await fetch(new Request(`http://internal${path}`, { method: 'POST' }));
  expect(recorded.length).toBeLessThan(2);
  return recorded[0];
};

describe('the entry', () => {
  test.each([
    ['names what the handler returned', '/things', 'thg_1'],
    ['names what it returned with a status', '/things/status', 'thg_2'],
    ['names what it returned a promise of', '/things/promise', 'thg_3'],
    ['may depend on the result', '/things/made', 'thg_4'],
  ])('%s', async (_name, path, id) => {
    expect(await entryOf(path)).toEqual(['thing.created', { type: 'thing', id }]);
  });

  test.each(['/things/dry', '/things/refused'])('is left out for %s, which changed nothing', async path => {
    expect(await entryOf(path)).toBeUndefined();
  });

  test('is written without reading the body of the response', async () => {
    expect(await entryOf('/things/thg_6/file')).toEqual(['thing.exported', { type: 'thing', id: 'thg_6' }]);
    expect(reads).toEqual([]);
  });
});
