/* The `hooktape send` command that delivers one event as the session does. */
import type { ListenOptions } from './options.ts';
import type { Target } from './target.ts';

/** Quotes a word for a POSIX shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** It names the secret's variable and not the secret. Values of --header may be credentials: the user fills them in. */
export function sendCommand(
  eventId: string,
  lanes: readonly { target: Pick<Target, 'url'> }[],
  { signing, isRemoteAllowed, edits }: Pick<ListenOptions, 'signing' | 'isRemoteAllowed' | 'edits'>,
): string {
  const url = lanes.find(({ target }) => target.url !== null)?.target.url ?? 'http://localhost:3000';
  const headers = edits.headers.flatMap(([name]) => ['--header', `${name}: …`]);
  const words = [
    'hooktape',
    'send',
    eventId,
    '--to',
    url,
    ...(signing ? ['--resign', '--secret-env', signing.variable] : []),
    ...headers,
    ...(isRemoteAllowed ? ['--allow-remote'] : []),
  ];
  return words.map(quoted).join(' ');
}
