// Follows a live stream with the `eventsource` package: each delivery is one message, also across a reconnect.
import assert from 'node:assert/strict';
import { EventSource } from 'eventsource';

const { ORIGIN: origin, KEY: key } = process.env;
const authorization = `Bearer ${key}`;
const call = async (method, path, body) => {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.json();
};
const endpoint = await call('POST', '/api/endpoints', { name: 'eventsource' });
const deliver = async () =>
  (await (await fetch(endpoint.url, { method: 'POST', body: '{"hello":"world"}' })).json()).id;

const requests = [];
let cut = () => {};
const source = new EventSource(`${origin}/api/endpoints/${endpoint.id}/stream`, {
  fetch: async (url, init) => {
    requests.push(init.headers);
    const { status, headers, body } = await fetch(url, { ...init, headers: { ...init.headers, authorization } });
    const ended = new Promise(resolve => {
      cut = resolve;
    });
    const reader = body.getReader();
    const stream = new ReadableStream({
      async pull(controller) {
        const { done, value } = await Promise.race([reader.read(), ended.then(() => ({ done: true }))]);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => reader.cancel(),
    });
    return new Response(stream, { status, headers });
  },
});
const messages = [];
let wake = () => {};
source.addEventListener('event', message => {
  messages.push(message);
  wake();
});
source.addEventListener('message', message => assert.fail(`a message without an event name: ${message.data}`));
const until = async count => {
  while (messages.length < count) await new Promise(resolve => (wake = resolve));
};

await new Promise(resolve => source.addEventListener('open', resolve, { once: true }));
const ids = [await deliver(), await deliver()];
await until(2);
const cutAt = Date.now();
cut();
ids.push(await deliver());
await until(3);
assert.ok(Date.now() - cutAt >= 900, 'it reconnected before the `retry` time was over');
assert.equal(requests[1]['Last-Event-ID'], ids[1]);
assert.deepEqual(
  messages.map(({ lastEventId }) => lastEventId),
  ids,
);
assert.deepEqual(
  messages.map(({ data }) => JSON.parse(data).id),
  ids,
);
source.close();
await call('DELETE', `/api/endpoints/${endpoint.id}`);
