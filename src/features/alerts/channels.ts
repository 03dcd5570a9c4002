/*
 * Sends notifications through the channels. HTTP requests go through the outbound guard, as replays do. All texts are treated as
 * data: each format escapes what Slack or Discord would take for markup, and no user can be mentioned.
 */

import { alertErrors } from '../../core/alert.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { isSuccess } from '../../core/network/destination.ts';
import { retryAfterMs } from '../../core/network/retry-after.ts';
import { firstCharacters } from '../../core/text.ts';
import type { Mailer } from '../../net/mail.ts';
import type { Outbound } from '../../net/outbound.ts';
import { sign } from '../../platforms/platforms.ts';
import type { AlertChannelType } from '../../shared/alerts.ts';
import { linesOf, type Message, plainLine, titleOf } from './message.ts';

/** Where notifications go: the type of the channel, and its settings, which the database stores encrypted. */
export type Channel = { type: AlertChannelType; url: string | null; to: string | null; secret: string | null };

/** `retryAfterMs`: the receiver asked to wait. `isFinal`: another attempt would fail in the same way. */
export type SendResult = {
  ok: boolean;
  status: number | null;
  error: string | null;
  retryAfterMs?: number | undefined;
  isFinal?: boolean;
};

export type SendAlert = (channel: Channel, message: Message, signal?: AbortSignal) => Promise<SendResult>;

type Payload = { headers: HeaderPair[]; body: string };

const timeoutMs = 15_000;
const previewBytes = 1024;
const maxDiscordCharacters = 1900;
const json: HeaderPair = ['Content-Type', 'application/json'];
const userAgent: HeaderPair = ['User-Agent', 'Hooktape'];

/** https://api.slack.com/reference/surfaces/formatting#escaping; `mrkdwn: false` turns off all other markup. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const escapeDiscord = (text: string): string => text.replace(/[\\*_~`|>#[\]()<@:-]/g, '\\$&');

const slack = (message: Message): Payload => ({
  headers: [json],
  body: JSON.stringify({
    text: [...[titleOf(message), ...linesOf(message)].map(escapeSlack), message.link].join('\n'),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  }),
});

/** Flag 4: no previews of links. https://discord.com/developers/docs/resources/webhook#execute-webhook */
function discord(message: Message): Payload {
  const whole = [titleOf(message), ...linesOf(message)].map(escapeDiscord).join('\n');
  const text = firstCharacters(whole, maxDiscordCharacters);
  return {
    headers: [json],
    body: JSON.stringify({ content: `${text}\n<${message.link}>`, allowed_mentions: { parse: [] }, flags: 4 }),
  };
}

/** RFC 2047 encodes header values that are not ASCII, or that look encoded already. https://docs.ntfy.sh/publish/ */
function ntfy(message: Message, { secret }: Channel): Payload {
  const title = titleOf(message);
  const encoded =
    /^[ -~]*$/.test(title) && !title.includes('=?') ? title : `=?UTF-8?B?${Buffer.from(title).toString('base64')}?=`;
  return {
    headers: [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['Title', encoded],
      ['Tags', message.type === 'alert.fired' ? 'warning' : 'white_check_mark'],
      ['Click', message.link],
      ...(secret === null ? [] : [['Authorization', `Bearer ${secret}`] as const]),
    ],
    body: linesOf(message).join('\n'),
  };
}

/** Signed by Standard Webhooks: https://www.standardwebhooks.com */
function webhook(message: Message, { url, secret }: Channel, now: number): Payload | string {
  const { alert, endpoint, link, reason, items, count, held } = message;
  const body = JSON.stringify({
    type: message.type,
    timestamp: new Date(message.at).toISOString(),
    data: { alert, endpoint, reason, items: items.map(plainLine), count, held, url: link },
  });
  const signed = sign({
    platform: 'standard-webhooks',
    secret: secret ?? '',
    method: 'POST',
    url: url ?? '',
    headers: [json, ['webhook-id', message.id]],
    body: Buffer.from(body),
    at: now,
  });
  return 'cannotSign' in signed ? signed.cannotSign : { headers: signed.headers, body };
}

export function createAlertSender(options: {
  outbound: Outbound;
  /** Undefined if the operator has not set HOOKTAPE_SMTP_URL. */
  mailer: Mailer | undefined;
  now: () => number;
}): SendAlert {
  const { outbound, mailer, now } = options;
  const post = async (url: string, payload: Payload | string, signal: AbortSignal | undefined): Promise<SendResult> => {
    if (typeof payload === 'string') return { ok: false, status: null, error: payload, isFinal: true };
    const result = await outbound.send({
      url,
      method: 'POST',
      headers: [...payload.headers, userAgent],
      body: Buffer.from(payload.body),
      timeoutMs,
      previewBytes,
      ...(signal && { signal }),
    });
    if (result.kind !== 'answered') return { ok: false, status: null, error: result.reason };
    const { status, headers } = result;
    if (isSuccess(status)) return { ok: true, status, error: null };
    return {
      ok: false,
      status,
      error: alertErrors.rejected(status),
      retryAfterMs: retryAfterMs(headers, now()),
      isFinal: status < 500 && ![408, 425, 429].includes(status),
    };
  };
  const mail = async (to: string, message: Message): Promise<SendResult> => {
    if (!mailer) return { ok: false, status: null, error: alertErrors.emailNotSetUp, isFinal: true };
    return mailer({
      id: message.id,
      to,
      subject: `[Hooktape] ${titleOf(message)}`,
      text: `${[...linesOf(message), '', message.link].join('\n')}\n`,
    });
  };

  return (channel, message, signal) => {
    const url = channel.url ?? '';
    switch (channel.type) {
      case 'email':
        return mail(channel.to ?? '', message);
      case 'slack':
        return post(url, slack(message), signal);
      case 'discord':
        return post(url, discord(message), signal);
      case 'ntfy':
        return post(url, ntfy(message, channel), signal);
      case 'webhook':
        return post(url, webhook(message, channel, now()), signal);
    }
  };
}
