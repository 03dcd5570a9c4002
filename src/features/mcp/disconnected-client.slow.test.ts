/* Agents that disconnect while a call waits. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let port: number;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  port = Number(new URL(await server.listen()).port);
});
afterAll(() => server.close());

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: wait_for_event'];

const callOf = (fields: string[], params: object): string => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${ada.key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length}`,
    ...fields,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};

/** Sends the request and keeps its half of the connection open. */
function caller(request: string) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const one = { socket, received: '' };
  socket
    .on('error', () => {})
    .on('data', chunk => {
      one.received += chunk.toString();
    });
  socket.write(request);
  return one;
}

test.each([
  ['of 2025', {}, ['MCP-Protocol-Version: 2025-06-18']],
  ['of 2026', { _meta: meta }, modern],
])('a call %s ends its wait when the client closes its half of the connection', async (_name, extra, fields) => {
  const { id } = await ada.createEndpoint();
  const given = { name: 'wait_for_event', arguments: { endpointId: id, timeoutSeconds: 50 } };
  const agent = caller(callOf(fields, { ...given, ...extra }));
  await eventually(() => agent.received !== '' || server.services.notifications.openTails() === 1);
  expect(agent.received).toBe('');
  agent.socket.end();
  await eventually(() => server.services.notifications.openTails() === 0);
  await eventually(() => agent.socket.destroyed);
});

test('a client that has sent its request and closes its half is answered when the call does not wait', async () => {
  const agent = caller(callOf(['MCP-Protocol-Version: 2025-06-18'], { name: 'list_endpoints', arguments: {} }));
  agent.socket.end();
  await eventually(() => agent.received.includes('structuredContent'));
  expect(agent.received).toStartWith('HTTP/1.1 200 OK');
});
