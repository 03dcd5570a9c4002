/* What a person can do about a replay that the server refused. */

export type Refusal = {
  text: string;
  /** The line of the server's configuration that would allow it. */
  setting?: string;
};

/** @param message of the API, as a sentence */
export function explainRefusal(status: number, message: string, url: string): Refusal {
  if (status === 400 && /not a public address/i.test(message))
    return {
      text: "The destination isn't a public address, and this server may only send to public ones. Its administrator can allow this destination with the setting",
      setting: `HOOKTAPE_REPLAY_ALLOW=${hostOf(url)}`,
    };
  if (status === 400 && /port of the destination/i.test(message))
    return {
      text: "This port belongs to a protocol other than HTTP, so the server doesn't send to it. Its administrator can allow it with the setting",
      setting: `HOOKTAPE_REPLAY_ALLOW=${hostOf(url, true)}`,
    };
  if (/^cannot[_ ]sign/i.test(message))
    return {
      text: `This can't be re-signed: ${message.replace(/^cannot[_ ]sign:? */i, '')} Send it with the captured signature.`,
    };
  if (status === 403)
    return {
      text: `${message} A stored secret signs only when its settings allow it, for an unchanged event with a valid signature, and to an allowed destination. Or type the secret.`,
    };
  return { text: message };
}

/** As an entry of the setting: the host, with its port where the URL names one. */
function hostOf(text: string, withPort = false): string {
  if (!URL.canParse(text)) return 'HOST';
  const { hostname, host, port, protocol } = new URL(text);
  if (withPort && port === '') return `${hostname}:${protocol === 'https:' ? 443 : 80}`;
  return host;
}
