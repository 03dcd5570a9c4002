/* Email through a real mail server. */
import { afterAll, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { openMailServer } from '../testing/alerts.ts';
import { selfSigned } from '../testing/certificate.ts';
import { createMailer } from './mail.ts';

const certificate = selfSigned();
const from = 'Hooktape <alerts@example.com>';
const mail = { id: 'msg_1', to: 'ops@example.com', subject: 'Alert: quiet', text: 'no event for 5 minutes\n' };
const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map(close => close())));
const open = async (options: Parameters<typeof openMailServer>[0] = {}) => {
  const server = await openMailServer(options);
  closing.push(server.close);
  return server;
};

describe('a message', () => {
  test('arrives as plain text, with an id of its own', async () => {
    const { port, received } = await open();
    const result = await createMailer({ url: `smtp://127.0.0.1:${port}`, from })(mail);
    expect(result).toEqual({ ok: true, status: 250, error: null });
    expect(received).toMatchObject([{ from: 'alerts@example.com', to: ['ops@example.com'] }]);
    const { text = '' } = received[0] ?? {};
    for (const line of [
      'From: Hooktape <alerts@example.com>',
      'To: ops@example.com',
      'Subject: Alert: quiet',
      'Message-ID: <msg_1@example.com>',
      'Auto-Submitted: auto-generated',
      'Content-Type: text/plain',
      'no event for 5 minutes',
    ])
      expect(text).toContain(line);
  });

  test.each([
    ['the subject', { subject: 'quiet\r\nBcc: eve@example.com\r\n\r\nbody' }],
    ['the text', { text: 'Bcc: eve@example.com\r\n.\r\nRCPT TO:<eve@example.com>\r\n' }],
    ['the address', { to: 'ops@example.com\r\nBcc: eve@example.com' }],
    ['a second address', { to: 'ops@example.com, eve@example.com' }],
  ])('%s cannot add a header field or a recipient', async (where, change) => {
    const { port, received } = await open();
    await createMailer({ url: `smtp://127.0.0.1:${port}`, from })({ ...mail, ...change });
    if (!where.endsWith('address')) expect(received).toHaveLength(1);
    for (const { text, to } of received) {
      expect(text.split('\r\n\r\n')[0]).not.toMatch(/^bcc:/im);
      expect(to).not.toContain('eve@example.com');
    }
  });
});

describe('TLS', () => {
  test.each([
    ['smtp', {}],
    ['smtps', { secure: true }],
  ])('%s is encrypted, and the user signs in', async (scheme, options) => {
    const { port, received } = await open({ ...certificate, ...options });
    const url = `${scheme}://ada%40example.com:a%20password@localhost:${port}`;
    expect(await createMailer({ url, from, ca: certificate.cert })(mail)).toMatchObject({ ok: true });
    expect(received).toMatchObject([{ isSecure: true, user: 'ada@example.com' }]);
  });

  test.each([
    ['smtp', {}],
    ['smtps', { secure: true }],
  ])('%s does not trust an unknown certificate', async (scheme, options) => {
    const { port, received } = await open({ ...certificate, ...options });
    const result = await createMailer({ url: `${scheme}://localhost:${port}`, from })(mail);
    expect(result).toMatchObject({ ok: false, status: null });
    expect(received).toEqual([]);
  });
});

describe('failures are values', () => {
  test('a wrong password, which is not repeated', async () => {
    const { port } = await open({ ...certificate });
    const mailer = createMailer({ url: `smtp://ada:wrong-one@localhost:${port}`, from, ca: certificate.cert });
    const result = await mailer(mail);
    expect(result).toMatchObject({ ok: false, error: 'the mail server rejected the user name or password' });
    expect(JSON.stringify(result)).not.toContain('wrong-one');
  });

  test.each([
    [550, true],
    [451, false],
  ])('a recipient that is refused with %d', async (code, isFinal) => {
    const { port } = await open({
      onRcptTo: (_, __, done) => done(Object.assign(new Error('no'), { responseCode: code })),
    });
    const result = await createMailer({ url: `smtp://127.0.0.1:${port}`, from })(mail);
    expect(result).toEqual({ ok: false, status: code, error: `the mail server returned ${code}`, isFinal });
  });

  test('nobody listens', async () => {
    const { port, close } = await openMailServer();
    await close();
    const result = await createMailer({ url: `smtp://127.0.0.1:${port}`, from })(mail);
    expect(result).toEqual({ ok: false, status: null, error: expect.stringContaining('cannot be reached') });
  });

  test('a server that speaks no SMTP', async () => {
    const server = createServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect(await createMailer({ url: `smtp://127.0.0.1:${port}`, from })(mail)).toMatchObject({ ok: false });
    server.close();
  });
});
