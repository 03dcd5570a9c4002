/*
 * The shop that docs/testing.md tests: it sends signed webhooks (Standard Webhooks) about its orders, and tries three times. `POST /webhooks`
 * `{ url, secret }` says where to; `POST /orders` `{ item }` orders. PORT: where it listens.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

const page = `<!doctype html><title>Shop</title><button>Buy a lamp</button><p role="status"></p><script>
document.querySelector('button').onclick = async () => {
  const answer = await fetch('/orders', { method: 'POST', body: JSON.stringify({ item: 'lamp' }) });
  document.querySelector('p').textContent = 'Thank you for order ' + (await answer.json()).id;
};
</script>`;
const attempts = 3;
let hooks = [];

async function send({ url, secret }, event) {
  const id = `msg_${randomUUID()}`;
  const body = JSON.stringify(event);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    if (answer?.ok) return;
    await setTimeout(100);
  }
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const reply = (status, type, text) => response.writeHead(status, { 'content-type': type }).end(text);
  if (request.method === 'GET') return reply(200, 'text/html', page);
  if (request.url === '/webhooks') {
    hooks = [JSON.parse(body)];
    return reply(201, 'application/json', '{}');
  }
  const order = { id: randomUUID(), ...JSON.parse(body) };
  reply(201, 'application/json', JSON.stringify(order));
  for (const hook of hooks) void send(hook, { type: 'order.created', data: order });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
