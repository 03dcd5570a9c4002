/*
 * A receiver of MCP Events, written from the specification and not from the sender: it checks each request as a client has to, and
 * keeps what it accepted. `problems` has what a client would refuse.
 */
import { createHmac } from 'node:crypto';

export type ReceivedEvent = {
  eventId: string;
  name: string;
  timestamp: string;
  data: Record<string, unknown>;
  cursor: string | null;
};
type Control =
  | { type: 'verification'; challenge: string }
  | { type: 'gap'; cursor: string }
  | { type: 'terminated'; error: { code: number; message: string; data?: unknown } };
export type ReceivedMessage = { path: string; query: string; headers: Headers; body: ReceivedEvent | Control };

export const newSecret = (bytes = 32): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64')}`;

/** Whether the signature header has one by this secret. */
export function isSignedWith(secret: string, headers: Headers, text: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${text}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return (headers.get('webhook-signature') ?? '').split(' ').includes(signature);
}

export type McpReceiver = ReturnType<typeof openMcpReceiver>;

/** @param now the time by which timestamps are checked, epoch ms */
export function openMcpReceiver({ now = Date.now, port = 0 }: { now?: () => number; port?: number } = {}) {
  const secrets = [newSecret()];
  const problems: string[] = [];
  const messages: ReceivedMessage[] = [];
  /** The status for an event or a control message; a challenge is always answered unless `challenge` says otherwise. */
  let answer: (message: ReceivedMessage) => Response | Promise<Response> = () => new Response(null, { status: 204 });
  let challenge: (text: string) => Response | Promise<Response> = text => Response.json({ challenge: text });

  const check = (request: Request, text: string): void => {
    const { headers } = request;
    const say = (problem: string): void => void problems.push(`${problem}: ${text.slice(0, 200)}`);
    if (request.method !== 'POST') say(`method ${request.method}`);
    if (headers.get('content-type') !== 'application/json') say(`content-type ${headers.get('content-type')}`);
    if (Buffer.byteLength(text) > 256 * 1024) say('too large');
    if (!/^sub_[0-9a-f]{32}$/.test(headers.get('x-mcp-subscription-id') ?? '')) say('no subscription id');
    if (!/^\d{10}$/.test(headers.get('webhook-timestamp') ?? '')) say('no timestamp in seconds');
    if (Math.abs(Number(headers.get('webhook-timestamp')) - now() / 1000) > 300) say('timestamp is too old');
    if (!secrets.some(secret => isSignedWith(secret, headers, text))) say('wrong signature');
    const body = JSON.parse(text) as ReceivedMessage['body'];
    const id = headers.get('webhook-id') ?? '';
    if ('type' in body ? !new RegExp(`^msg_${body.type}_\\w+$`).test(id) : id !== body.eventId) say(`webhook-id ${id}`);
    if ('type' in body) return;
    if (Number.isNaN(Date.parse(body.timestamp)) || !/(Z|[+-]\d\d:\d\d)$/.test(body.timestamp)) say('timestamp');
    if (typeof body.name !== 'string' || typeof body.data !== 'object') say('no occurrence');
  };
  const http = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: async request => {
      const text = await request.text();
      check(request, text);
      const url = new URL(request.url);
      const body = JSON.parse(text) as ReceivedMessage['body'];
      const message = { path: url.pathname, query: url.search, headers: request.headers, body };
      messages.push(message);
      return 'type' in body && body.type === 'verification' ? challenge(body.challenge) : answer(message);
    },
  });
  const ofType = (type: string): Control[] =>
    messages.flatMap(({ body }) => ('type' in body && body.type === type ? [body] : []));
  return {
    url: `http://127.0.0.1:${http.port}/hooks`,
    port: http.port,
    /** The newest secret is the first. */
    secrets,
    problems,
    messages,
    /** Every attempt to deliver an event. */
    events: (): ReceivedEvent[] => messages.flatMap(({ body }) => ('type' in body ? [] : [body])),
    challenges: () => ofType('verification'),
    gaps: () => ofType('gap'),
    terminations: () => ofType('terminated') as Extract<Control, { type: 'terminated' }>[],
    answer: (handle: typeof answer): void => {
      answer = handle;
    },
    answerChallenge: (handle: typeof challenge): void => {
      challenge = handle;
    },
    close: () => http.stop(true),
  };
}
