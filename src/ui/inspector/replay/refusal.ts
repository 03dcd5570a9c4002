/* What a person can do about a replay that the server refused. */

import type { ProblemCode } from '../../../shared/problem-codes.ts';
import { ApiError, type InputProblem } from '../../kit/api.ts';
import { messageOf } from '../../kit/toasts.tsx';

export type Refusal = {
  text: string;
  /** The line of the server's configuration that would allow it. */
  setting?: string;
};

const codedProblem = (error: unknown): InputProblem | undefined =>
  error instanceof ApiError ? error.problems.find(({ code }) => code !== undefined) : undefined;

/** What a refusal is about, if there is something to do about it. */
export const codeOf = (error: unknown): ProblemCode | undefined => codedProblem(error)?.code;

export function explainRefusal(error: unknown, url: string): Refusal {
  const message = messageOf(error);
  if (!(error instanceof ApiError)) return { text: message };
  const problem = codedProblem(error);
  const code = problem?.code;
  if (code === 'not_public')
    return {
      text: "The destination isn't a public address, and this server sends only to public addresses. The operator can allow it with",
      setting: `HOOKTAPE_REPLAY_ALLOW=${hostOf(url)}`,
    };
  if (code === 'port_not_allowed')
    return {
      text: "This port belongs to a protocol other than HTTP, so the server doesn't send to it. The operator can allow it with",
      setting: `HOOKTAPE_REPLAY_ALLOW=${hostOf(url, true)}`,
    };
  if (code === 'cannot_sign')
    return { text: `Can't re-sign: ${problem?.message} Send it with the captured signature instead.` };
  if (error.status === 403) return { text: `${message} Enter the secret to sign with it instead.` };
  return { text: message };
}

/** As an entry of the setting: the host, with its port where the URL names one. */
function hostOf(text: string, withPort = false): string {
  if (!URL.canParse(text)) return 'HOST';
  const { hostname, host, port, protocol } = new URL(text);
  if (withPort && port === '') return `${hostname}:${protocol === 'https:' ? 443 : 80}`;
  return host;
}
