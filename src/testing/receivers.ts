/* Real receivers of the server's notifications: an HTTP server and a mail server. */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type ReceivedRequest = { path: string; headers: Record<string, string>; text: string };
export type ReceivedMail = { from: string; to: string[]; text: string; isSecure: boolean; user: string | undefined };

/** A receiver of HTTP requests, such as Slack or ntfy. */
export function openReceiver(answer: (n: number) => Response = () => new Response('ok')) {
  const received: ReceivedRequest[] = [];
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const { pathname: path } = new URL(request.url);
      received.push({ path, headers: Object.fromEntries(request.headers), text: await request.text() });
      return answer(received.length);
    },
  });
  return { origin: `http://127.0.0.1:${http.port}`, received, close: () => http.stop(true) };
}

/** A mail server. */
export async function openMailServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    onAuth: ({ username, password }, _, done) =>
      password === 'a password' ? done(null, { user: username ?? '' }) : done(new Error('wrong')),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', chunk => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
          isSecure: session.secure,
          user: session.user,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  return { port, received, close: () => new Promise<void>(resolve => server.close(resolve)) };
}
