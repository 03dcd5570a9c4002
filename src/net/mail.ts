/* Email by SMTP. Passwords are sent only over TLS, except to this host. Subject and addresses cannot add header fields. */
import { isIP } from 'node:net';
import type { SentMessageInfo, TransportOptions } from 'nodemailer';
import { isLoopbackOrigin } from '../core/network/address-classes.ts';

export type Mail = { id: string; to: string; subject: string; text: string };

/** `status`: the server's reply code; null without a reply. `isFinal`: it will never accept this message. */
export type MailResult = { ok: boolean; status: number | null; error: string | null; isFinal?: boolean };

/** Never throws: failures are values. */
export type Mailer = (mail: Mail) => Promise<MailResult>;

const connectMs = 10_000;
const silenceMs = 15_000;
const totalMs = 30_000;

export function createMailer({
  url,
  from,
  ca,
}: {
  /** `smtp://` (STARTTLS if the server offers it) or `smtps://`, with a user and password if the server requires them. */
  url: string;
  from: string;
  /** Only for tests: the certificate authority to trust. */
  ca?: string;
}): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isTls = protocol === 'smtps:';
  const user = decodeURIComponent(username);
  const options = {
    host,
    port: Number(port) || (isTls ? 465 : 587),
    secure: isTls,
    requireTLS: !isTls && user !== '' && !isLoopbackOrigin(`http://${hostname}`),
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(password) } }),
    tls: { ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const domain = from.replace(/^.*@/, '').replace(/>$/, '');

  const send = async ({ id, to, subject, text }: Mail): Promise<MailResult> => {
    // Loaded for the first email, because nothing else needs it.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(options as TransportOptions);
    try {
      const sent: SentMessageInfo = await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject: subject.replace(/[\r\n\0]+/g, ' '),
        text,
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return { ok: true, status: codeIn(sent.response), error: null };
    } finally {
      transport.close();
    }
  };

  return async mail => {
    const { promise: expired, resolve } = Promise.withResolvers<MailResult>();
    const error = `the mail server did not accept the message within ${totalMs / 1000} s`;
    const timer = setTimeout(() => resolve({ ok: false, status: null, error }), totalMs);
    try {
      return await Promise.race([send(mail), expired]);
    } catch (error) {
      return explain(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

const codeIn = (response: unknown): number | null => {
  const code = /^\d{3}/.exec(String(response))?.[0];
  return code === undefined ? null : Number(code);
};

/** Does not repeat the mail server's text, which may contain the message or the password. */
function explain(error: unknown): MailResult {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const status = typeof responseCode === 'number' ? responseCode : null;
  if (code === 'EAUTH') return { ok: false, status, error: 'the mail server rejected the user name or password' };
  if (status !== null) {
    const isFinal = status >= 500;
    return { ok: false, status, error: `the mail server returned ${status}`, isFinal };
  }
  return {
    ok: false,
    status,
    error: `the mail server cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`,
  };
}
