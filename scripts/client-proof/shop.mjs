/* Uses the installed package as a test would. Runs in Node, Bun and Deno: `shop.mjs URL KEY DESTINATION`. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { ApiError, Hooktape, NotArrivedError } from '@hooktape/client';

const [url, key, destination] = process.argv.slice(2);
const hooktape = new Hooktape({ url, key });

const endpoint = await hooktape.endpoints.create({ name: 'shop' });
assert.ok((await hooktape.endpoints.list()).some(({ id }) => id === endpoint.id));
const inbox = hooktape.endpoint(endpoint.id);
const deliver = (body, path = '') =>
  fetch(url + endpoint.path + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const events = await inbox.capture(async () => {
  await deliver({ type: 'order.paid', total: 7 }, '/orders');
  await deliver({ type: 'order.shipped' });
});
assert.deepEqual(
  events.map(({ payload }) => payload.type),
  ['order.paid', 'order.shipped'],
);

const paid = await inbox.waitFor('body.type:order.paid body.total>5', { within: '30s' });
assert.equal(paid.id, events[0].id);
await assert.rejects(inbox.waitFor('body.type:order.paid body.total>7', { within: '100ms' }), error => {
  assert.ok(error instanceof NotArrivedError);
  assert.match(error.message, /2 events did:\n {2}evt_\w+ POST \/orders.*: fails body\.total>7/);
  return true;
});

const ids = [];
for await (const { id } of inbox.feed({ after: 'start', where: 'has:body.type' })) if (ids.push(id) === 2) break;
assert.deepEqual(
  ids,
  events.map(({ id }) => id),
);

await inbox.answers.set([{ first: 1, answer: { status: 500 } }]);
assert.deepEqual([(await deliver({})).status, (await deliver({})).status], [500, 200]);
await inbox.answers.clear();
assert.equal((await deliver({})).status, 200);

const result = await hooktape.send(paid.id, { to: destination, edit: { set: { total: 8 } } });
assert.deepEqual([result.ok, result.responsePreview], [true, '{"type":"order.paid","total":8}']);

await hooktape.endpoints.delete(endpoint.id);
await assert.rejects(inbox.get(), error => error instanceof ApiError && error.status === 404);
console.log('ok');
