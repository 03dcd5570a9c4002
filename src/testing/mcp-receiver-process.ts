/*
 * A receiver of MCP Events in a separate process, so that it can be killed. It accepts an event once its id is in a file. Environment:
 * PORT, SECRET, FILE, to which it appends a line for each accepted event.
 */
import { appendFileSync } from 'node:fs';
import { isSignedWith } from './mcp-receiver.ts';

const { PORT: port, SECRET: secret = '', FILE: file = '' } = Bun.env;
Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  async fetch(request) {
    const text = await request.text();
    if (!isSignedWith(secret, request.headers, text)) return new Response(null, { status: 401 });
    const body = JSON.parse(text) as { type?: string; challenge?: string; eventId?: string };
    if (body.type === 'verification') return Response.json({ challenge: body.challenge });
    appendFileSync(file, `${body.eventId ?? body.type}\n`);
    return new Response(null, { status: 204 });
  },
});
